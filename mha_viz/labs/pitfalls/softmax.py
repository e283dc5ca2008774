"""A softmax that does not subtract the row's maximum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mha_viz.labs.options import Options, one_of
from mha_viz.labs.pitfalls.base import Told, Trial, claimed, right
from mha_viz.labs.pitfalls.three import three

DTYPES = {"float32": torch.float32, "float16": torch.float16}
CLAIMS, WAYS = ("written", "changes"), ("up", "down")
#: Scores of a row below its largest one: every row tried is these, moved by one number, which a softmax must not notice.
BELOW = (0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0)
#: The largest score of each row that is tried.
TOPS = {
    ("float32", "up"): (1.0, 20.0, 60.0, 80.0, 87.0, 88.0, 88.7, 89.0, 90.0, 100.0),
    ("float32", "down"): (-1.0, -20.0, -60.0, -80.0, -96.0, -98.0, -100.0, -102.0, -104.0, -110.0),
    ("float16", "up"): (1.0, 4.0, 6.0, 8.0, 10.0, 10.5, 11.0, 11.5, 12.0, 20.0),
    ("float16", "down"): (-1.0, -4.0, -8.0, -10.0, -12.0, -14.0, -16.0, -17.0, -18.0, -25.0),
}
#: Errors of a weight that rounding alone explains.
ROUNDING = {"float32": 1e-5, "float16": 1e-3}
#: Rows of usual scores and their keys; as many rows and keys are drawn.
N_ROWS, N_KEYS, SHOWN = 1_000, 64, 12


@dataclass(frozen=True)
class SoftmaxOptions(Options):
    """What is claimed; the kind of number, and whether the scores move up or down."""

    claim: str = one_of("written", *CLAIMS)
    dtype: str = one_of("float32", *DTYPES)
    way: str = one_of("up", *WAYS)


CASES = (
    SoftmaxOptions(),
    SoftmaxOptions(dtype="float16"),
    SoftmaxOptions(way="down"),
    SoftmaxOptions(claim="changes"),
)


def softmax_as_written(scores: Tensor) -> Tensor:
    """The formula, (..., key)."""
    raised = scores.exp()
    return raised / raised.sum(-1, keepdim=True)


def softmax_below_maximum(scores: Tensor) -> Tensor:
    """The same with the row's largest score subtracted."""
    raised = (scores - scores.amax(-1, keepdim=True)).exp()
    return raised / raised.sum(-1, keepdim=True)


def try_it(options: SoftmaxOptions) -> Trial:
    """The formula as it is written, or what subtracting the maximum changes."""
    return _written(options) if options.claim == "written" else _changes()


def limit(dtype: torch.dtype, way: str) -> float:
    """The largest x whose exp(x) is finite ("up"), or the smallest whose exp(x) is not 0 ("down"), found by halving."""
    good, bad = 0.0, 200.0 if way == "up" else -200.0
    for _ in range(60):
        middle = (good + bad) / 2
        raised = float(torch.tensor(middle, dtype=dtype).exp())
        good, bad = (middle, bad) if 0 < raised < math.inf else (good, middle)
    return float(torch.tensor(good, dtype=dtype))


def _written(options: SoftmaxOptions) -> Trial:
    """Rows that differ by a constant alone."""
    dtype = DTYPES[options.dtype]
    tops = TOPS[options.dtype, options.way]
    scores = torch.tensor(tops, dtype=torch.float64)[:, None] + torch.tensor(BELOW, dtype=torch.float64)
    told, ours = softmax_as_written(scores.to(dtype)), softmax_below_maximum(scores.to(dtype))
    exact = scores.to(dtype).double().softmax(-1)
    rows = [_row(top, *parts) for top, *parts in zip(tops, told.double(), ours.double(), exact, strict=True)]
    broken = [row for row in rows if row["error"] is None or row["error"] > ROUNDING[options.dtype]]
    values: dict[str, Any] = {"dtype": options.dtype, "limit": limit(dtype, options.way), "rows": len(rows)}
    values |= {"nan": sum(row["nan"] > 0 for row in rows), "broken": len(broken)}
    values |= {"first": broken[0]["top"] if broken else 0.0, "error": max(row["ours"] for row in rows)}
    which = "sound" if not broken else options.way
    claims = {"up": "pitfalls.softmax.written.claim", "down": "pitfalls.softmax.written.claim_down"}
    verdicts = {
        "sound": "pitfalls.softmax.written.sound",
        "up": "pitfalls.softmax.written.up",
        "down": "pitfalls.softmax.written.down",
    }
    return Trial(
        claim=Told(claims[options.way], {"dtype": options.dtype}),
        outcome="false" if broken else "holds",
        verdict=Told(verdicts[which], values),
        instead=Told("pitfalls.softmax.instead"),
        code=(claimed(softmax_as_written), right(softmax_below_maximum)),
        found={"rows": rows, "told": _map(told), "ours": _map(ours)},
        answers=_answers(tops[-1]),
    )


def _row(top: float, told: Tensor, ours: Tensor, exact: Tensor) -> dict[str, Any]:
    error = float((told - exact).abs().max())
    return {
        "top": top,
        "nan": int(told.isnan().sum()),
        "zeros": int((told == 0).sum()),
        "error": error if math.isfinite(error) else None,
        "ours": float((ours - exact).abs().max()),
    }


def _map(weights: Tensor) -> Any:
    """(row, key); a row with a number that is none has none at all."""
    drawn = weights.double().numpy().copy()
    drawn[np.isnan(drawn).any(axis=-1)] = np.nan
    return drawn


def _answers(top: float) -> Any:
    """Attention with scores around ``top`` by three."""
    query = np.ones((1, len(BELOW), 1))
    key = np.array(BELOW)[None, :, None] + top
    return three(query, key, np.eye(len(BELOW))[None], scale=1.0)


def _changes() -> Trial:
    """Both on rows of usual scores, in float64."""
    draw = torch.Generator().manual_seed(0)
    scores = torch.randn(N_ROWS, N_KEYS, generator=draw, dtype=torch.float64) * 3
    told, ours = softmax_as_written(scores), softmax_below_maximum(scores)
    difference = float((told - ours).abs().max())
    same = difference < 1e-12
    values = {"difference": difference, "rows": N_ROWS, "keys": N_KEYS}
    n = SHOWN
    return Trial(
        claim=Told("pitfalls.softmax.changes.claim"),
        outcome="false" if same else "holds",
        verdict=Told("pitfalls.softmax.changes.same" if same else "pitfalls.softmax.changes.other", values),
        instead=Told("pitfalls.softmax.instead"),
        code=(claimed(softmax_as_written), right(softmax_below_maximum)),
        found={"told": told[:n, :n].numpy(), "ours": ours[:n, :n].numpy()},
        answers=three(scores[None, :n].numpy(), np.eye(N_KEYS)[None], np.eye(N_KEYS)[None], scale=1.0),
    )
