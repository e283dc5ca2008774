"""How weights become colours: which scale, whose maximum, which palette. What is printed and hovered stays the weight."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from mha_viz.arrays import FloatArray
from mha_viz.errors import InputError
from mha_viz.figures import theme

Scale = Literal["linear", "root", "log"]
Palette = Literal["viridis", "cividis", "inferno"]
SCALES: tuple[Scale, ...] = get_args(Scale)
PALETTES: tuple[Palette, ...] = get_args(Palette)

#: Decades of a logarithmic scale; smaller weights have its lowest colour.
_DECADES = 4
#: Share of the colour bar that a printed number needs.
_ROOM = 0.09


@dataclass(frozen=True)
class Colour:
    """How a figure colours weights. ``Colour()`` is the usual way.

    Attributes:
        scale: "linear"; "root" (square root) and "log" show small weights better.
        shared: one scale for all heads of a layer; False for one each, up to its own largest weight.
        palette: "viridis", "cividis" or "inferno": told apart by colour-blind people. None is grey throughout, since hidden
            cells are hatched grey.

    Raises:
        InputError: a scale or palette that there is none of.
    """

    scale: Scale = "linear"
    shared: bool = True
    palette: Palette = "viridis"

    def __post_init__(self) -> None:
        for got, allowed in ((self.scale, SCALES), (self.palette, PALETTES)):
            if got not in allowed:
                raise InputError("error.colour", got=got, allowed=", ".join(allowed))

    @property
    def hover(self) -> str:
        """Where a hover text finds the exact weight."""
        return "%{z:.4f}" if self.scale == "linear" else "%{customdata:.4f}"

    @property
    def bar_width(self) -> int:
        """Pixels that the colour bar needs beside a figure."""
        return 112 if self.scale == "log" else 78

    def cells(self, weights: FloatArray, highest: float) -> dict[str, object]:
        """What a heatmap of ``weights``, (query, key), NaN where hidden, is given: its colours and, if they are not the weights
        themselves, the weights to hover."""
        if self.scale == "linear":
            return {"z": weights}
        return {"z": self._place(weights, highest).astype(np.float32), "customdata": weights}

    def axis(self, highest: float, title: str) -> dict[str, object]:
        """The colour axis for weights from 0 to ``highest``, with weights printed on it."""
        if self.scale == "linear":
            return theme.colour_axis(highest, title, self.palette)
        axis = theme.colour_axis(1.0, title, self.palette)
        weights = self._printed(highest)
        texts = [theme.number(weight) for weight in weights]
        if self.scale == "log":
            texts[0] = f"≤ {texts[0]}"
        ticks = {"tickmode": "array", "tickvals": self._place(weights, highest).tolist(), "ticktext": texts}
        bar = axis["colorbar"]
        assert isinstance(bar, dict)
        return axis | {"colorbar": bar | ticks}

    def share(self, weights: FloatArray, highest: float) -> FloatArray:
        """Where weights from 0 to ``highest`` stand on the scale, from 0 to 1."""
        return weights / highest if self.scale == "linear" else self._place(weights, highest)

    def weight_at(self, shares: FloatArray, highest: float) -> FloatArray:
        """The weights that stand at ``shares`` of the scale, 0 to 1: the other way round."""
        if self.scale == "linear":
            return shares * highest
        if self.scale == "root":
            return shares**2 * highest
        floor = _floor(highest)
        return floor * (highest / floor) ** shares

    def _place(self, weights: FloatArray, highest: float) -> FloatArray:
        """Where weights stand on the colour bar, from 0 to 1."""
        if self.scale == "root":
            return np.sqrt(np.maximum(weights, 0.0) / highest)
        floor = _floor(highest)
        return np.log(np.maximum(weights, floor) / floor) / math.log(highest / floor)

    def _printed(self, highest: float) -> FloatArray:
        """The ends of the scale and round weights between them, as many as have room."""
        low = _floor(highest) if self.scale == "log" else 0.0
        decades = 10.0 ** np.arange(math.floor(math.log10(highest)), math.floor(math.log10(_floor(highest))) - 1, -1)
        round_ones = [digit * decade for digit in (1.0, 5.0, 2.0) for decade in decades]
        kept = [low, highest]
        for weight in (float(f"{weight:g}") for weight in round_ones):
            places = self._place(np.array([*kept, weight]), highest)
            if low < weight < highest and np.abs(places[:-1] - places[-1]).min() >= _ROOM:
                kept.append(weight)
        return np.array(sorted(kept))


#: The usual way.
PLAIN = Colour()


def _floor(highest: float) -> float:
    """The smallest weight that a logarithmic scale up to ``highest`` tells from 0: a power of ten."""
    return float(10.0 ** (math.ceil(math.log10(highest)) - _DECADES))
