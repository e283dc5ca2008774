"""Modules with one thing wrong each."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional

from tests.models.examined.right import Attention, Core, SelfAttention, four, heads_of


class MaskIgnored(Attention):
    def hide(self, scores, mask):
        return scores


class MaskOfOnes(Attention):
    """A tutorial's: a matrix of 1 and -inf, asked for 0."""

    def hide(self, scores, mask):
        if mask is None:
            return scores
        made = torch.ones(scores.shape[-2:]).masked_fill(four(mask) == 0, -torch.inf)
        return scores.masked_fill(made == 0, -torch.inf)


class WeakMask(Attention):
    """-10 leaves a weight."""

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(four(mask) == 0, -10.0)


class Inverted(Core):
    """An attention_mask that hides where it is True."""

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(four(mask) != 0, -torch.inf)

    def forward(self, x, attention_mask=None):
        return self.attend(x, x, x, attention_mask)[0]


class PaddingShows(Core):
    """A key_padding_mask that shows where it is True."""

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(mask[:, None, None, :] == 0, -torch.inf)

    def forward(self, query, key, value, key_padding_mask=None):
        return self.attend(query, key, value, key_padding_mask)


class AddedInSilence(Attention):
    """A mask of True and False is added as 1 and 0."""

    def hide(self, scores, mask):
        return scores if mask is None else scores + four(mask)


class WithoutKeyNaN(Attention):
    def weigh(self, scores):
        return scores.softmax(-1)


class WithoutKeyEven(Attention):
    """All hidden scores are equal, so that all keys get the same."""

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(four(mask) == 0, torch.finfo(scores.dtype).min)


class WithoutKeyRefused(Attention):
    def hide(self, scores, mask):
        if mask is not None and not mask.bool().any(-1).all():
            raise ValueError("a query has no key")
        return super().hide(scores, mask)


class ReachesWrongHeads(Attention):
    """(batch, L, L) is broadcast against the heads."""

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(mask == 0, -torch.inf)


class OverQueries(Attention):
    def weigh(self, scores):
        return scores.softmax(-2).nan_to_num()


class OverHeads(Attention):
    def weigh(self, scores):
        return scores.softmax(1).nan_to_num()


class ScaledAfter(Attention):
    def weigh(self, scores):
        return 2 * super().weigh(scores)


class NoScale(Attention):
    def scores(self, q, k):
        return q @ k.transpose(-2, -1)


class ScaledTwice(Attention):
    def scores(self, q, k):
        return super().scores(q, k) / math.sqrt(self.d_k)


class NotMerged(Attention):
    """The heads are not brought beside one another before they are laid flat."""

    def merge(self, head_output):
        return self.w_o(head_output.transpose(1, 2).transpose(2, 3).flatten(2))


class MergedFlat(SelfAttention):
    """No transpose before the heads are laid flat."""

    def merge(self, head_output):
        return self.w_o(head_output.reshape(len(head_output), head_output.shape[2], -1))


class MergedFlatOfThree(Attention):
    """The same, with queries of its own."""

    def merge(self, head_output):
        return self.w_o(head_output.reshape(len(head_output), head_output.shape[2], -1))


class SplitFlat(nn.Module):
    """No transpose at the split; and at the merge, if there is none either."""

    transposed = True

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, mask=None):
        return self.attend(x, x, mask)

    def attend(self, x, other, mask):
        three = ((self.w_q, x), (self.w_k, other), (self.w_v, other))
        q, k, v = (w(one).view(len(one), self.n_heads, one.shape[1], -1) for w, one in three)
        head_output = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.w_o((head_output.transpose(1, 2) if self.transposed else head_output).reshape(x.shape))


class SplitAndMergedFlat(SplitFlat):
    transposed = False


class SplitFlatOfTwo(SplitFlat):
    def forward(self, query, context, mask=None):  # type: ignore[override]
        return self.attend(query, context, mask)


class CausalMergedFlat(SelfAttention):
    """Its later tokens seem to be read, for tokens are mixed."""

    def scores(self, q, k):
        later = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device).triu(1)
        return super().scores(q, k).masked_fill(later, -torch.inf)

    def merge(self, head_output):
        return self.w_o(head_output.reshape(len(head_output), head_output.shape[2], -1))


class OverQueriesUnmasked(OverQueries):
    """Rows do not sum to 1, and a hidden key leaves NaN."""

    def weigh(self, scores):
        return scores.softmax(-2)


class WideValues(nn.Module):
    """Values twice as wide as keys: no mistake, but nothing to compare with."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.w_q, self.w_k, self.w_v = (
            nn.Linear(d_model, d_model),
            nn.Linear(d_model, d_model),
            nn.Linear(d_model, 2 * d_model),
        )
        self.w_o = nn.Linear(2 * d_model, d_model)

    def forward(self, x):
        q, k, v = (heads_of(w(x), self.n_heads) for w in (self.w_q, self.w_k, self.w_v))
        return self.w_o(functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class RefusesWidths(Attention):
    """Its heads must divide d_model, and there is no argument beside these."""

    def __init__(self, d_model, n_heads):
        if d_model % n_heads:
            raise ValueError("d_model")
        super().__init__(d_model, n_heads)


class Detached(Attention):
    def merge(self, head_output):
        with torch.no_grad():
            merged = super().merge(head_output)
        return merged + 0 * head_output.sum()


class KeysDetached(Attention):
    def scores(self, q, k):
        return super().scores(q, k.detach())


class TooLargeForHalf(Attention):
    """-1e9 does not fit into float16. (Rows without a key are set to 0.)"""

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(four(mask) == 0, -1e9)

    def weigh(self, scores):
        return scores.softmax(-1).masked_fill((scores <= -1e9).all(-1, keepdim=True), 0.0)


class OverflowsInHalf(Attention):
    """Scores beyond 65,504 on the way."""

    def scores(self, q, k):
        return (1e6 * q @ k.transpose(-2, -1)) / (1e6 * math.sqrt(self.d_k))


class FixedDtype(Attention):
    """A tensor of float32 meets the weights."""

    def merge(self, head_output):
        return self.w_o((head_output * torch.ones(1, 1, 1, self.d_k)).transpose(1, 2).flatten(2))


class FixedDevice(Attention):
    """A tensor that is no buffer stays where it was made."""

    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__(d_model, n_heads, dropout)
        self.ones = torch.ones(1, 1, 16, 16, dtype=torch.bool)

    def scores(self, q, k):
        hidden = ~self.ones[:, :, : q.shape[2], : k.shape[2]]
        return super().scores(q, k).masked_fill(hidden, -torch.inf)


class AlwaysDrops(Attention):
    def weigh(self, scores):
        return functional.dropout(super().weigh(scores), 0.2)


class OtherInTraining(Attention):
    def scores(self, q, k):
        return super().scores(q, k) * (0.5 if self.training else 1.0)


class FixedLength(Attention):
    """A bias for ten keys, and no more."""

    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__(d_model, n_heads, dropout)
        self.bias = nn.Buffer(torch.zeros(10, 10))

    def scores(self, q, k):
        rows = torch.arange(q.shape[2], device=q.device)
        return super().scores(q, k) + self.bias[rows][:, : k.shape[2]]


class ScoresNormed(Attention):
    """A LayerNorm on the scores, as wide as the vectors."""

    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__(d_model, n_heads, dropout)
        self.norm = nn.LayerNorm(d_model)

    def scores(self, q, k):
        return self.norm(super().scores(q, k))


class OtherWidth(Attention):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__(d_model, n_heads, dropout)
        self.w_o = nn.Linear(d_model, 2 * d_model)


class MixesSamples(SelfAttention):
    """view where a transpose was meant: samples are mixed."""

    def forward(self, x, attn_mask=None):
        output = super().forward(x, attn_mask)
        return output + output.mean(0, keepdim=True)


class HeadsLeft(nn.Module):
    """Returns the heads unmerged."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.w = n_heads, nn.Linear(d_model, d_model)

    def forward(self, x):
        q = heads_of(self.w(x), self.n_heads)
        return functional.scaled_dot_product_attention(q, q, q)


class NoModule:
    """No torch.nn.Module."""
