"""Parity: PyTorch's own module, given the weights, must give the same output."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mha_viz.labs.examine.base import Finding, failed, far, impossible, passed
from mha_viz.labs.examine.call import Subject, sample, sizes
from mha_viz.labs.examine.checks_shapes import difference
from mha_viz.labs.examine.find import reason_of
from mha_viz.labs.examine.mistakes import MISTAKES, Mistake, with_mistake
from mha_viz.labs.examine.projections import Projections, missing, projections
from mha_viz.spec import divisors

#: Differences that are rounding, in multiples of the largest output: of float64, with a constant such as sqrt(d_k) in float32.
ROUNDING = 1e-6
_AGREES = {
    "blocks": "examine.parity.blocks",
    "by_head": "examine.parity.by_head",
    "interleaved": "examine.parity.interleaved",
    "grouped": "examine.parity.grouped",
}


def parity(subject: Subject) -> Finding:
    """In float64, so that nothing else than the formula can differ."""
    known = subject.n_heads is not None
    counts = [subject.n_heads] if subject.n_heads is not None else list(divisors(subject.d_model))
    readings = [(n, one) for n in counts if subject.d_model % n == 0 for one in _readings(subject, n)]
    if not readings:
        return _not_found(subject)
    try:
        ours = _in_float64(subject)
    except Exception as problem:  # noqa: BLE001 - a person's own module
        return impossible("examine.parity.raises", reason=reason_of(problem))
    found = [(difference(ours, _theirs(subject, n, one)), n, one) for n, one in readings]
    far_off, n_heads, reading = min(found, key=lambda one: one[0])
    if far_off <= ROUNDING:
        values = {"n_kv": reading.n_kv} if reading.n_kv else {}
        return passed(_AGREES[reading.layout], far=far(far_off), n=n_heads, names=reading.names, **values)
    made = _mistake(subject, ours, readings)
    if made is not None:
        mistake, n = made
        return failed(mistake.why, mistake.todo, far=far(far_off), d_k=subject.d_model // n)
    heads = str(n_heads) if known else f"{n_heads}?"
    return failed("examine.parity.failed", "examine.todo.parity", far=far(far_off), n=heads, names=reading.names)


def _not_found(subject: Subject) -> Finding:
    """Which projection is missing; or that all are there, in shapes that do not fit."""
    absent, names = missing(subject.module), _names(subject.module)
    if absent:
        return impossible("examine.parity.none", "examine.todo.parity_none", missing=", ".join(absent), names=names)
    values = {"n": subject.n_heads or "?", "d_model": subject.d_model, "names": names}
    return impossible("examine.parity.shapes", "examine.todo.parity_shapes", **values)


def _mistake(subject: Subject, ours: Tensor, readings: list[tuple[int, Projections]]) -> tuple[Mistake, int] | None:
    """A mistake with which the output is that of the module, and the number of heads.

    Whether a module is causal is not seen in its outputs where tokens are mixed, so both are tried.
    """
    query, other = _x(subject)
    causal = _later(query, other)
    masks = (None, causal) if subject.n_inputs == 1 else (None,)
    for mistake in MISTAKES:
        for n, one in readings:
            for hidden in masks:
                if difference(ours, with_mistake(mistake, one, n, query, other, hidden)) <= ROUNDING:
                    return mistake, n
    return None


def _later(query: Tensor, other: Tensor) -> Tensor:
    """(query, key): true where the key is later."""
    return torch.ones(query.shape[1], other.shape[1], dtype=torch.bool).triu(1)


def _readings(subject: Subject, n_heads: int) -> list[Projections]:
    return projections(subject.module, subject.d_model, n_heads)


def _names(module: nn.Module) -> str:
    """The parameters with their shapes, as far as a sentence holds them."""
    told = [f"{name} {tuple(one.shape)}" for name, one in module.named_parameters()]
    return ", ".join(told[:8]) + (" …" if len(told) > 8 else "") or "–"


def _x(subject: Subject) -> tuple[Tensor, Tensor]:
    batch, n_tokens = sizes(subject.n_heads)
    query, other = (sample(batch, n_tokens, subject.d_model, seed).double() for seed in (2, 3))
    return query, other if subject.n_inputs > 1 else query


def _in_float64(subject: Subject) -> Tensor:
    twin = subject.twin()
    twin.module.double()
    return twin.call(*_x(subject)).output


def _theirs(subject: Subject, n_heads: int, given: Projections) -> Tensor:
    """PyTorch's."""
    theirs = nn.MultiheadAttention(subject.d_model, n_heads, batch_first=True, dtype=torch.float64).eval()
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([given.query, given.key, given.value]))
        theirs.in_proj_bias.copy_(torch.cat(given.biases[:3]))
        theirs.out_proj.weight.copy_(given.output)
        theirs.out_proj.bias.copy_(given.biases[3])
        query, other = _x(subject)
        hidden = _later(query, other) if subject.causal else None
        output: Tensor = theirs(query, other, other, attn_mask=hidden, need_weights=False)[0]
    return output
