"""All steps of the splitting animation on one sheet, as SVG: for paper and for slides."""

from __future__ import annotations

import html
import textwrap
from collections import defaultdict
from typing import Any

import numpy as np

from mha_viz.arrays import FloatArray
from mha_viz.figures import theme

_WIDTH, _HEIGHT = 1600, 900  # of a step's stage, in its own units
_HEAD, _GAP, _COLUMNS = 150, 60, 3
#: Colours a scale is drawn with: cells of one colour are one path, which keeps the file small.
_SHADES = 64
#: Each head of these is coloured by its own largest number, as in the script.
_OWN = ("query", "key", "scores", "scaled", "tempered")
_FONT = "font-family='sans-serif'"


def storyboard(payload: dict[str, Any], numbers: bytes, look: dict[str, Any]) -> str:
    """The steps as a drawing on white.

    Args:
        payload: of a layer.
        numbers: its float32 numbers.
        look: colours, as the animation has them.
    """
    floats = np.frombuffer(numbers, dtype="<f4")
    arrays = {name: _array(payload["arrays"], name, floats) for name in payload["arrays"]}
    rows = -(-len(payload["steps"]) // _COLUMNS)
    width, height = _COLUMNS * (_WIDTH + _GAP) + _GAP, rows * (_HEIGHT + _HEAD + _GAP) + _GAP
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'>",
        f"<rect width='{width}' height='{height}' fill='#fff'/>",
        f"<defs><pattern id='out' width='10' height='10' patternUnits='userSpaceOnUse'><path d='M0 10L10 0' "
        f"stroke='{theme.HIDDEN.colour}' stroke-width='2'/></pattern></defs>",
    ]
    masked = False
    for place, step in enumerate(payload["steps"]):
        masked = masked or step["name"] == "mask"
        x, y = _GAP + place % _COLUMNS * (_WIDTH + _GAP), _GAP + place // _COLUMNS * (_HEIGHT + _HEAD + _GAP)
        drawn = "".join(_sheet(sheet, arrays, look, masked=masked) for sheet in step["sheets"])
        drawn += "".join(_rows(sheet, step["sheets"], payload) for sheet in step["sheets"])
        parts.append(f"<g transform='translate({x} {y})'>{_title(place, step)}")
        parts.append(f"<g transform='translate(0 {_HEAD})'>{drawn}</g></g>")
    return "".join(parts) + "</svg>\n"


def _array(arrays: dict[str, Any], name: str, floats: FloatArray) -> FloatArray:
    """(head, row, column), or (1, row, column) for one without heads."""
    about = arrays[arrays[name].get("same_as") or name]
    size = int(np.prod(about["shape"]))
    return floats[about["offset"] : about["offset"] + size].reshape(-1, *about["shape"][-2:])


def _title(place: int, step: dict[str, Any]) -> str:
    lines = textwrap.wrap(step["caption"], 105)[:2]
    caption = "".join(_text(0, 82 + 38 * number, 30, line) for number, line in enumerate(lines))
    return _text(0, 40, 42, f"{place + 1}  {step['title']}    {step['formula']}", "700") + caption


def _text(x: float, y: float, size: int, text: str, weight: str = "400", more: str = "") -> str:
    style = f"font-size='{size}' font-weight='{weight}' {_FONT} fill='#1f2328' {more}"
    return f"<text x='{x:g}' y='{y:g}' {style}>{html.escape(text)}</text>"


def _sheet(sheet: dict[str, Any], arrays: dict[str, FloatArray], look: dict[str, Any], *, masked: bool) -> str:
    parts = []
    visible = arrays.get("visible")
    for block in sheet["blocks"]:
        head, (first, end) = block["head"], block["columns"]
        array = arrays[sheet["array"]]
        cells = array[head if len(array) > 1 else 0, :, first:end]
        seen = np.ones(cells.shape, dtype=bool)
        if sheet["colour"] == "visible":
            seen = cells > 0.5
        elif masked and visible is not None and head is not None and cells.shape == visible.shape[1:]:
            seen = visible[head] > 0.5
        parts.append(_cells(cells, seen, sheet, block, look, _largest(sheet, arrays, cells, head)))
        parts.append(_around(cells.shape, sheet, block, look))
    return "".join(parts)


def _largest(sheet: dict[str, Any], arrays: dict[str, FloatArray], cells: FloatArray, head: int | None) -> float:
    """What the strongest colour stands for: of the array, or of each head where one can drown the others."""
    own = sheet["array"] in _OWN and head is not None
    return float(np.abs(cells if own else arrays[sheet["array"]]).max()) or 1.0


def _cells(
    cells: FloatArray, seen: FloatArray, sheet: dict[str, Any], block: dict[str, Any], look: dict[str, Any], top: float
) -> str:
    """One path a colour."""
    width, height = sheet["cell"]
    share = cells / top
    if sheet["colour"] == "diverging":
        share = 0.5 + share / 2
    shades = np.clip(np.round(share * (_SHADES - 1)), 0, _SHADES - 1).astype(int)
    paths: dict[str, list[str]] = defaultdict(list)
    for (row, column), shade in np.ndenumerate(shades):
        colour = "url(#out)"
        if seen[row, column]:
            colour = look["visible"] if sheet["colour"] == "visible" else _colour(look[sheet["colour"]], int(shade))
        x, y = block["x"] + column * width, block["y"] + row * height
        paths[colour].append(f"M{x:.5g} {y:.5g}h{width:.4g}v{height:.4g}h-{width:.4g}z")
    edge = "stroke='#fff' stroke-width='1'"
    return "".join(f"<path d='{''.join(path)}' fill='{colour}' {edge}/>" for colour, path in paths.items())


def _colour(stops: list[str], shade: int) -> str:
    place = shade / (_SHADES - 1) * (len(stops) - 1)
    before = min(int(place), len(stops) - 2)
    ends = [[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in stops[before : before + 2]]
    mixed = [round(low + (high - low) * (place - before)) for low, high in zip(*ends, strict=True)]
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def _around(shape: tuple[int, ...], sheet: dict[str, Any], block: dict[str, Any], look: dict[str, Any]) -> str:
    """The frame in the head's colour, and the name above it."""
    head, (width, height) = block["head"], sheet["cell"]
    colour = theme.GUIDE if head is None else look["heads"][head % len(look["heads"])]
    name = sheet["label"] if head is None else f"{sheet['label']} H{head}"
    size = 24 if head is None or shape[1] * width > 14 * len(name) else 0
    box = f"x='{block['x'] - 3:g}' y='{block['y'] - 3:g}' width='{shape[1] * width + 6:g}' height='{shape[0] * height + 6:g}'"
    title = _text(block["x"], block["y"] - 12, size, name, "700") if size else ""
    return f"<rect {box} fill='none' stroke='{colour}' stroke-width='{2 if head is None else 4}'/>{title}"


def _ends(sheets: list[dict[str, Any]]) -> list[float]:
    """Where blocks end to the right."""
    return [
        block["x"] + (block["columns"][1] - block["columns"][0]) * sheet["cell"][0]
        for sheet in sheets
        for block in sheet["blocks"]
    ]


def _rows(sheet: dict[str, Any], sheets: list[dict[str, Any]], payload: dict[str, Any]) -> str:
    """Tokens to the left of the sheet's first part, if there is room."""
    first = min(sheet["blocks"], key=lambda block: (block["x"], block["y"]))
    beside = any(first["x"] - 120 < end <= first["x"] for end in _ends(sheets))
    if sheet["rows"] != "tokens" or beside or first["x"] < 120 or sheet["cell"][1] < 18:
        return ""
    height = sheet["cell"][1]
    places = payload["shown"]["rows"]
    names = [payload["tokens"][position] for position in places]
    right = "text-anchor='end'"
    texts = [
        _text(first["x"] - 10, first["y"] + (row + 0.7) * height, 20, name, more=right)
        for row, name in enumerate(names)
    ]
    return "".join(texts)
