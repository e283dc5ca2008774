"""Large negative numbers in the place of -inf: too large for float16, or too small to hide."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from mha_viz.labs.pitfalls.base import Outcome, Told, Trial, claimed, right
from mha_viz.labs.pitfalls.masks_judged import first_line, hide
from mha_viz.labs.pitfalls.three import three

N_TOKENS, D_K = 9, 16
#: The row of the query that may see no key.
DEAD = 2
#: Weights below this hide; ordinary weights are met to this in float32.
NOTHING, CLOSE = 1e-6, 1e-2

PRECISIONS = {"float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32}


def filled_with_1e9(scores: Tensor, visible: Tensor) -> Tensor:
    """-1e9 where a key is hidden."""
    return scores.masked_fill(~visible, -1e9).softmax(-1)


def added_1e4(scores: Tensor, visible: Tensor) -> Tensor:
    """-1e4 added where a key is hidden."""
    return (scores - 1e4 * (~visible).float()).softmax(-1)


def hidden_and_cleaned(scores: Tensor, visible: Tensor) -> Tensor:
    """-inf, and 0 where a row has no key."""
    weights = scores.masked_fill(~visible, -math.inf).softmax(-1)
    return weights.masked_fill(~visible.any(-1, keepdim=True), 0.0)


def half(precision: str) -> Trial:
    """-1e9 in a precision."""
    visible = torch.ones(N_TOKENS, N_TOKENS, dtype=torch.bool).tril()
    query, key, value = _drawn()
    scores = _scores(query, key).to(PRECISIONS[precision])
    right_ones = hide(scores, visible).double()
    values: dict[str, float | str] = {"precision": precision, "smallest": torch.finfo(scores.dtype).min}
    told = None
    try:
        told = filled_with_1e9(scores, visible).double()
        hidden = float(told[~visible].max())
        outcome: Outcome = "holds" if hidden < NOTHING else "false"
        verdict = Told("pitfalls.masks.half.runs", values | {"hidden": hidden})
    except RuntimeError as problem:
        outcome, verdict = "false", Told("pitfalls.masks.half.raises", values | {"error": first_line(problem)})
    return Trial(
        claim=Told("pitfalls.masks.half.claim"),
        outcome=outcome,
        verdict=verdict,
        instead=Told("pitfalls.masks.half.instead"),
        code=(claimed(filled_with_1e9), right(hide)),
        found={
            "told": None if told is None else told.numpy(),
            "right": right_ones.numpy(),
            "visible": visible.numpy(),
        },
        answers=three(query.numpy(), key.numpy(), value.numpy(), visible.numpy()),
    )


def weak(size: int) -> Trial:
    """-1e4 added to scores so many times as large, where one row has no key."""
    visible = torch.ones(N_TOKENS, N_TOKENS, dtype=torch.bool).tril()
    visible[DEAD] = False
    query, key, value = _drawn()
    query = query * size
    scores = _scores(query, key)
    told, right_ones = added_1e4(scores, visible), hidden_and_cleaned(scores, visible)
    hidden = ~visible & visible.any(-1, keepdim=True)
    leak = float(told[hidden].max())
    apart = float((told[DEAD] - scores.softmax(-1)[DEAD]).abs().max())
    bare = apart < CLOSE
    outcome: Outcome = "false" if leak > NOTHING else "partly" if bare else "holds"
    values = {"size": size, "leak": leak, "row": DEAD, "difference": apart}
    return Trial(
        claim=Told("pitfalls.masks.weak.claim", {"size": size}),
        outcome=outcome,
        verdict=Told(f"pitfalls.masks.weak.{'bare' if bare else 'kept'}", values),
        instead=Told("pitfalls.masks.weak.instead"),
        code=(claimed(added_1e4), right(hidden_and_cleaned)),
        found={
            "told": told.double().numpy(),
            "right": right_ones.double().numpy(),
            "visible": visible.numpy(),
        },
        answers=three(query.numpy(), key.numpy(), value.numpy(), visible.numpy()),
    )


def _drawn() -> list[Tensor]:
    """Query, key and value, (1, token, d_k), in float64."""
    draw = torch.Generator().manual_seed(1)
    return [torch.randn(1, N_TOKENS, D_K, generator=draw, dtype=torch.float64) for _ in range(3)]


def _scores(query: Tensor, key: Tensor) -> Tensor:
    """(query, key) in float32."""
    return (query @ key.mT / math.sqrt(D_K))[0].float()
