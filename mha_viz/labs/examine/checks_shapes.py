"""Shapes and rows: any length and batch, each sample by itself, weights that are weights."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from mha_viz.labs.examine.base import Finding, failed, far, impossible, passed
from mha_viz.labs.examine.call import Form, Subject, sample, sizes
from mha_viz.labs.examine.find import reason_of
from mha_viz.labs.examine.masking import SHAPES, SHARED, best, written

_BATCHES, _LENGTHS = (1, 2, 3), (1, 2, 7, 16)
#: Queries and keys of a module that takes both.
_QUERIES, _KEYS = 3, 5
#: Differences of float32 that are rounding, in multiples of the largest output; of sums that should be 1.
ROUNDING, SUM_ROUNDING = 1e-4, 1e-3


def shapes(subject: Subject) -> Finding:
    """Several batches and lengths, queries and keys of different number, and each sample as it would be alone."""
    far_off = 0.0
    tried = [(batch, n, n) for batch in _BATCHES for n in _LENGTHS]
    tried += [(2, _QUERIES, _KEYS)] if subject.n_inputs > 1 else []
    for batch, n_queries, n_keys in tried:
        query, other = (sample(batch, n, subject.d_model, n) for n in (n_queries, n_keys))
        other = query if n_keys == n_queries else other
        try:
            output = subject.call(query, other).output
            alone = subject.call(query[:1], other[:1]).output
        except Exception as problem:  # noqa: BLE001 - a person's own module
            given = f"({batch}, {n_queries}, {subject.d_model})"
            given += f", ({batch}, {n_keys}, {subject.d_model})" if n_keys != n_queries else ""
            return failed("examine.shapes.raises", "examine.todo.shapes", given=given, reason=reason_of(problem))
        if not output.isfinite().all():
            return failed("examine.shapes.numbers", "examine.todo.shapes", batch=batch, n=n_queries)
        if output.shape[2] != subject.d_model:
            return failed("examine.shapes.width", "examine.todo.shapes", got=output.shape[2], d_model=subject.d_model)
        far_off = max(far_off, difference(output[:1], alone))
    if far_off > ROUNDING:
        return failed("examine.shapes.mixed", "examine.todo.mixed", far=far(far_off))
    key = "examine.shapes.both" if subject.n_inputs > 1 else "examine.shapes.passed"
    return passed(key, batches="1, 2, 3", lengths="1, 2, 7, 16")


def difference(one: Tensor, other: Tensor) -> float:
    """The largest one, in multiples of the largest number of ``other``; infinite where only one has a number."""
    if not torch.equal(one.isfinite(), other.isfinite()):
        return float("inf")
    gap = (one - other).nan_to_num().abs().max()
    return float(gap / other.nan_to_num().abs().max().clamp_min(1e-12))


def batch_heads(subject: Subject) -> Finding:
    """A batch as large as the number of heads, a mask for each sample: each must be as it is alone."""
    n_heads = subject.n_heads
    if n_heads is None or n_heads == 1:
        return impossible("examine.batch.unknown" if n_heads is None else "examine.batch.one")
    n_tokens = sizes(n_heads)[1]
    x = sample(n_heads, n_tokens, subject.d_model, 7)
    whole = subject.call(x).output
    alone = torch.cat([subject.call(x[i : i + 1]).output for i in range(n_heads)])
    if difference(whole, alone) > ROUNDING:
        return failed("examine.batch.mixed", "examine.todo.mixed", n=n_heads, far=far(difference(whole, alone)))
    form = best(subject)
    if form is None:
        return impossible("examine.no.mask_honoured" if subject.plan.masks else "examine.no.mask")
    tried = []
    for wrong, far_off in _each_form(subject, form, x):
        tried.append(wrong)
        if far_off > ROUNDING:
            values = {"name": wrong.name, "shape": shape_text(wrong.shape), "n": n_heads, "far": far(far_off)}
            return failed("examine.batch.wrong", "examine.todo.batch", **values)
    if not tried:
        return impossible("examine.batch.shared", name=form.name)
    names = ", ".join(dict.fromkeys(shape_text(one.shape) for one in tried))
    return passed("examine.batch.passed", n=n_heads, shapes=names)


def _each_form(subject: Subject, right: Form, x: Tensor) -> Iterator[tuple[Form, float]]:
    """Every shape with a mask a sample that the module takes at this batch, and how far a sample is from how it is alone."""
    batch, n_tokens = x.shape[:2]
    visible = torch.ones(batch, n_tokens, n_tokens, dtype=torch.bool)
    for number in range(batch):
        visible[number, :, 1 + number % (n_tokens - 1)] = False
    alone = []
    for number in range(batch):
        part = slice(number, number + 1)
        alone.append(subject.call(x[part], masks={right.name: written(visible[part], right, subject.n_heads)}).output)
    wanted = torch.cat(alone)
    for values in dict.fromkeys(form.values for form in subject.forms if form.name == right.name):
        for shape in (shape for shape in SHAPES if shape not in SHARED):
            form = Form(right.name, shape, values)
            try:
                output = subject.call(x, masks={form.name: written(visible, form, subject.n_heads)}).output
            except Exception:  # noqa: BLE001 - refused, as it should be where it does not fit
                continue
            yield form, difference(output, wanted)


def rows(subject: Subject) -> Finding:
    """Each query's weights sum to 1, none is negative."""
    batch, n_tokens = sizes(subject.n_heads)
    n_keys = n_tokens + 1 if subject.n_inputs > 1 else n_tokens
    query, other = sample(batch, n_tokens, subject.d_model), sample(batch, n_keys, subject.d_model, 1)
    try:
        answer = subject.call(query, other if subject.n_inputs > 1 else None)
    except Exception:  # noqa: BLE001 - other lengths for keys are the business of another check
        n_keys = n_tokens
        answer = subject.call(query)
    found = [one for one in answer.seen if one.dim() >= 3 and one.shape[-2:] == (n_tokens, n_keys)]
    returned = answer.weights is not None
    weights = answer.weights if answer.weights is not None else found[-1] if found else None
    if weights is None:
        return impossible("examine.rows.none", "examine.todo.rows_none")
    sums = weights.float().sum(dim=-1)
    values = {"least": f"{sums.min():.4f}", "most": f"{sums.max():.4f}"}
    if (sums - 1).abs().max() <= SUM_ROUNDING and weights.min() >= 0:
        key = "examine.rows.passed" if returned else "examine.rows.seen"
        return passed(key, shape=str(tuple(weights.shape)), **values)
    if (weights.float().sum(dim=-2) - 1).abs().max() <= SUM_ROUNDING:
        return failed("examine.rows.columns", "examine.todo.rows_axis", **values)
    if weights.dim() == 4 and (weights.float().sum(dim=1) - 1).abs().max() <= SUM_ROUNDING:
        return failed("examine.rows.heads", "examine.todo.rows_axis", **values)
    return failed("examine.rows.failed", "examine.todo.rows", **values)


def shape_text(shape: str) -> str:
    """A shape of a mask as it is written."""
    return {
        "B1LL": "(batch, 1, L, L)",
        "BHLL": f"({', '.join(('batch', 'heads', 'L', 'L'))})",
        "BLL": "(batch, L, L)",
        "FLL": "(batch × heads, L, L)",
        "LL": "(L, L)",
        "11LL": "(1, 1, L, L)",
        "BL": "(batch, L)",
        "B11L": "(batch, 1, 1, L)",
    }[shape]
