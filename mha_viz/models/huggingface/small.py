"""A small BERT with random weights, to try what transformers does with an argument. Nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from transformers import BertConfig, BertModel

#: Layers, heads, width, words and tokens at most.
N_LAYERS, N_HEADS, D_MODEL, N_WORDS, MAX_TOKENS = 2, 4, 32, 100, 64
#: Tokens of the sequence of which nothing may be seen.
N_UNSEEN = 5


class Unseen(NamedTuple):
    """A sequence whose mask is all zero.

    Attributes:
        head_output: (token, d_model), of all heads of layer 0 side by side.
        without_mask: the same where every token may be seen.
        values: (token, d_model), what the heads of layer 0 read from.
        last: (token, d_model), what the model gives.
    """

    head_output: torch.Tensor
    without_mask: torch.Tensor
    values: torch.Tensor
    last: torch.Tensor


def small_bert(attention: str, *, seed: int = 0) -> Any:
    """A BERT in eval mode and float32; equal seeds make equal ones.

    Args:
        attention: transformers' name of an implementation, "eager" or "sdpa".
        seed: of its weights.
    """
    config = BertConfig(
        vocab_size=N_WORDS,
        hidden_size=D_MODEL,
        num_hidden_layers=N_LAYERS,
        num_attention_heads=N_HEADS,
        intermediate_size=2 * D_MODEL,
        max_position_embeddings=MAX_TOKENS,
        initializer_range=0.3,  # large enough that heads read differently
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        bert: Any = BertModel(config, add_pooling_layer=False)
    bert.set_attn_implementation(attention)
    return bert.eval()


def unseen(attention: str) -> Unseen:
    """Runs a batch of two: all of the first may be seen, nothing of the second, which is returned.

    Args:
        attention: as for ``small_bert``; weights and tokens are the same for all.
    """
    network = small_bert(attention)
    ids = torch.randint(0, N_WORDS, (2, N_UNSEEN), generator=torch.Generator().manual_seed(0))
    some = torch.tensor([[1] * N_UNSEEN, [0] * N_UNSEEN])
    with torch.no_grad(), _listening(network) as heard:
        last = network(input_ids=ids, attention_mask=some).last_hidden_state
        network(input_ids=ids, attention_mask=torch.ones_like(some))
    head_output, without_mask = heard["self"]
    return Unseen(head_output[1], without_mask[1], heard["value"][0][1], last[1])


@contextmanager
def _listening(network: Any) -> Iterator[dict[str, list[torch.Tensor]]]:
    """What layer 0's attention and its W_V give, call by call."""
    attention = network.encoder.layer[0].attention.self
    heard: dict[str, list[torch.Tensor]] = {"self": [], "value": []}

    def remember(name: str) -> Any:
        return lambda module, given, gave: heard[name].append(gave[0] if isinstance(gave, tuple) else gave)

    hooks = [
        attention.register_forward_hook(remember("self")),
        attention.value.register_forward_hook(remember("value")),
    ]
    try:
        yield heard
    finally:
        for hook in hooks:
            hook.remove()
