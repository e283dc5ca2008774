"""A mask of a batch without an axis for the heads; and a compound mask, built right."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from mha_viz.arrays import BoolArray
from mha_viz.labs.pitfalls.base import Outcome, Told, Trial, claimed, right
from mha_viz.labs.pitfalls.masks_judged import first_line
from mha_viz.labs.pitfalls.three import three
from mha_viz.masks import Causal, LocalWindow, visible_cells
from mha_viz.tokens import TokenSequence

HEADS, N_TOKENS, D_K, MOST_BATCH = 2, 9, 8, 4
#: Padding at the end of each sample.
PADS = (1, 4, 2, 0)
#: Of the compound mask: tokens, and how far a query looks back, half of a window of 4.
LONG, RADIUS = 12, 2
NOTHING = 1e-9


def without_heads(scores: Tensor, visible: Tensor) -> Tensor:
    """Scores (batch, head, query, key), mask (batch, query, key)."""
    return scores.masked_fill(~visible, -math.inf).softmax(-1)


def for_every_head(scores: Tensor, visible: Tensor) -> Tensor:
    """The same with an axis for the heads."""
    return scores.masked_fill(~visible[:, None], -math.inf).softmax(-1)


def batch(n_samples: int) -> Trial:
    """A batch whose samples have different padding, in a layer of two heads."""
    draw = torch.Generator().manual_seed(0)
    query, key, value = (
        torch.randn(n_samples, HEADS, N_TOKENS, D_K, generator=draw, dtype=torch.float64) for _ in range(3)
    )
    scores = query @ key.mT / math.sqrt(D_K)
    words = N_TOKENS - torch.tensor(PADS[:n_samples])
    visible = (torch.arange(N_TOKENS) < words[:, None])[:, None].expand(-1, N_TOKENS, -1)
    right_ones = for_every_head(scores, visible)
    values: dict[str, int | float | str] = {"batch": n_samples, "heads": HEADS}
    sample, head, told = 0, 0, None
    try:
        weights = without_heads(scores, visible)
        on_pads = torch.where(visible[:, None], 0.0, weights).sum(-1).mean(-1)  # (sample, head)
        sample, head = divmod(int(on_pads.argmax()), HEADS)
        told = weights[sample, head].numpy()
        leak = float(on_pads.max())
        values |= {"sample": sample, "head": head, "leak": leak}
        silent = leak > NOTHING
        verdict = Told("pitfalls.masks.batch.wrong" if silent else "pitfalls.masks.batch.right", values)
        outcome: Outcome = "false" if silent else "holds"
    except RuntimeError as problem:
        outcome, verdict = "false", Told("pitfalls.masks.batch.raises", values | {"error": first_line(problem)})
    return Trial(
        claim=Told("pitfalls.masks.batch.claim", {"batch": n_samples, "heads": HEADS}),
        outcome=outcome,
        verdict=verdict,
        instead=Told("pitfalls.masks.batch.instead"),
        code=(claimed(without_heads), right(for_every_head)),
        found={"told": told, "right": right_ones[sample, head].numpy(), "visible": visible[sample].numpy()},
        answers=three(query[sample].numpy(), key[sample].numpy(), value[sample].numpy(), visible[sample].numpy()),
    )


def three_matrices(scores: Tensor, tokens: TokenSequence) -> Tensor:
    """Causal, window and padding as matrices of 0 and -inf, added up."""
    place = torch.arange(tokens.n_tokens)
    back = place[:, None] - place
    causal = torch.where(back < 0, -math.inf, 0.0)
    window = torch.where(back > RADIUS, -math.inf, 0.0)
    padding = torch.where(torch.tensor(tokens.padding), -math.inf, 0.0)
    return (scores + causal + window + padding).softmax(-1)


def compound(tokens: TokenSequence) -> BoolArray:
    """What every query may see, with masks that are joined by "and"."""
    return visible_cells(tokens, Causal() & LocalWindow(RADIUS))


def joined(side: str, pads: int) -> Trial:
    """A causal window on a padded sequence: what its rows without a key become."""
    tokens = padded(side, pads)
    draw = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(1, LONG, D_K, generator=draw, dtype=torch.float64) for _ in range(3))
    scores = (query @ key.mT)[0] / math.sqrt(D_K)
    told, visible = three_matrices(scores, tokens), compound(tokens)
    answers = three(query.numpy(), key.numpy(), value.numpy(), visible)
    least = scores.masked_fill(~torch.from_numpy(visible), torch.finfo(scores.dtype).min).softmax(-1)
    broken, empty = int(told.isnan().any(-1).sum()), ~visible.any(-1)
    values: dict[str, int | float] = {"broken": broken, "empty": int(empty.sum()), "total": LONG}
    values |= {
        "words": int((empty & ~np.array(tokens.padding)).sum()),
        "even": float(least.numpy()[empty].max(initial=0.0)),
        "kernel": float(answers[1].weights[0][empty].max(initial=0.0)),
    }
    return Trial(
        claim=Told("pitfalls.masks.compound.claim"),
        outcome="false" if broken else "holds",
        verdict=Told(f"pitfalls.masks.compound.{'broken' if broken else 'whole'}", values),
        instead=Told("pitfalls.masks.compound.instead"),
        code=(claimed(three_matrices), right(compound)),
        found={
            "told": told.numpy(),
            "least": least.numpy(),
            "right": answers[1].weights[0],
            "visible": visible,
            "padding": list(tokens.padding),
        },
        answers=answers,
    )


def padded(side: str, pads: int) -> TokenSequence:
    """A sequence of twelve of which some are padding, on its left or right."""
    n = LONG
    first = 0 if side == "left" else n - pads
    padding = tuple(first <= place < first + pads for place in range(n))
    names = tuple("[PAD]" if pad else f"w{place}" for place, pad in enumerate(padding))
    return TokenSequence(
        text=" ".join(names),
        tokens=names,
        ids=tuple(range(n)),
        segment_ids=(0,) * n,
        special=padding,
        unknown=(False,) * n,
        word_ids=tuple(None if pad else place for place, pad in enumerate(padding)),
        surfaces=("",) * n,
        padding=padding,
    )
