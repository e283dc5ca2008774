"""LayerNorm on the scores before the softmax; QK-norm, which is right."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from mha_viz.arrays import FloatArray
from mha_viz.labs.options import Options, number, one_of, whole
from mha_viz.labs.pitfalls.base import Answer, Outcome, Told, Trial, claimed, right
from mha_viz.labs.pitfalls.three import three

#: Of a head, and of the layer that the LayerNorm is made for: its number of keys must be the same.
D_K, WIDTH = 64, 64
#: What the inputs are multiplied by, and the three that the verdict speaks of.
SIZES, TOLD_SIZES = (0.01, 0.1, 1.0, 3.0, 10.0, 30.0, 100.0), (1.0, 10.0, 100.0)
LENGTHS = (8, 16, 32, 64, 96, 128)
#: A large finite number that is written in place of -inf.
FINITE = -1e9
#: Shares of the entropy: less is an extreme softmax; smaller changes are none.
EXTREME, STEADY = 0.5, 0.01
_PLAIN, _NORMALISED, _QK = "plain", "told", "qk"


CLAIMS = ("extremes", "length", "mask", "finite")


@dataclass(frozen=True)
class NormOptions(Options):
    """What is claimed of a LayerNorm on the scores, with how many tokens, and the factor of QK-norm."""

    claim: str = one_of("extremes", *CLAIMS)
    tokens: int = whole(64, 2, 128)
    factor: float = number(16.0, 0.1, 100.0)


CASES = tuple(NormOptions(claim) for claim in CLAIMS)


def plain_softmax(query: Tensor, key: Tensor) -> Tensor:
    """(head, token, d_k) twice to weights, (head, query, key)."""
    return (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)


def norm_on_scores(query: Tensor, key: Tensor, norm: nn.Module) -> Tensor:
    """As told."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return norm(scores).softmax(-1)


def norm_on_masked_scores(query: Tensor, key: Tensor, norm: nn.Module, visible: Tensor, hidden: float) -> Tensor:
    """As told, with a mask: what may not be seen has the score ``hidden``."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~visible, hidden)
    return norm(scores).softmax(-1)


def norm_on_queries_and_keys(query: Tensor, key: Tensor, factor: float, visible: Tensor) -> Tensor:
    """QK-norm (Henry et al. 2020): vectors of length 1, and one factor that is learnt."""
    query = functional.normalize(query, dim=-1)
    key = functional.normalize(key, dim=-1)
    scores = (query @ key.transpose(-2, -1) * factor).masked_fill(~visible, -math.inf)
    return scores.softmax(-1)


def try_it(options: NormOptions) -> Trial:
    """What becomes of weights when their scores go through a LayerNorm."""
    tried: dict[str, Callable[[NormOptions], Trial]] = {
        "extremes": _extremes,
        "length": _length,
        "mask": _mask,
        "finite": _finite,
    }
    return tried[options.claim](options)


def _drawn(tokens: int) -> tuple[Tensor, Tensor]:
    """Queries and keys of independent numbers, (1, token, d_k) in float64: scores of variance 1."""
    draw = torch.Generator().manual_seed(0)
    query, key = (torch.randn(1, tokens, D_K, generator=draw, dtype=torch.float64) for _ in range(2))
    return query, key


def _norm(tokens: int) -> nn.LayerNorm:
    return nn.LayerNorm(tokens, dtype=torch.float64)


def _share(weights: Tensor) -> float:
    """Mean entropy of the rows, as a share of the largest that is possible."""
    return float(torch.special.entr(weights).sum(-1).mean()) / math.log(weights.shape[-1])


def _everywhere(tokens: int) -> Tensor:
    return torch.ones(tokens, tokens, dtype=torch.bool)


@torch.no_grad()
def _extremes(options: NormOptions) -> Trial:
    """Entropy against the size of queries and keys."""
    query, key = _drawn(options.tokens)
    norm, seen = _norm(options.tokens), _everywhere(options.tokens)
    shares: dict[str, list[float]] = {_PLAIN: [], _NORMALISED: [], _QK: []}
    for size in SIZES:
        shares[_PLAIN].append(_share(plain_softmax(query * size, key)))
        shares[_NORMALISED].append(_share(norm_on_scores(query * size, key, norm)))
        shares[_QK].append(_share(norm_on_queries_and_keys(query * size, key, options.factor, seen)))
    told = [shares[_NORMALISED][SIZES.index(size)] for size in TOLD_SIZES]
    spread = max(told) - min(told)
    values = dict(zip(("one", "ten", "hundred"), told, strict=True)) | {"plain": shares[_PLAIN][-1], "spread": spread}
    is_bounded, is_blind = min(told) > EXTREME, spread < STEADY
    outcome: Outcome = "false" if not is_bounded else "partly" if is_blind else "holds"
    verdicts = {
        "false": "pitfalls.norm.extremes.unbounded",
        "partly": "pitfalls.norm.extremes.blind",
        "holds": "pitfalls.norm.extremes.follows",
    }
    return Trial(
        claim=Told("pitfalls.norm.extremes.claim"),
        outcome=outcome,
        verdict=Told(verdicts[outcome], values),
        instead=Told("pitfalls.norm.instead"),
        code=(claimed(norm_on_scores), right(norm_on_queries_and_keys)),
        found={"sizes": list(SIZES), "shares": shares},
        answers=_answers(query, key, options.factor, None),
    )


@torch.no_grad()
def _length(options: NormOptions) -> Trial:
    """Which numbers of tokens a LayerNorm of a fixed width takes."""
    norm = _norm(WIDTH)
    shares: dict[str, list[float | None]] = {_PLAIN: [], _NORMALISED: [], _QK: []}
    for tokens in LENGTHS:
        query, key = _drawn(tokens)
        shares[_PLAIN].append(_share(plain_softmax(query, key)))
        shares[_QK].append(_share(norm_on_queries_and_keys(query, key, options.factor, _everywhere(tokens))))
        try:
            shares[_NORMALISED].append(_share(norm_on_scores(query, key, norm)))
        except RuntimeError:
            shares[_NORMALISED].append(None)
    ran = [tokens for tokens, share in zip(LENGTHS, shares[_NORMALISED], strict=True) if share is not None]
    works = len(ran) == len(LENGTHS)
    values = {"ran": len(ran), "tried": len(LENGTHS), "which": ", ".join(map(str, ran)), "width": WIDTH}
    return Trial(
        claim=Told("pitfalls.norm.length.claim"),
        outcome="holds" if works else "false",
        verdict=Told("pitfalls.norm.length.any" if works else "pitfalls.norm.length.one", values),
        instead=Told("pitfalls.norm.instead"),
        code=(claimed(norm_on_scores), right(norm_on_queries_and_keys)),
        found={"lengths": list(LENGTHS), "shares": shares},
        answers=_answers(query, key, options.factor, None),
    )


@torch.no_grad()
def _mask(options: NormOptions) -> Trial:
    """A causal mask of -inf before the LayerNorm."""
    told, kept, visible, answers = _masked(options, -math.inf)
    output = told @ torch.eye(options.tokens, dtype=torch.float64)
    lost, rows = float(output.isnan().double().mean()), int(told.isfinite().all(-1).sum())
    works = lost == 0
    values = {"lost": 100 * lost, "rows": rows, "tokens": options.tokens}
    return Trial(
        claim=Told("pitfalls.norm.mask.claim"),
        outcome="holds" if works else "false",
        verdict=Told("pitfalls.norm.mask.works" if works else "pitfalls.norm.mask.lost", values),
        instead=Told("pitfalls.norm.mask.instead"),
        code=(claimed(norm_on_masked_scores), right(norm_on_queries_and_keys)),
        found={"told": told[0].numpy(), "right": _hidden(kept, visible)},
        answers=answers,
    )


@torch.no_grad()
def _finite(options: NormOptions) -> Trial:
    """A causal mask of a large finite number before the LayerNorm: weight on what is hidden, and what is left of the scores."""
    told, kept, visible, answers = _masked(options, FINITE)
    leak = float(_leak(told, visible).mean())
    row = options.tokens // 2
    seen = told[0, row, : row + 1]
    ours = kept[0, row, : row + 1]
    values = {"leak": leak, "told": float(seen.max() / seen.min()), "ours": float(ours.max() / ours.min())}
    works = leak < 1e-6
    return Trial(
        claim=Told("pitfalls.norm.finite.claim"),
        outcome="holds" if works else "false",
        verdict=Told("pitfalls.norm.finite.works" if works else "pitfalls.norm.finite.leaks", values),
        instead=Told("pitfalls.norm.mask.instead"),
        code=(claimed(norm_on_masked_scores), right(norm_on_queries_and_keys)),
        found={"leaks": {"told": _leak(told, visible).tolist(), "qk": _leak(kept, visible).tolist()}},
        answers=answers,
    )


def _leak(weights: Tensor, visible: Tensor) -> Tensor:
    """(query,) the weight that goes to keys that are hidden."""
    return weights[0].masked_fill(visible, 0).sum(-1)


def _masked(options: NormOptions, hidden: float) -> tuple[Tensor, Tensor, Tensor, tuple[Answer, ...]]:
    """Weights as told and by QK-norm, (1, query, key), what a query may see, and three answers."""
    query, key = _drawn(options.tokens)
    visible = _everywhere(options.tokens).tril()
    told = norm_on_masked_scores(query, key, _norm(options.tokens), visible, hidden)
    kept = norm_on_queries_and_keys(query, key, options.factor, visible)
    return told, kept, visible, _answers(query, key, options.factor, visible)


def _hidden(weights: Tensor, visible: Tensor) -> FloatArray:
    """(query, key), NaN where a query may not see."""
    drawn: FloatArray = weights[0].masked_fill(~visible, math.nan).numpy()
    return drawn


def _answers(query: Tensor, key: Tensor, factor: float, visible: Tensor | None) -> tuple[Answer, ...]:
    """QK-norm by three, with the keys as values."""
    unit_query, unit_key = (functional.normalize(part, dim=-1).numpy() for part in (query, key))
    return three(unit_query, unit_key, key.numpy(), None if visible is None else visible.numpy(), scale=factor)
