"""What every file of numbers says about itself, as JSON: format and version, model, sentence, controls, conditions, reading."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, fields
from typing import Any

from mha_viz.analysis.reading import Shown
from mha_viz.checks import Conditions
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.export.constructors import written
from mha_viz.masks import MASKS, AllOf, AnyOf, Mask, Not
from mha_viz.spec import ModelSpec
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace, Reading
from mha_viz.version import NAME, VERSION

#: Of the files; the number after the stroke grows when a reader of older ones would go wrong.
FORMAT = f"{NAME}/1"
AXES = ("layer", "head", "query", "key")
#: Masks within masks: more would stop whoever walks through them later.
_DEEPEST = 50
_JOINED = {kind.name: kind for kind in (AllOf, AnyOf)}


def about(reading: Reading, revision: str = "", *, tokens: bool = True) -> dict[str, Any]:
    """What is known of where some weights come from; plain values only, which JSON can hold.

    Args:
        reading: a run, or a reading of one.
        revision: of the model, if it has one.
        tokens: whether all that is known of each token goes along.
    """
    queries, keys = reading.query_tokens, reading.key_tokens
    told: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "axes": list(AXES),
        "shape": list(reading.weights.shape),
        "model": asdict(reading.spec),
        "revision": revision,
        "text": queries.text,
        "pair": queries.pair,
        "controls": controls_to_json(reading.controls),
        "controls_text": written(reading.controls),
        "conditions": asdict(reading.conditions) if isinstance(reading, AttentionTrace) else None,
        "reading": None,
    }
    if isinstance(reading, Shown):
        told["reading"] = {"level": reading.level, "specials": reading.specials, "groups": reading.groups}
    if tokens:
        told["query_tokens"] = asdict(queries)
        told["key_tokens"] = None if keys is queries or keys == queries else asdict(keys)
    return told


def as_text(told: dict[str, Any]) -> str:
    """JSON of ASCII alone: it holds any text, also one that is not valid Unicode, and no character that could be lost."""
    return json.dumps(told, ensure_ascii=True, allow_nan=False, default=int)


def controls_to_json(controls: Controls) -> dict[str, Any]:
    """Plain values; infinity is the text "inf", which JSON has no number for."""
    temperature = float(controls.temperature)
    return {
        "temperature": "inf" if math.isinf(temperature) else temperature,
        "mask": None if controls.mask is None else _mask_to_json(controls.mask),
        "layers": None if controls.layers is None else sorted(controls.layers),
        "heads": None if controls.heads is None else sorted(controls.heads),
        "silenced": sorted(map(list, controls.silenced)),
        "uniform": sorted(map(list, controls.uniform)),
    }


def controls_from_json(told: dict[str, Any]) -> Controls:
    """The other way round.

    Raises:
        KeyError, TypeError, ValueError, MhaVizError: it is none that ``controls_to_json`` made.
    """
    return Controls(
        temperature=float(told["temperature"]),
        mask=None if told["mask"] is None else _mask_from_json(told["mask"]),
        layers=None if told["layers"] is None else frozenset(map(int, told["layers"])),
        heads=None if told["heads"] is None else frozenset(map(int, told["heads"])),
        silenced=frozenset(HeadId(int(layer), int(head)) for layer, head in told["silenced"]),
        uniform=frozenset(HeadId(int(layer), int(head)) for layer, head in told["uniform"]),
    )


def _mask_to_json(mask: Mask) -> dict[str, Any]:
    if isinstance(mask, AllOf | AnyOf):
        return {"kind": mask.name, "masks": [_mask_to_json(part) for part in mask.masks]}
    if isinstance(mask, Not):
        return {"kind": mask.name, "mask": _mask_to_json(mask.mask)}
    return {"kind": mask.name, **asdict(mask)}


def _mask_from_json(told: dict[str, Any], depth: int = 0) -> Mask:
    if depth > _DEEPEST:
        raise InputError("error.npz_masks", most=_DEEPEST)
    kind, values = told["kind"], {name: value for name, value in told.items() if name != "kind"}
    if kind in _JOINED:
        return _JOINED[kind](tuple(_mask_from_json(part, depth + 1) for part in values["masks"]))
    if kind == Not.name:
        return Not(_mask_from_json(values["mask"], depth + 1))
    return MASKS[kind](**values)


def spec_from_json(told: dict[str, Any]) -> ModelSpec:
    """A model's spec.

    Raises:
        TypeError, MhaVizError: it is none that ``about`` wrote.
    """
    return ModelSpec(**_typed(told, name=str, n_layers=int, n_heads=int, d_model=int, max_tokens=int))


def conditions_from_json(told: dict[str, Any]) -> Conditions:
    """A run's conditions.

    Raises:
        TypeError: they are none that ``about`` wrote.
    """
    return Conditions(**_typed(told, device=str, device_name=str, dtype=str, seconds=(int, float)))


#: What each entry of a list of a sequence is.
_ENTRIES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("tokens", "surfaces"), (str,)),
    **dict.fromkeys(("ids", "segment_ids", "numbers"), (int,)),
    **dict.fromkeys(("special", "unknown", "padding"), (bool,)),
    "word_ids": (int, type(None)),
}


def tokens_from_json(told: dict[str, Any]) -> TokenSequence:
    """A sequence; JSON's lists become tuples again.

    Raises:
        TypeError, MhaVizError: it is none that ``about`` wrote.
    """
    known = {field.name for field in fields(TokenSequence)}
    parts: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in told.items() if name in known
    }
    wrong = [
        name
        for name, kinds in _ENTRIES.items()
        if name in parts and parts[name] is not None and not all(isinstance(entry, kinds) for entry in parts[name])
    ]
    if wrong:
        raise TypeError(wrong[0])
    return TokenSequence(**_typed(parts, text=str, pair=(str, type(None)), cut_from=(int, type(None))))


def _typed(told: dict[str, Any], **kinds: type | tuple[type, ...]) -> dict[str, Any]:
    """The same, if every value that is named is of its kind; else TypeError."""
    for name, kind in kinds.items():
        if name in told and not isinstance(told[name], kind):
            raise TypeError(name)
    return told
