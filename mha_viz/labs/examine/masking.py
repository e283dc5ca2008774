"""Masks in every usual form, and which of them a module honours: a hidden key changes nothing, a visible one does."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from mha_viz.labs.examine.call import Form, Subject, changed, sample, sizes

#: Shapes that a mask can have; those of a sample first. "BL" and "B11L" hide keys from all queries.
SHAPES = ("B1LL", "BHLL", "BLL", "FLL", "LL", "11LL", "BL", "B11L")
#: Shapes without a place for a sample's own mask.
SHARED = ("LL", "11LL")
#: Shapes without a place for a query.
OF_KEYS = ("BL", "B11L")
VALUES = ("true_shows", "true_hides", "ones_show", "added", "ones_hide")
#: What a hidden key may change, in multiples of the largest output: rounding, no more.
ROUNDING = 1e-5
#: What a visible key must change.
_EFFECT = 1e-4


def written(visible: Tensor, form: Form, n_heads: int | None) -> Tensor:
    """A mask (batch, query, key), true where a query may look, in a form; its first sample or query where there is no place."""
    shaped = {
        "B1LL": lambda: visible[:, None],
        "BHLL": lambda: visible[:, None].expand(-1, n_heads or 1, -1, -1),
        "BLL": lambda: visible,
        "FLL": lambda: visible.repeat_interleave(n_heads or 1, dim=0),
        "LL": lambda: visible[0],
        "11LL": lambda: visible[:1, None],
        "BL": lambda: visible.all(dim=1),
        "B11L": lambda: visible.all(dim=1)[:, None, None],
    }[form.shape]()
    if form.values == "true_shows":
        return shaped
    if form.values == "true_hides":
        return ~shaped
    if form.values == "added":
        return torch.zeros(shaped.shape).masked_fill(~shaped, -math.inf)
    return (shaped if form.values == "ones_show" else ~shaped).float()


class Tried(NamedTuple):
    """A form that was tried.

    Attributes:
        form: which.
        leak: the largest change that a hidden key made, in multiples of the largest output; NaN if numbers were none.
        effect: the smallest change among the visible keys.
    """

    form: Form
    leak: float
    effect: float

    @property
    def honoured(self) -> bool:
        """Whether it hides what it should and nothing else."""
        return self.leak < ROUNDING and self.effect > _EFFECT


def hiding(subject: Subject, form: Form) -> tuple[Tensor, list[int]]:
    """A mask that hides one key, another one in every second sample if the form has a place for it, and which."""
    batch, n_tokens = sizes(subject.n_heads)
    keys = [1 if form.shape in SHARED else 1 + number % 2 for number in range(batch)]
    visible = torch.ones(batch, n_tokens, n_tokens, dtype=torch.bool)
    for number, key in enumerate(keys):
        visible[number, :, key] = False
    return visible, keys


def try_form(subject: Subject, form: Form) -> Tried | None:
    """How far a mask of that form hides; None where the module raises an error."""
    visible, keys = hiding(subject, form)
    batch, n_tokens = visible.shape[:2]
    x, mask = sample(batch, n_tokens, subject.d_model), {form.name: written(visible, form, subject.n_heads)}
    try:
        before = subject.call(x, masks=mask).output
        hidden, seen = x, x
        for number, key in enumerate(keys):
            hidden, seen = changed(hidden, (number, key)), changed(seen, (number, 0))
        leak = _moved(subject, before, keys, x, hidden, mask)
        effect = _moved(subject, before, [0] * batch, x, seen, mask)
    except Exception:  # noqa: BLE001 - whatever a module says to a mask that it does not take
        return None
    return Tried(form, float(leak.max()), float(effect.min()))


def _moved(subject: Subject, before: Tensor, keys: list[int], x: Tensor, other: Tensor, mask: dict[str, Any]) -> Tensor:
    """(batch,): the largest change among the queries that did not change themselves."""
    after = subject.call(x if subject.n_inputs > 1 else other, other, masks=mask).output
    moved = (after - before).abs().amax(dim=-1) / before.abs().max().clamp_min(1e-12)  # (batch, query)
    if subject.n_inputs == 1:
        for number, key in enumerate(keys):
            moved[number, key] = 0.0
    return moved.amax(dim=-1)


def forms(subject: Subject) -> list[Form]:
    """Every form for every argument of the module."""
    known = [shape for shape in SHAPES if subject.n_heads or shape not in ("BHLL", "FLL")]
    return [Form(name, shape, values) for name in subject.plan.masks for shape in known for values in VALUES]


def try_all(subject: Subject) -> list[Tried]:
    """Those that the module takes without an error."""
    with torch.no_grad():
        return [tried for form in forms(subject) if (tried := try_form(subject, form)) is not None]


def best(subject: Subject, *shapes: str) -> Form | None:
    """The first honoured form, of these shapes if any are given."""
    wanted = shapes or SHAPES
    return min(
        (form for form in subject.forms if form.shape in wanted),
        key=lambda form: wanted.index(form.shape),
        default=None,
    )
