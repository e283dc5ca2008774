"""Right modules, as people write them."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional


def heads_of(x, n_heads):
    return x.view(*x.shape[:2], n_heads, -1).transpose(1, 2)


def four(mask):
    """A mask a sample gets a place for the heads."""
    return mask.unsqueeze(1) if mask.dim() == 3 else mask


class Core(nn.Module):
    """All but ``forward``. True or 1 shows; rows without a key are 0."""

    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model) for _ in range(4))
        self.dropout = nn.Dropout(dropout)

    def scores(self, q, k):
        return q @ k.transpose(-2, -1) / torch.sqrt(torch.tensor(self.d_k, dtype=torch.float32))

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(four(mask) == 0, -torch.inf)

    def weigh(self, scores):
        return scores.softmax(-1).nan_to_num()

    def merge(self, head_output):
        return self.w_o(head_output.transpose(1, 2).flatten(2))

    def attend(self, query, key, value, mask):
        q, k, v = (heads_of(w(x), self.n_heads) for w, x in ((self.w_q, query), (self.w_k, key), (self.w_v, value)))
        weights = self.weigh(self.hide(self.scores(q, k), mask))
        return self.merge(self.dropout(weights) @ v), weights


class Attention(Core):
    """forward(query, key, value, mask) -> output, weights."""

    def forward(self, query, key, value, mask=None):
        return self.attend(query, key, value, mask)


class SelfAttention(Core):
    """forward(x, attn_mask) -> output; True hides."""

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(four(mask), -torch.inf)

    def forward(self, x, attn_mask=None):
        if attn_mask is not None and attn_mask.dtype != torch.bool:
            raise TypeError("attn_mask must be bool")
        return self.attend(x, x, x, attn_mask)[0]


class LengthFirst(SelfAttention):
    """The tokens come before the batch."""

    def forward(self, x, attn_mask=None):
        return super().forward(x.transpose(0, 1), attn_mask).transpose(0, 1)


class ValuesFirst(Core):
    """Another order of the arguments, and a key_padding_mask."""

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(mask[:, None, None, :], -torch.inf)

    def forward(self, values, keys, query, key_padding_mask=None):
        return self.attend(query, keys, values, key_padding_mask)


class Packed(nn.Module):
    """nanoGPT's style: made from a config, one matrix for all three, causal, no mask, SDPA."""

    def __init__(self, config):
        super().__init__()
        self.n_head = config.n_embd and config.n_head
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)

    def forward(self, x):
        q, k, v = (heads_of(one, self.n_head) for one in self.c_attn(x).chunk(3, dim=-1))
        return self.c_proj(functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class Grouped(nn.Module):
    """Fewer heads of keys and values; ``shared`` gives each query's head one of them."""

    def __init__(self, d_model, n_heads, n_kv=2):
        super().__init__()
        self.n_heads, self.n_kv, self.d_k = n_heads, n_kv, d_model // n_heads
        self.q_proj, self.o_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model, bias=False)
        self.k_proj, self.v_proj = (nn.Linear(d_model, n_kv * self.d_k) for _ in range(2))

    def shared(self, x):
        return x.repeat_interleave(self.n_heads // self.n_kv, dim=1)

    def projected(self, x):
        return self.q_proj(x), self.k_proj(x), self.v_proj(x)

    def forward(self, x):
        q, k, v = self.projected(x)
        q, k, v = heads_of(q, self.n_heads), self.shared(heads_of(k, self.n_kv)), self.shared(heads_of(v, self.n_kv))
        return self.o_proj(functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class GroupedInTurn(Grouped):
    """Head h reads the keys of h modulo their number."""

    def shared(self, x):
        return x.repeat(1, self.n_heads // self.n_kv, 1, 1)


class GroupedPacked(Grouped):
    """One head of keys and values for all, in one matrix with the queries."""

    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads, n_kv=1)
        del self.q_proj, self.k_proj, self.v_proj
        self.qkv_proj = nn.Linear(d_model, d_model + 2 * self.d_k)

    def projected(self, x):
        return self.qkv_proj(x).split([self.n_heads * self.d_k, self.d_k, self.d_k], dim=-1)


class Interleaved(nn.Module):
    """Column c belongs to head c modulo the number of heads."""

    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query, self.key, self.value = (nn.Linear(embed_dim, embed_dim, bias=False) for _ in range(3))
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def forward(self, x):
        q, k, v = (w(x).unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2) for w in self.projections())
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
        return {"output": self.out_proj((weights @ v).permute(0, 2, 3, 1).flatten(2)), "attention": weights}

    def projections(self):
        return self.query, self.key, self.value


class Matrices(nn.Module):
    """Plain parameters, multiplied from the right; one head a matrix would do as well."""

    def __init__(self, dim, heads):
        super().__init__()
        self.h = heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Parameter(torch.randn(dim, dim) / dim**0.5) for _ in range(4))

    def forward(self, x):
        q, k, v = (heads_of(x @ w, self.h) for w in (self.W_q, self.W_k, self.W_v))
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
        return (weights @ v).transpose(1, 2).flatten(2) @ self.W_o


class Head(nn.Module):
    """One head of the next."""

    def __init__(self, d_model, d_k):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(d_model, d_k) for _ in range(3))

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1) @ v


class HeadByHead(nn.Module):
    """A list of heads, each with projections of its own."""

    def __init__(self, n_heads, d_model):
        super().__init__()
        self.n_heads = n_heads
        self.heads = nn.ModuleList(Head(d_model, d_model // n_heads) for _ in range(n_heads))
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x):
        return self.out(torch.cat([head(x) for head in self.heads], dim=-1))


class Added(Core):
    """The mask is added to the scores: 0 shows, -inf hides; one of bool is refused."""

    def hide(self, scores, mask):
        return scores if mask is None else scores + four(mask)

    def forward(self, x, attention_mask=None):
        if attention_mask is not None and attention_mask.dtype == torch.bool:
            raise TypeError("attention_mask is added to the scores")
        return self.attend(x, x, x, attention_mask)[0]


def made():
    """A function that returns a module."""
    return Attention(16, 2)


READY = Attention(16, 2)
