"""What stands below a picture: whose heads they are, of which sentence, and what was changed inside the model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields

from mha_viz.analysis.reading import Shown
from mha_viz.controls import Controls, HeadId
from mha_viz.figures.labels import plain_sentence
from mha_viz.figures.theme import number
from mha_viz.masks import AllOf, AnyOf, Mask, Not, Painted
from mha_viz.trace import Reading
from mha_viz.version import NAME, VERSION
from mha_viz.words import say
from mha_viz.words.amounts import version_text

#: Characters of a sentence, and heads or layers that are named one by one.
_LONGEST, _MOST_NAMED = 160, 6


def caption_of(
    reading: Reading,
    *,
    layer: int | None = None,
    head: int | None = None,
    heads: Sequence[HeadId] = (),
    revision: str = "",
) -> list[str]:
    """The caption of a picture, sentence by sentence, as plain text.

    Args:
        reading: what the picture is drawn from.
        layer, head: what it shows: one head, all heads of a layer if ``head`` is None, all heads of all layers if both are.
        heads: several heads, of "lines"; () for none.
        revision: of the model, if it has one.
    """
    model = plain_sentence(reading.spec.name, _LONGEST)
    if revision:
        model = say("caption.model", name=model, revision=version_text(revision))
    told = [_shown(model, layer, head, heads), _sentence(reading), *_controls(reading.controls)]
    if isinstance(reading, Shown) and (reading.level, reading.specials) != ("pieces", "raw"):
        told.append(say(f"caption.read.{reading.level}.{reading.specials}"))
    return [*told, say("caption.made", name=NAME, version=VERSION)]


def _shown(model: str, layer: int | None, head: int | None, heads: Sequence[HeadId]) -> str:
    if heads:
        return say("caption.heads", heads=_named(map(str, heads)), model=model)
    if layer is None:
        return say("caption.all", model=model)
    if head is None:
        return say("caption.layer", layer=layer, model=model)
    return say("caption.head", head=HeadId(layer, head), model=model)


def _sentence(reading: Reading) -> str:
    tokens = reading.query_tokens
    first = plain_sentence(tokens.text, _LONGEST)
    if tokens.pair is None:
        return say("caption.text", text=first)
    return say("caption.pair", text=first, pair=plain_sentence(tokens.pair, _LONGEST))


def _controls(controls: Controls) -> list[str]:
    temperature = "∞" if math.isinf(controls.temperature) else number(controls.temperature)
    told = [say("caption.temperature", temperature=temperature)]
    mask = say("caption.no_mask") if controls.mask is None else mask_text(controls.mask)
    told.append(say("caption.mask", mask=mask))
    places = [("L", controls.layers), ("H", controls.heads)]
    where = [_named(f"{letter}{one}" for one in sorted(numbers)) for letter, numbers in places if numbers is not None]
    if where and controls != Controls(layers=controls.layers, heads=controls.heads):
        told.append(say("caption.where", where="; ".join(where)))
    for key, heads in (("caption.silenced", controls.silenced), ("caption.uniform", controls.uniform)):
        if heads:
            told.append(say(key, heads=_named(map(str, sorted(heads)))))
    return told


def mask_text(mask: Mask) -> str:
    """A mask in words, its numbers behind it."""
    if isinstance(mask, AllOf | AnyOf):
        between = say("caption.and" if isinstance(mask, AllOf) else "caption.or")
        return between.join(
            f"({mask_text(part)})" if isinstance(part, AllOf | AnyOf) else mask_text(part) for part in mask.masks
        )
    if isinstance(mask, Not):
        return say("caption.not", mask=mask_text(mask.mask))
    if isinstance(mask, Painted):
        return say("caption.painted", count=int(mask.hidden().sum()))
    values = ", ".join(f"{field.name} {getattr(mask, field.name)}" for field in fields(mask))
    title = say(f"mask.{mask.name}")
    return f"{title} ({values})" if values else title


def _named(names: Iterable[str]) -> str:
    listed = list(names)
    more = len(listed) - _MOST_NAMED
    first = ", ".join(listed[:_MOST_NAMED])
    return first if more <= 0 else say("caption.more", names=first, more=more)
