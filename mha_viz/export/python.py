"""A view as the few lines of Python that make its figure in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mha_viz.controls import Controls, HeadId
from mha_viz.edits import Edits
from mha_viz.errors import InputError
from mha_viz.export.constructors import keywords, written
from mha_viz.words import say

#: What a view may be: one head, all heads of a layer, all heads of all layers, several heads as lines.
VIEWS = ("head", "layer", "overview", "lines")
_MODULE = "mha_viz."
#: Characters of a line before it is broken.
_LONGEST = 100


@dataclass(frozen=True)
class PythonView:
    """What is looked at.

    Attributes:
        kind: one of VIEWS.
        layer, head: from 0; of "overview" neither counts, of "layer" and "lines" only an outlined or single head.
        focus: position of a query that is followed, or None.
        level, specials: how the weights are read.
        colour: keywords of ``figures.Colour`` that are not as by default, as ``{"scale": "log"}``.
        heads: of "lines"; the one of ``layer`` and ``head`` if ().
        layout, least, most: of "lines".

    Raises:
        InputError: no such kind.
    """

    kind: str
    layer: int = 0
    head: int = 0
    focus: int | None = None
    level: str = "pieces"
    specials: str = "raw"
    colour: tuple[tuple[str, Any], ...] = ()
    heads: tuple[HeadId, ...] = ()
    layout: str = "sides"
    least: float = 0.0
    most: int = 0

    def __post_init__(self) -> None:
        if self.kind not in VIEWS:
            raise InputError("error.export_view", got=self.kind, allowed=", ".join(VIEWS))


def python_code(
    source: str,
    options: Any,
    text: str,
    view: PythonView,
    *,
    pair: str | None = None,
    controls: Controls | None = None,
    edits: Edits | None = None,
    dtype: str = "float32",
    cut: bool = False,
    read_special: bool = False,
) -> str:
    """Lines whose last one is the figure.

    Args:
        source, options: a key of SOURCES, and options of it; what is as by default is left out.
        text, pair: what is read.
        view: what is looked at.
        controls, edits, dtype: of the run.
        cut, read_special: as ``tokenize`` takes them.

    Returns:
        Python that ends with a line break. Every text stands in it as a literal that Python itself wrote: nothing that was
        typed can become code.
    """
    opened = [repr(source), *keywords(options)] + ([f"dtype={dtype!r}"] if dtype != "float32" else [])
    read = [repr(text)] + ([f"pair={pair!r}"] if pair is not None else [])
    read += [f"{name}=True" for name, on in (("cut", cut), ("read_special", read_special)) if on]
    run = ["tokens"] + ([] if controls in (None, Controls()) else ["controls"])
    lines = [
        say("python.import"),
        "",
        _call("model = mha_viz.open_model", opened),
        _call("tokens = model.tokenize", read),
        *([f"tokens = model.edited(tokens, {written(edits, _MODULE)})"] if edits else []),
        *([_call("controls = mha_viz.Controls", list(keywords(controls, _MODULE)))] if len(run) > 1 else []),
        _call("trace = model.run", run),
    ]
    return _with_figure(lines, view)


def python_code_of_file(name: str, view: PythonView) -> str:
    """The same for weights of a file: ``name`` is what it was called, and where Python looks for it.

    Returns:
        as ``python_code``.
    """
    lines = [say("python.import"), "", f"trace = mha_viz.trace_from_npz({name!r})"]
    return _with_figure(lines, view)


def _with_figure(lines: list[str], view: PythonView) -> str:
    shown = "trace"
    if (view.level, view.specials) != ("pieces", "raw"):
        shown = "shown"
        lines.append(_call("shown = mha_viz.read", ["trace", *_texts(level=view.level, specials=view.specials)]))
    return "\n".join([*lines, *_figure(view, shown)]) + "\n"


def _figure(view: PythonView, shown: str) -> list[str]:
    """The last lines: the figure of a view."""
    coloured = [f"colour=mha_viz.figures.Colour({', '.join(_texts(**dict(view.colour)))})"] if view.colour else []
    focus = [] if view.focus is None else [f"focus={view.focus}"]
    if view.kind == "head":
        where = [shown, f"layer={view.layer}", f"head={view.head}"]
        return [_call("mha_viz.figures.head_heatmap", [*where, *focus, *coloured])]
    if view.kind == "layer":
        where = [shown, f"layer={view.layer}", f"chosen={view.head}"]
        return [_call("mha_viz.figures.head_grid", [*where, *coloured])]
    if view.kind == "overview":
        return [_call("mha_viz.figures.print_overview", [shown, *coloured])]
    heads = view.heads or (HeadId(view.layer, view.head),)
    listed = f"[{', '.join(written(head, _MODULE) for head in heads)}]"
    drawn = [shown, listed, *_texts(least=view.least, most=view.most, layout=view.layout), *focus]
    return [_call("mha_viz.figures.print_lines", drawn)]


def _texts(**values: Any) -> list[str]:
    return [f"{name}={value!r}" for name, value in values.items()]


def _call(start: str, arguments: list[str]) -> str:
    """On one line, or with an argument a line if that is too long."""
    line = f"{start}({', '.join(arguments)})"
    if len(line) <= _LONGEST:
        return line
    return "\n".join([f"{start}(", *(f"    {argument}," for argument in arguments), ")"])
