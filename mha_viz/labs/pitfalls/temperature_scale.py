"""Whether darker is larger: the luminance of a colour scale at both ends."""

from __future__ import annotations

import itertools

import numpy as np

from mha_viz.figures import theme
from mha_viz.labs.pitfalls.base import Told, Trial, claimed, right

#: The colour scales that this app offers.
NAMES = tuple(theme.PALETTES)
#: Tokens of the map that is shown on both.
N_TOKENS = 6


def larger_by_shade(first: str, second: str) -> bool:
    """As told: whether the first of two colours stands for more."""
    return luminance(first) < luminance(second)


def larger_by_scale(first: str, second: str, scale: list[str]) -> bool:
    """Read off the scale, whose colours go from low to high."""
    return scale.index(first) > scale.index(second)


def luminance(colour: str) -> float:
    """Relative luminance of "#rrggbb", 0 black to 1 white (WCAG 2.2)."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def try_it(palette: str, *, turned: bool) -> Trial:
    """Every two colours of a palette, or of the same turned round: which one stands for more, by shade and by the scale."""
    scale = theme.stops(palette)[::-1] if turned else theme.stops(palette)
    pairs = list(itertools.combinations(scale, 2))
    right_ones = sum(larger_by_shade(*pair) == larger_by_scale(*pair, scale) for pair in pairs)
    share = right_ones / len(pairs)
    values = {"n": len(pairs), "right": right_ones, "low": luminance(scale[0]), "high": luminance(scale[-1])}
    odds = np.exp(np.random.default_rng(0).standard_normal((N_TOKENS, N_TOKENS)) * 1.5)
    return Trial(
        claim=Told("pitfalls.temperature.reversed.claim" if turned else "pitfalls.temperature.darker.claim"),
        outcome="holds" if share == 1 else "false" if share < 0.5 else "partly",
        verdict=Told(f"pitfalls.temperature.darker.{'holds' if share == 1 else 'lighter'}", values),
        instead=Told("pitfalls.temperature.darker.instead"),
        code=(claimed(larger_by_shade), right(larger_by_scale)),
        found={"weights": odds / odds.sum(axis=1, keepdims=True), "palette": palette, "turned": turned},
    )
