"""All checks of one module, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch

from mha_viz.labs.examine.base import CHECKS, Finding, Trouble, failed, impossible, passed
from mha_viz.labs.examine.call import Subject, subject_of
from mha_viz.labs.examine.checks_masks import masks, no_key, polarity, tried_forms
from mha_viz.labs.examine.checks_numbers import device, gradients, precision, repeat, training
from mha_viz.labs.examine.checks_parity import parity
from mha_viz.labs.examine.checks_shapes import batch_heads, rows, shapes
from mha_viz.labs.examine.find import reason_of
from mha_viz.labs.examine.make import Made, heads, widths
from mha_viz.labs.examine.masking import Tried

#: The same random numbers within a module's own making and running.
_SEED = 0


def examine(make: Callable[[], Made]) -> Iterator[tuple[str, Finding | None]]:
    """Each check's name with None as it begins, then with its finding.

    Args:
        make: makes the module.
    """
    yield "called", None
    torch.manual_seed(_SEED)
    try:
        made = make()
        subject = subject_of(made.module, widths(made), heads(made))
    except Trouble as problem:
        yield "called", Finding("failed", problem.told, problem.todo)
        for check in CHECKS[1:]:
            yield check, impossible("examine.no.called")
        return
    yield "called", _called(subject, made)
    tried: list[Tried] = []
    for check in CHECKS[1:]:
        yield check, None
        yield check, _finding(check, subject, tried)


def _finding(check: str, subject: Subject, tried: list[Tried]) -> Finding:
    functions: dict[str, Callable[[Subject], Finding]] = {
        "shapes": shapes,
        "masks": partial(masks, tried=tried),
        "polarity": partial(polarity, tried=tried),
        "no_key": no_key,
        "batch_heads": batch_heads,
        "rows": rows,
        "parity": parity,
        "gradients": gradients,
        "float16": partial(precision, name="float16"),
        "bfloat16": partial(precision, name="bfloat16"),
        "device": device,
        "repeat": repeat,
        "training": training,
    }
    try:
        with torch.no_grad():
            if check == "masks":
                tried.extend(tried_forms(subject))
            return functions[check](subject)
    except Trouble as problem:
        return Finding("impossible", problem.told, problem.todo)
    except BaseException as problem:  # noqa: BLE001 - sys.exit within a person's own module, too
        return failed("examine.no.check", "examine.todo.check", reason=reason_of(problem))


def _called(subject: Subject, made: Made) -> Finding:
    """How it is made and called, as found out."""
    if not subject.mixes:
        return failed("examine.called.apart", "examine.todo.apart", d_model=subject.d_model)
    names = [f"{one}=" if isinstance(one, str) else "·" for one in subject.plan.inputs]
    key = "examine.called.batch_first" if subject.batch_first else "examine.called.length_first"
    if subject.causal:
        key = "examine.called.causal"
    return passed(
        key,
        made=f"({made.told})",
        call=f"forward({', '.join(names)})",
        d_model=subject.d_model,
        heads=str(subject.n_heads or "?"),
        masks=", ".join(subject.plan.masks) or "–",
    )
