"""Small maps side by side."""

from __future__ import annotations

import numpy as np

from mha_viz.figures.maps import Map, maps


def test_thinned_names_stand_at_their_columns_and_hovering_names_all():
    names = [f"x{column}" for column in range(6)]
    figure = maps([Map("a", np.ones((1, 6))), Map("b", np.ones((1, 6)))], ["H0"], names, "", every=4)
    assert figure.layout.xaxis.ticktext == ("x0", "x4") * 2
    firsts = [trace.x0 for trace in figure.data[:2]]
    assert figure.layout.xaxis.tickvals == tuple(first + column for first in firsts for column in (0, 4))
    assert list(figure.data[1].text[0]) == [f"H0 → {name}" for name in names]
