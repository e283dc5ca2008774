"""Maps side by side: their colours and the numbers in their cells."""

from __future__ import annotations

import numpy as np

from mha_viz.figures import theme
from mha_viz.figures.maps import Map, maps

_NAMES = ["a", "b"]
_SHOWN = [Map("one", np.eye(2)), Map("two", np.full((2, 2), np.nan))]


def test_maps_have_numbers_unless_there_is_no_room_for_them() -> None:
    with_them, without = (maps(_SHOWN, _NAMES, _NAMES, "w", numbers=numbers) for numbers in (True, False))
    assert [trace.texttemplate for trace in with_them.data[:2]] == ["%{z:.2f}"] * 2
    assert [trace.texttemplate for trace in without.data[:2]] == [None] * 2


def test_a_map_is_coloured_by_the_palette_that_is_asked_for_and_turned() -> None:
    plain = maps(_SHOWN, _NAMES, _NAMES, "w", palette="cividis")
    turned = maps(_SHOWN, _NAMES, _NAMES, "w", palette="cividis", turned=True)
    assert theme.stops("cividis") == [colour for _, colour in plain.layout.coloraxis.colorscale]
    assert [plain.layout.coloraxis.reversescale, turned.layout.coloraxis.reversescale] == [False, True]


def test_a_map_without_any_number_is_hatched() -> None:
    assert len(maps(_SHOWN, _NAMES, _NAMES, "w").layout.images) == 1
    assert len(maps(_SHOWN[:1], _NAMES, _NAMES, "w").layout.images) == 0
