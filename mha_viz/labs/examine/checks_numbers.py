"""Numbers: gradients that arrive, half precision, devices, and the same answer twice."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from mha_viz.labs.examine.base import Finding, failed, far, impossible, passed
from mha_viz.labs.examine.call import Subject, sample, sizes
from mha_viz.labs.examine.checks_shapes import ROUNDING, difference
from mha_viz.labs.examine.find import reason_of
from mha_viz.labs.examine.masking import OF_KEYS, best, written
from mha_viz.labs.examine.modes import Devices, as_in

#: What PyTorch says of an operation that a number format lacks.
_NOT_THERE = " ".join(("not", "implemented", "for"))
#: Relative differences that the rounding of a number format explains.
_TOLERANCE = {"float16": 0.02, "bfloat16": 0.1}
#: Of the ratios gradient to weight of a module's matrices, the smallest over the largest.
_VANISHED = 1e-6
_PARTS = "QKV"


def gradients(subject: Subject) -> Finding:
    """||gradient|| / ||weight|| of each matrix for a random target, from gradients set to zero before."""
    twin = subject.twin()
    twin.module.requires_grad_(True)
    twin.module.zero_grad(set_to_none=True)
    batch, n_tokens = sizes(subject.n_heads)
    x = sample(batch, n_tokens, subject.d_model, 4)
    with torch.enable_grad(), as_in(twin.module, training=True):
        try:
            output = twin.call(x).output
            loss = (output - sample(batch, n_tokens, output.shape[2], 5)).square().mean()
            if loss.requires_grad:
                torch.autograd.backward(loss)
        except Exception as problem:  # noqa: BLE001 - a person's own module
            return failed("examine.gradients.raises", "examine.todo.gradients", reason=reason_of(problem))
    ratios = _ratios(twin.module, subject.d_model)
    if not ratios:
        return impossible("examine.gradients.none")
    dead = [name for name, ratio in ratios.items() if ratio == 0.0]
    if dead:
        return failed("examine.gradients.dead", "examine.todo.gradients", names=", ".join(dead), n=len(dead))
    strange = [name for name, ratio in ratios.items() if ratio != ratio or ratio == float("inf")]
    if strange:
        return failed("examine.gradients.nan", "examine.todo.gradients_nan", names=", ".join(strange))
    least, most = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    values = {"least": far(ratios[least]), "least_name": least, "most": far(ratios[most]), "most_name": most}
    if ratios[least] < _VANISHED * ratios[most]:
        return failed("examine.gradients.vanished", "examine.todo.gradients", **values)
    return passed("examine.gradients.passed", n=len(ratios), **values)


def _ratios(module: nn.Module, d_model: int) -> dict[str, float]:
    """Of each matrix, and of each third of one that holds W_Q, W_K and W_V."""
    found: dict[str, float] = {}
    for name, one in module.named_parameters():
        if one.dim() < 2:
            continue
        grad = one.grad if one.grad is not None else torch.zeros_like(one)
        if one.shape == (3 * d_model, d_model):
            parts = zip(_PARTS, one.detach().chunk(3), grad.chunk(3), strict=True)
            found |= {f"{name} ({letter})": _ratio(weight, part) for letter, weight, part in parts}
        else:
            found[name] = _ratio(one.detach(), grad)
    return found


def _ratio(weight: Tensor, grad: Tensor) -> float:
    return float(grad.norm() / weight.norm().clamp_min(1e-12))


def _inputs(subject: Subject) -> tuple[Tensor, dict[str, Tensor]]:
    """Vectors, and a mask in a form that the module honours, if there is one."""
    batch, n_tokens = sizes(subject.n_heads)
    x, form = sample(batch, n_tokens, subject.d_model, 6), best(subject)
    if form is None:
        return x, {}
    visible = torch.ones(batch, n_tokens, n_tokens, dtype=torch.bool).tril()
    if form.shape in OF_KEYS:
        visible = torch.arange(n_tokens).expand(batch, n_tokens, n_tokens) < n_tokens - 1
    return x, {form.name: written(visible, form, subject.n_heads)}


def precision(subject: Subject, name: str) -> Finding:
    """The module and what it reads in half precision, with a mask if it takes one, against float32."""
    dtype: torch.dtype = getattr(torch, name)
    x, mask = _inputs(subject)
    wanted = subject.call(x, masks=mask).output
    twin = subject.twin()
    halved = {key: one.to(dtype) if one.is_floating_point() else one for key, one in mask.items()}
    try:
        twin.module.to(dtype)
        output = twin.call(x.to(dtype), masks=halved).output.float()
    except Exception as problem:  # noqa: BLE001 - a person's own module
        reason = reason_of(problem)
        if _NOT_THERE in reason:
            return impossible("examine.half.missing", dtype=name, reason=reason)
        return failed("examine.half.raises", "examine.todo.half", dtype=name, reason=reason)
    bad = int((~output.isfinite()).sum())
    if bad:
        return failed("examine.half.nan", "examine.todo.half", dtype=name, n=bad, all=output.numel())
    off = difference(output, wanted)
    if off > _TOLERANCE[name]:
        return failed("examine.half.far", "examine.todo.half", dtype=name, far=far(off), most=f"{_TOLERANCE[name]:g}")
    key = "examine.half.masked" if mask else "examine.half.passed"
    return passed(key, dtype=name, far=far(off))


def device(subject: Subject) -> Finding:
    """Everything the module makes or keeps must lie where its input does: on a GPU, or on PyTorch's device without numbers."""
    place = "cuda" if torch.cuda.is_available() else "meta"
    x, mask = _inputs(subject)
    twin = subject.twin()
    twin.module.to(place)
    without = _on(twin, x, {}, place)
    if without is not None:
        return without
    if mask:
        with_mask = _on(twin, x, mask, place)
        if with_mask is not None:
            return passed("examine.device.value", place=place) if with_mask.outcome == "impossible" else with_mask
    return passed("examine.device.cuda" if place == "cuda" else "examine.device.meta")


def _on(twin: Subject, x: Tensor, mask: dict[str, Tensor], place: str) -> Finding | None:
    """What went wrong there; None if nothing did."""
    watching = Devices()
    reason = ""
    try:
        with watching:
            twin.call(x.to(place), masks={name: one.to(place) for name, one in mask.items()})
    except Exception as problem:  # noqa: BLE001 - a person's own module
        reason = reason_of(problem)
    if watching.mixed is not None:
        operation, places = watching.mixed
        return failed("examine.device.mixed", "examine.todo.device", operation=operation, places=places)
    if not reason:
        return None
    if place == "meta" and "meta" in reason.lower():
        return impossible("examine.device.needs_value", reason=reason)
    return failed("examine.device.raises", "examine.todo.device", place=place, reason=reason)


def repeat(subject: Subject) -> Finding:
    """The same input twice in eval, with every dropout as the module has it."""
    x, mask = _inputs(subject)
    outputs = [subject.call(x, quiet=False, masks=mask).output for _ in range(3)]
    off = max(difference(one, outputs[0]) for one in outputs[1:])
    if off > 0:
        return failed("examine.repeat.failed", "examine.todo.repeat", far=far(off))
    return passed("examine.repeat.passed")


def training(subject: Subject) -> Finding:
    """With every dropout switched off, training and eval give the same; with it, they may differ."""
    x, mask = _inputs(subject)
    wanted = subject.call(x, masks=mask).output
    twin = subject.twin()
    with as_in(twin.module, training=True):
        off = difference(twin.call(x, masks=mask).output, wanted)
        dropped = difference(twin.call(x, quiet=False, masks=mask).output, wanted)
    if off > ROUNDING:
        return failed("examine.training.failed", "examine.todo.training", far=far(off))
    values: dict[str, Any] = {"far": far(off), "dropped": far(dropped)}
    return passed("examine.training.passed" if dropped > ROUNDING else "examine.training.no_dropout", **values)
