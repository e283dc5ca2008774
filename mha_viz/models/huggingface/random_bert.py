"""A BERT of random weights, made here without any file: what transformers does with a sequence of which nothing may be seen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from transformers import BertConfig, BertModel

N_TOKENS, N_HEADS, D_MODEL = 5, 2, 32
_VOCABULARY = 30


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


def unseen(implementation: str, seed: int = 0) -> Unseen:
    """Runs a batch of two: all of the first may be seen, nothing of the second, which is returned.

    Args:
        implementation: of transformers' attention: "eager", "sdpa".
        seed: of weights and tokens, the same for every implementation.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = BertModel(
            BertConfig(
                vocab_size=_VOCABULARY,
                hidden_size=D_MODEL,
                num_hidden_layers=2,
                num_attention_heads=N_HEADS,
                intermediate_size=2 * D_MODEL,
                max_position_embeddings=16,
                attn_implementation=implementation,  # type: ignore[call-arg]
            )
        )
        network.eval()  # type: ignore[no-untyped-call]
        ids = torch.randint(0, _VOCABULARY, (2, N_TOKENS))
    some = torch.tensor([[1] * N_TOKENS, [0] * N_TOKENS])
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
