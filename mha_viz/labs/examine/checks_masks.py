"""Masks: whether they hide, what True means, and what comes out where a query is left without a key."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from mha_viz.labs.examine.base import Finding, failed, far, impossible, passed
from mha_viz.labs.examine.call import Form, Subject, changed, sample, sizes
from mha_viz.labs.examine.checks_shapes import ROUNDING, difference, rows, shape_text
from mha_viz.labs.examine.find import reason_of
from mha_viz.labs.examine.masking import OF_KEYS, Tried, best, try_all, written

#: What PyTorch's and Hugging Face's documentation say of arguments of these names: whether True, or 1, shows.
_CONVENTIONS = {"key_padding_mask": False, "src_key_padding_mask": False, "attention_mask": True}
_SHOWS, _HIDES = ("true_shows", "ones_show"), ("true_hides", "ones_hide")


def masks(subject: Subject, tried: list[Tried]) -> Finding:
    """A key that a mask hides changes nothing, in at least one form of the mask."""
    if not subject.plan.masks:
        return impossible("examine.no.mask", "examine.todo.mask_none")
    if not tried:
        return impossible("examine.masks.refused", "examine.todo.masks_refused", name=", ".join(subject.plan.masks))
    if subject.forms:
        return passed("examine.masks.passed", n=len(subject.forms), forms=_told(subject.forms))
    leaks = [one.leak for one in tried if math.isfinite(one.leak) and one.effect > ROUNDING]
    if not leaks:
        return failed("examine.masks.numbers", _advice(subject), n=len(tried))
    return failed("examine.masks.failed", _advice(subject), n=len(tried), far=far(min(leaks)))


def _advice(subject: Subject) -> str:
    """What to do first: a mask cannot hide where the softmax runs over something else, or tokens are mixed without it."""
    try:
        if rows(subject).outcome == "failed":
            return "examine.todo.masks_rows"
        if _tokens_mixed(subject):
            return "examine.todo.masks_mixed"
    except Exception:  # noqa: BLE001 - a person's own module; the other checks tell it
        pass
    return "examine.todo.masks"


def _tokens_mixed(subject: Subject) -> bool:
    """Whether, without any mask, an output depends on another query, or on the order of all tokens."""
    if subject.causal:
        return False
    batch, n_tokens = sizes(subject.n_heads)
    x = sample(batch, n_tokens, subject.d_model)
    before = subject.call(x).output
    if subject.n_inputs > 1:
        after = subject.call(changed(x, (slice(None), 0)), x).output
        return difference(after[:, 1:], before[:, 1:]) > ROUNDING
    return difference(subject.call(x.flip(1)).output.flip(1), before) > ROUNDING


def _told(forms: list[Form]) -> str:
    """The shapes of each argument."""
    names: dict[str, list[str]] = {}
    for form in forms:
        names.setdefault(form.name, []).append(shape_text(form.shape))
    return "; ".join(f"{name} {', '.join(dict.fromkeys(shapes))}" for name, shapes in names.items())


def polarity(subject: Subject, tried: list[Tried]) -> Finding:
    """Whether True shows or hides, and whether that is what the argument's name promises."""
    if not subject.forms:
        return impossible("examine.no.mask_honoured" if subject.plan.masks else "examine.no.mask")
    meant: dict[str, list[str]] = {"shows": [], "hides": [], "added": []}
    for name in subject.plan.masks:
        values = {form.values for form in subject.forms if form.name == name}
        if not values:
            continue
        shows, hides = bool(values.intersection(_SHOWS)), bool(values.intersection(_HIDES))
        wanted = _CONVENTIONS.get(name.lower())
        if wanted is not None and (shows or hides) and not (shows if wanted else hides):
            key = "examine.polarity.hides_wrongly" if wanted else "examine.polarity.shows_wrongly"
            return failed(key, "examine.todo.polarity", name=name)
        if not values.intersection(("true_shows", "true_hides")) and any(
            one.form.name == name and one.form.values.startswith("true") for one in tried
        ):
            return failed("examine.polarity.silent", "examine.todo.silent", name=name)
        for meaning, found in (("shows", shows), ("hides", hides), ("added", "added" in values)):
            meant[meaning] += [name] if found else []
    told = {meaning: ", ".join(names) or "–" for meaning, names in meant.items()}
    return passed("examine.polarity.passed", **told)


def no_key(subject: Subject) -> Finding:
    """What a query without any key gets: nothing of what is hidden, and numbers."""
    form = best(subject)
    if form is None:
        return impossible("examine.no.mask_honoured" if subject.plan.masks else "examine.no.mask")
    batch, n_tokens = sizes(subject.n_heads)
    visible = torch.ones(batch, n_tokens, n_tokens, dtype=torch.bool)
    visible[0, 0 if form.shape not in OF_KEYS else slice(None)] = False
    x, mask = sample(batch, n_tokens, subject.d_model), {form.name: written(visible, form, subject.n_heads)}
    try:
        before = subject.call(x, masks=mask)
    except Exception as problem:  # noqa: BLE001 - a person's own module
        return failed("examine.no_key.raises", "examine.todo.no_key", reason=reason_of(problem))
    row = before.output[0, 0]
    if not row.isfinite().all():
        bad = int((~before.output.isfinite()).sum())
        return failed("examine.no_key.nan", "examine.todo.no_key", n=bad, all=before.output.numel())
    other = changed(x, (slice(None), slice(1, None)))
    after = subject.call(x if subject.n_inputs > 1 else other, other, masks=mask).output[0, 0]
    moved = difference(after, row)
    if moved <= ROUNDING:
        return passed("examine.no_key.passed")
    key = "examine.no_key.open" if _as_without(subject, x, row) else "examine.no_key.even"
    return failed(key, "examine.todo.no_key", far=far(moved))


def _as_without(subject: Subject, x: Tensor, row: Tensor) -> bool:
    """Whether the row is that of no mask at all."""
    without: Any = subject.call(x).output[0, 0]
    return difference(without, row) <= ROUNDING


def tried_forms(subject: Subject) -> list[Tried]:
    """Tries every form, and keeps those that are honoured with the module."""
    tried = try_all(subject)
    subject.forms = [one.form for one in tried if one.honoured]
    return tried
