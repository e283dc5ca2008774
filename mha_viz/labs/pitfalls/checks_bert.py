"""What transformers does with two arguments: head_mask, and output_attentions under its default attention."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from mha_viz.labs.pitfalls.base import Told, Trial, claimed, right
from mha_viz.models.huggingface.small import MAX_TOKENS, N_HEADS, N_LAYERS, N_WORDS, small_bert

#: Differences below this are rounding, in float32.
ROUNDING = 1e-6
#: Tokens that are read.
N_TOKENS = 8


def by_argument(bert: Any, ids: Tensor, off: Sequence[int]) -> Tensor:
    """As told: heads of layer 0 switched off."""
    head_mask = torch.ones(N_LAYERS, N_HEADS)
    head_mask[0, list(off)] = 0.0
    return bert(ids, head_mask=head_mask).last_hidden_state


def before_output_matrix(bert: Any, ids: Tensor, off: Sequence[int]) -> Tensor:
    """With the columns of these heads set to 0 before W_O reads them."""
    dense = bert.encoder.layer[0].attention.output.dense
    keep = torch.ones(N_HEADS)
    keep[list(off)] = 0.0
    gate = keep.repeat_interleave(dense.in_features // N_HEADS)
    hook = dense.register_forward_pre_hook(lambda module, given: (given[0] * gate,))
    output = bert(ids).last_hidden_state
    hook.remove()
    return output


def maps_by_default(bert: Any, ids: Tensor) -> tuple[Tensor, ...]:
    """As told; a model is loaded with "sdpa" unless something else is asked for."""
    bert.set_attn_implementation("sdpa")
    return bert(ids, output_attentions=True).attentions or ()


def maps_by_eager(bert: Any, ids: Tensor) -> tuple[Tensor, ...]:
    """With attention that keeps its weights."""
    bert.set_attn_implementation("eager")
    return bert(ids, output_attentions=True).attentions or ()


def head_mask(n_off: int) -> Trial:
    """How far the output moves with 0 to all heads of layer 0 off, by the argument and by a hook."""
    bert, ids = small_bert("eager"), ids_of(N_TOKENS)
    counts = list(range(N_HEADS + 1))
    with torch.inference_mode():
        whole = bert(ids).last_hidden_state
        told, better = (
            [float((way(bert, ids, range(n)) - whole).abs().max()) for n in counts]
            for way in (by_argument, before_output_matrix)
        )
    idle = max(told) < ROUNDING
    values = {"off": n_off, "told": told[n_off], "right": better[n_off], "most": max(told), "version": _version()}
    return Trial(
        claim=Told("pitfalls.checks.head_mask.claim"),
        outcome="false" if idle else "holds",
        verdict=Told("pitfalls.checks.head_mask.idle" if idle else "pitfalls.checks.head_mask.acts", values),
        instead=Told("pitfalls.checks.head_mask.instead"),
        code=(claimed(by_argument), right(before_output_matrix)),
        found={"at": counts, "told": told, "right": better, "off": n_off},
    )


def maps(n_tokens: int) -> Trial:
    """How many layers' maps come back."""
    bert, ids = small_bert("sdpa"), ids_of(n_tokens)
    with torch.inference_mode():
        told = [layer for layer in maps_by_default(bert, ids) if layer is not None]
        better = maps_by_eager(bert, ids)
    there = len(told) == N_LAYERS
    values = {"got": len(told), "layers": N_LAYERS, "eager": len(better), "version": _version()}
    return Trial(
        claim=Told("pitfalls.checks.maps.claim"),
        outcome="holds" if there else "false",
        verdict=Told("pitfalls.checks.maps.there" if there else "pitfalls.checks.maps.none", values),
        instead=Told("pitfalls.checks.maps.instead"),
        code=(claimed(maps_by_default), right(maps_by_eager)),
        found={
            "told": told[0][0, 0].double().numpy() if told else None,
            "right": better[0][0, 0].double().numpy(),
            "tokens": [str(number) for number in ids[0].tolist()],
        },
    )


def ids_of(n_tokens: int) -> Tensor:
    """(1, token) of words."""
    draw = torch.Generator().manual_seed(0)
    return torch.randint(1, N_WORDS, (1, min(n_tokens, MAX_TOKENS)), generator=draw)


def _version() -> str:
    return importlib.metadata.version("transformers")
