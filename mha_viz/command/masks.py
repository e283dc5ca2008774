"""Masks and heads as they are written in a command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields

from mha_viz.controls import HeadId
from mha_viz.errors import InputError
from mha_viz.masks import MASKS, AllOf, AnyOf, Mask, joined

_HEAD = re.compile(r"L(\d{1,4}) ?H(\d{1,4})", re.IGNORECASE)
_PARAMETER = re.compile(r"(?:([a-z_]+)=)?(\d{1,10}|[A-Za-z0-9_-]+)")


def read_mask(text: str) -> Mask:
    """One mask: "causal", "window:2", "dilated:radius=2,step=3", or with "not-" before it.

    Raises:
        InputError: no such mask, or no such number of it.
    """
    turned = text.startswith("not-")
    name, _, values = text.removeprefix("not-").partition(":")
    if name not in MASKS:
        raise InputError("error.command_mask", got=text, allowed=", ".join(MASKS))
    mask = MASKS[name](**_parameters(name, values)) if values else MASKS[name]()
    return ~mask if turned else mask


def read_masks(texts: Sequence[str], join: str) -> Mask | None:
    """Several masks as one: a key must be visible in "all" of them, or in "any" one; None for none."""
    return joined([read_mask(text) for text in texts], AnyOf if join == "any" else AllOf)


def _parameters(name: str, text: str) -> dict[str, int | str]:
    """The numbers behind a mask's name, each with its own name or in their order."""
    known = [field.name for field in fields(MASKS[name])]
    found: dict[str, int | str] = {}
    for place, part in enumerate(text.split(",")):
        match = _PARAMETER.fullmatch(part.strip())
        at = (match[1] or (known[place] if place < len(known) else "")) if match else ""
        if match is None or at not in known or at in found:
            allowed = ", ".join(known) or "-"
            raise InputError("error.command_mask_value", got=part, mask=name, allowed=allowed)
        found[at] = match[2] if name == "painted" or not match[2].isdigit() else int(match[2])
    return found


def read_head(text: str) -> HeadId:
    """A head: "L3H7" or "L3 H7".

    Raises:
        InputError: it is none.
    """
    match = _HEAD.fullmatch(text.strip())
    if match is None:
        raise InputError("error.command_head", got=text)
    return HeadId(int(match[1]), int(match[2]))
