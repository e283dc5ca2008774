"""Probes read from a TOML file: probes.toml beside this file, or one of the same form."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from importlib.resources import files
from typing import Any

from mha_viz.controls import HeadId
from mha_viz.errors import InputError
from mha_viz.probes.places import word_of
from mha_viz.probes.records import Claim, MarginClaim, MeaningClaim, MetricClaim, OffsetClaim, PairClaim, Probe

_CLAIMS: dict[str, type[Claim]] = {
    "pair": PairClaim,
    "margin": MarginClaim,
    "metric": MetricClaim,
    "offset": OffsetClaim,
    "meaning": MeaningClaim,
}
#: Fields of claims that are words.
_WORDS = frozenset({"query", "key", "other_query", "over", "word"})
#: What an entry has besides the fields of its claim.
_OWN = frozenset({"id", "kind", "claim", "sentence", "pair", "text", "source", "where", "model"})
_NEEDED = ("id", "kind", "claim", "sentence", "text", "source")


@cache
def all_probes() -> tuple[Probe, ...]:
    """The probes of this project."""
    return parse(files("mha_viz.probes").joinpath("probes.toml").read_text(encoding="utf-8"))


def parse(text: str) -> tuple[Probe, ...]:
    """Probes from the text of a file.

    Args:
        text: TOML with a table [sources], name to sentence, and one [[probe]] each; probes.toml says which fields there are.

    Raises:
        InputError: it cannot be read; a field is missing or there is none of that name; two probes have one id.
    """
    try:
        book = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError("error.probe_file", reason=error) from error
    probes = tuple(_probe(entry, book.get("sources", {})) for entry in book.get("probe", []))
    ids = [probe.id for probe in probes]
    for probe in probes:
        if ids.count(probe.id) > 1:
            raise InputError("error.probe_twice", id=probe.id)
    return probes


def _probe(entry: Mapping[str, Any], sources: Mapping[str, str]) -> Probe:
    name = str(entry.get("id", "?"))
    for field in _NEEDED:
        if not entry.get(field):
            raise InputError("error.probe_field", id=name, field=field)
    if entry["claim"] not in _CLAIMS:
        raise InputError("error.probe_claim", id=name, got=entry["claim"], allowed=", ".join(_CLAIMS))
    if entry["source"] not in sources:
        raise InputError("error.probe_source", id=name, got=entry["source"], allowed=", ".join(sources))
    kind = _CLAIMS[entry["claim"]]
    allowed = {field.name: field for field in fields(kind)}
    given = {field: value for field, value in entry.items() if field not in _OWN}
    for field in given:
        if field not in allowed:
            raise InputError("error.probe_unknown_field", id=name, got=field, allowed=", ".join(sorted(allowed)))
    for field, known in allowed.items():
        if field not in given and known.default is MISSING:
            raise InputError("error.probe_field", id=name, field=field)
    where = entry.get("where", "")
    return Probe(
        id=name,
        kind=entry["kind"],
        sentence=entry["sentence"],
        pair=entry.get("pair"),
        claim=kind(**{field: _value(name, field, value) for field, value in given.items()}),
        text=entry["text"],
        source=f"{sources[entry['source']]}{': ' if where else ''}{where}",
        model=entry.get("model"),
        published_head=given.get("head", ""),
    )


def _value(probe: str, field: str, value: Any) -> Any:
    if field == "keys":
        return tuple(word_of(word) for word in value)
    if field in _WORDS:
        return word_of(value)
    if field == "head":
        return _head(probe, value)
    return tuple(value) if isinstance(value, list) else value


def _head(probe: str, written: str) -> HeadId:
    """A head as papers write it: "8-11", layer and head from 1."""
    layer, _, head = str(written).partition("-")
    if not (layer.isdecimal() and head.isdecimal() and int(layer) > 0 and int(head) > 0):
        raise InputError("error.probe_head", id=probe, got=written)
    return HeadId(int(layer) - 1, int(head) - 1)
