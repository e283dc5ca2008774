"""The splitting animation: one attention layer step by step, as a moving picture that needs nothing but a browser."""

from __future__ import annotations

import base64
import html
import json
import string
from dataclasses import dataclass
from typing import Any

from mha_viz.figures import theme
from mha_viz.figures.labels import plain_labels
from mha_viz.figures.scripts import script
from mha_viz.figures.storyboard import storyboard
from mha_viz.splitting import payload, steps_of
from mha_viz.trace import LayerTrace
from mha_viz.words import LANGUAGE, TABLES, say

#: The script in its order; what the app and a file add to it stands last.
_SCRIPTS = ("data", "motion", "draw", "texts", "panels", "controls", "picture", "mount")
#: Pixels of the frame in a notebook.
_NOTEBOOK_HEIGHT = 860
_WORDS = (
    *("controls", "first", "back", "play", "pause", "on", "last", "step", "speed", "heads", "all", "all_heads", "head"),
    *("sheet", "full", "picture", "code", "numpy", "title", "stage", "part", "dots", "product", "masked", "sum"),
    *(
        "part_sum",
        "shares",
        "below",
        "above",
        "out",
        "hidden",
        "cell",
        "cell_head",
        "cell_bare",
        "cell_matrix",
        "cell_pair",
        "cell_hidden",
    ),
)


@dataclass(frozen=True)
class View:
    """What of the animation is looked at.

    Attributes:
        step: name of a step.
        head: the head that is followed, or whose numbers are told.
        scope: "all" heads alike, or "one" with the others dimmed.
        motion: "play", or "sheet" for all steps at once.
    """

    step: str = "x"
    head: int = 0
    scope: str = "all"
    motion: str = "play"


class SplittingAnimation:
    """One attention layer in motion; shows itself in a notebook.

    Args:
        layer: what is shown.
        focus: position of the token whose row is followed; the first if None.
        view: how it begins.
    """

    def __init__(self, layer: LayerTrace, focus: int | None = None, view: View | None = None) -> None:
        self._data = animation_data([layer], focus, view or View())

    def to_html(self) -> str:
        """One HTML file with everything inside; it works from a disk, without a network."""
        title = say("page.splitting")
        data = json.dumps(self._data, ensure_ascii=False).replace("<", "\\u003c")  # no text can end the script
        return (
            f"<!doctype html>\n<html lang='{LANGUAGE}'><head><meta charset='utf-8'><title>{html.escape(title)}</title>"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>"
            f"<style>{script('splitting_page.css')}{stylesheet()}</style></head>\n<body><main><div id='split'></div></main>"
            f"<script type='application/json' id='split-data'>{data}</script>\n"
            f"<script>{_script()}{script('splitting_page.js')}</script></body></html>\n"
        )

    def to_svg(self) -> str:
        """Every step on one sheet, as a drawing."""
        part = self._data["parts"][0]
        return storyboard(part["payload"], base64.b64decode(part["bytes"]), self._data["look"])

    def _repr_html_(self) -> str:
        title = html.escape(say("page.splitting"))
        source = html.escape(self.to_html())
        return (
            f"<iframe title='{title}' srcdoc=\"{source}\" style='width:100%;height:{_NOTEBOOK_HEIGHT}px;border:0' "
            "allow='fullscreen' sandbox='allow-scripts allow-downloads'></iframe>"
        )


def splitting_animation(layer: LayerTrace, focus: int | None = None) -> SplittingAnimation:
    """One attention layer from its input to its output, in nine steps that play in a browser.

    Args:
        layer: of a run, from ``model.inspect_layer``.
        focus: position of the token whose row is followed; the first if None.

    Returns:
        an object that a notebook shows, and that gives a self-contained HTML file and an SVG.

    Raises:
        InputError: there is no such token.
    """
    return SplittingAnimation(layer, focus)


def animation_data(layers: list[LayerTrace], focus: int | None, view: View, palette: str = "viridis") -> dict[str, Any]:
    """What the script is given: JSON throughout, arrays as base64 of float32.

    Args:
        layers: one, or two to be shown side by side.
        focus: position of the token whose row is followed; the first if None.
        view: what is looked at.
        palette: of the weights.

    Raises:
        InputError: there is no such token.
    """
    parts = []
    for layer in layers:
        head = min(view.head, layer.spec.n_heads - 1)
        taken_apart = steps_of(layer, labels=plain_labels(layer.query_tokens), query_row=focus or 0, focus=head)
        told, numbers = payload(taken_apart)
        parts.append({"payload": told, "bytes": base64.b64encode(numbers).decode()})
    return {
        "parts": parts,
        "words": {name: _template(name) for name in _WORDS},
        "look": look(palette),
        "view": vars(view) | {"head": min(view.head, layers[0].spec.n_heads - 1)},
    }


def look(palette: str = "viridis") -> dict[str, Any]:
    """The colours of the animation, as #rrggbb."""
    return {
        "diverging": theme.DIVERGING,
        "weights": theme.stops(palette),
        "visible": theme.VISIBLE,
        "guide": theme.GUIDE,
        "heads": theme.HEADS,
    }


def component_script() -> str:
    """The script for the app: a module with a default export."""
    return _script() + script("splitting_component.js")


def stylesheet() -> str:
    """Of the animation, wherever it is shown."""
    return script("splitting.css")


def _template(name: str) -> str:
    """A sentence whose places the script fills."""
    places = [place for _, place, _, _ in string.Formatter().parse(TABLES[LANGUAGE][f"split.{name}"]) if place]
    return say(f"split.{name}", **{place: f"{{{place}}}" for place in places})


def _script() -> str:
    return script("ink.js") + "".join(script(f"splitting_{name}.js") for name in _SCRIPTS)
