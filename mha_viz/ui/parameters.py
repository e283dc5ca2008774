"""What a session shows: every parameter of the view, its default, and how it is written in a link."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from mha_viz.analysis.importance import HOWS, METHODS
from mha_viz.analysis.patterns import PATTERNS, Sizes
from mha_viz.analysis.reading import LEVELS, SPECIALS
from mha_viz.edits import parse
from mha_viz.errors import InputError
from mha_viz.figures.colour import PALETTES, SCALES
from mha_viz.labs.lsh import BUCKETS, ROUNDS
from mha_viz.labs.pitfalls.registry import PITFALLS
from mha_viz.labs.plans import SUBJECTS
from mha_viz.masks import MASKS, Mask
from mha_viz.masks.grid import LARGEST
from mha_viz.metrics import METRICS
from mha_viz.models import SOURCES
from mha_viz.models.place import DTYPES, Place
from mha_viz.models.toy.options import LARGEST_D_MODEL, SMALLEST_D_MODEL
from mha_viz.splitting.records import STEPS
from mha_viz.ui import page_views as views
from mha_viz.words import say

#: The source that is no model but a file of weights.
OWN = "own"
#: Characters of a held view's link.
MOST_HELD = 4_000
#: Steps of the temperature slider; a link may hold any other.
TEMPERATURES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, math.inf)


@dataclass(frozen=True)
class Parameter:
    """One thing that defines the view.

    Attributes:
        default: its value when the link says nothing.
        read: text of the link to value; raises ValueError for what is not allowed.
        write: value to text of the link.
    """

    default: Any
    read: Callable[[str], Any]
    write: Callable[[Any], str] = str


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return read


def _one_of(*allowed: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(text)
        return text

    return read


def _whole_of(*allowed: int) -> Callable[[str], int]:
    return lambda text: int(_one_of(*map(str, allowed))(text))


def _temperature(text: str) -> float:
    number = float(text)
    if not number >= 0:
        raise ValueError(text)
    return number


def _model(text: str) -> str:
    if not 0 < len(text) <= 300 or not text.isprintable():
        raise ValueError(text)
    return text


def _name(text: str) -> str:
    """Of something that the page itself looks up."""
    if not re.fullmatch("[0-9a-z_]{1,30}", text):
        raise ValueError(text)
    return text


def _commit(text: str) -> str:
    if not re.fullmatch("[0-9a-f]{40}", text):
        raise ValueError(text)
    return text


def _digest(text: str) -> str:
    if not re.fullmatch("[0-9a-f]{32}", text):
        raise ValueError(text)
    return text


def _device(text: str) -> str:
    try:
        return Place(text).device
    except InputError as problem:
        raise ValueError(text) from problem


def _flag(default: bool = False) -> Parameter:
    return Parameter(default, lambda text: _one_of("0", "1")(text) == "1", lambda value: str(int(value)))


def _numbers(text: str) -> list[int]:
    return sorted({_whole(0, LARGEST_D_MODEL - 1)(part) for part in text.split(".")})


def _several(default: list[int] | list[str], read: Callable[[str], Any]) -> Parameter:
    return Parameter(default, read, lambda values: ".".join(map(str, sorted(values))))


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _share(text: str) -> float:
    number = _number(text)
    if not 0 <= number <= 1:
        raise ValueError(text)
    return number


def _heads(text: str) -> list[str]:
    """Heads written L3H7, with dots between."""
    found = [re.fullmatch(r"L(\d{1,3})H(\d{1,3})", part) for part in text.split(".")]
    if not all(found):
        raise ValueError(text)
    return list(dict.fromkeys(match.group() for match in found if match))


def _edits(text: str) -> str:
    """Changes of tokens, in the short form of ``edits``."""
    try:
        return parse(text).text
    except InputError as problem:
        raise ValueError(text) from problem


def _held(text: str) -> str:
    """The link of another view."""
    if len(text) > MOST_HELD or not text.isprintable():
        raise ValueError(text)
    return text


def _several_heads() -> Parameter:
    return Parameter([], _heads, ".".join)


def _mask_names(text: str) -> list[str]:
    return sorted({_one_of(*MASKS)(part) for part in text.split(".")})


def _field(kind: type[Mask], name: str) -> Callable[[str], str]:
    """For a mask's parameter without bounds: the mask itself says whether it is allowed."""

    def read(text: str) -> str:
        try:
            kind(**{name: text})
        except InputError as problem:
            raise ValueError(text) from problem
        return text

    return read


def _mask_parameters() -> Iterator[tuple[str, Parameter]]:
    for name, kind in MASKS.items():
        yield name, _flag()
        for parameter in fields(kind):
            bounds = parameter.metadata
            read = _whole(bounds["low"], bounds["high"]) if bounds else _field(kind, parameter.name)
            yield mask_key(name, parameter.name), Parameter(parameter.default, read)


def mask_key(mask: str, parameter: str) -> str:
    """Name of a mask's number among the parameters of the view."""
    return f"{mask}_{parameter}"


#: How BERT's heads are chosen to be kept.
KEPT = ("all", "first", "entropy", "picked")
#: How several masks are joined: all must let a key be seen, or any one.
JOINS = ("all", "any")
#: On what sentences importance is measured.
SAMPLES = ("this", "set")
#: What importance is measured on: the names of ``labs.losses.LOSSES``, which imports torch.
LOSSES = ("masked", "class", "pair", "even", "turned")

#: The switch of every mask and its numbers.
MASK_PARAMETERS = dict(_mask_parameters())

PARAMETERS: dict[str, Parameter] = {
    "text": Parameter(say("example.coreference"), str),
    "pair": Parameter("", str),
    "source": Parameter("toy", _one_of(*SOURCES, OWN)),
    "file": Parameter("", _digest),
    "model": Parameter(None, _model),
    "revision": Parameter("", _commit),
    "device": Parameter("auto", _device),
    "dtype": Parameter("float32", _one_of(*DTYPES)),
    "cut": _flag(),
    "special": _flag(),
    "weights": Parameter("designed", _one_of("designed", "random")),
    "d_model": Parameter(64, _whole(SMALLEST_D_MODEL, LARGEST_D_MODEL)),
    "heads": Parameter(8, _whole(1, LARGEST_D_MODEL)),
    "seed": Parameter(0, _whole(0, 2**31 - 1)),
    "kept": Parameter("all", _one_of(*KEPT)),
    "keep": Parameter(4, _whole(1, LARGEST_D_MODEL)),
    "picked": _several([0], _numbers),
    "off": _several_heads(),
    "off_as": Parameter("zero", _one_of(*HOWS)),
    "edits": Parameter("", _edits),
    "temperature": Parameter(1.0, _temperature, lambda value: f"{value:g}"),
    **MASK_PARAMETERS,
    "join": Parameter("all", _one_of(*JOINS)),
    "inverted": _several([], _mask_names),
    "in_layers": _several([], _numbers),
    "in_heads": _several([], _numbers),
    "view": Parameter("mask", _one_of(*views.VIEWS)),
    "scale": Parameter("linear", _one_of(*SCALES)),
    "palette": Parameter("viridis", _one_of(*PALETTES)),
    "own": _flag(),
    "layer": Parameter(0, _whole(0, 999)),
    "head": Parameter(0, _whole(0, LARGEST_D_MODEL - 1)),
    "step": Parameter("x", _one_of(*STEPS)),
    "split_scope": Parameter("all", _one_of("all", "one")),
    "split_motion": Parameter("play", _one_of("play", "sheet")),
    "beside": _flag(),
    "focus": Parameter(None, _whole(0, 10_000)),
    "key": Parameter(None, _whole(0, 10_000)),
    "level": Parameter("pieces", _one_of(*LEVELS)),
    "specials": Parameter("raw", _one_of(*SPECIALS)),
    "metric": Parameter("entropy_share", _one_of(*METRICS)),
    "order": Parameter("place", _one_of("place", "high", "low")),
    "metric_low": Parameter(None, _number),
    "metric_high": Parameter(None, _number),
    "overview_view": Parameter("all", _one_of(*views.OVERVIEW_VIEWS)),
    "map_by": Parameter("weights", _one_of("weights", "outputs")),
    "map_drop": _flag(),
    "map_colour": Parameter("layer", _one_of("layer", "type")),
    "line_heads": _several_heads(),
    "line_layout": Parameter("sides", _one_of("sides", "arcs")),
    "line_least": Parameter(0.1, _share),
    "line_most": Parameter(0, _whole(0, 512)),
    "token_view": Parameter("token", _one_of(*views.TOKEN_VIEWS)),
    "head_view": Parameter("reads", _one_of(*views.HEAD_VIEWS)),
    "through_view": Parameter("rollout", _one_of(*views.THROUGH_VIEWS)),
    "through_layer": Parameter(None, _whole(0, 999)),
    "norm_scope": Parameter("head", _one_of(*views.NORM_SCOPES)),
    "average": _several_heads(),
    "change_view": Parameter("effect", _one_of(*views.CHANGE_VIEWS)),
    "method": Parameter("gradient", _one_of(*METHODS)),
    "loss": Parameter("even", _one_of(*LOSSES)),
    "samples": Parameter("this", _one_of(*SAMPLES)),
    "head_count_view": Parameter("budget", _one_of(*views.HEAD_COUNT_VIEWS)),
    "head_worth_view": Parameter("matter", _one_of(*views.HEAD_WORTH_VIEWS)),
    "matter_part": Parameter("importance", _one_of(*views.MATTER_PARTS)),
    "matter_model": Parameter("values", _one_of(*SUBJECTS)),
    "depth_part": Parameter("depth", _one_of(*views.DEPTH_PARTS)),
    "pitfall": Parameter("all", _one_of("all", *PITFALLS)),
    "pitfall_claim": Parameter("", _name),
    "depth_gradients_view": Parameter("stacks", _one_of(*views.DEPTH_GRADIENTS_VIEWS)),
    "cost_view": Parameter("growth", _one_of(*views.COST_VIEWS)),
    "sparse_view": Parameter("patterns", _one_of(*views.SPARSE_VIEWS)),
    "sparse_pattern": Parameter("window", _one_of(*PATTERNS)),
    "sparse_radius": Parameter(Sizes().radius, _whole(0, LARGEST)),
    "sparse_step": Parameter(Sizes().step, _whole(1, LARGEST)),
    "sparse_first": Parameter(Sizes().first, _whole(1, LARGEST)),
    "sparse_size": Parameter(Sizes().size, _whole(1, LARGEST)),
    "sparse_random": Parameter(Sizes().random, _whole(0, LARGEST)),
    "sparse_seed": Parameter(Sizes().seed, _whole(0, 2**31 - 1)),
    "sparse_buckets": Parameter(4, _whole_of(*BUCKETS)),
    "sparse_rounds": Parameter(2, _whole_of(*ROUNDS)),
    "sparse_segment": Parameter(4, _whole(1, LARGEST)),
    "sparse_memory": Parameter(1, _whole(0, LARGEST)),
    "compare_view": Parameter("heads", _one_of(*views.COMPARE_VIEWS)),
    "a": Parameter("", _held),
}
