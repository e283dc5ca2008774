"""The matrix of checks and modules."""

from __future__ import annotations

from mha_viz.figures import theme
from mha_viz.figures.verdicts import SIGNS, verdicts
from tests.figures.test_matrix import legible


def contrast(one: str, other: str) -> float:
    """As WCAG 2 has it."""

    def lightness(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((lightness(one), lightness(other)))
    return (high + 0.05) / (low + 0.05)


def test_each_cell_has_a_sign_and_a_colour_and_what_is_missing_has_none():
    figure = verdicts(
        ["Shapes", "Masks <i>"], ["Yours", "torch", "BERT"], {(0, 0): "failed", (0, 1): "passed", (1, 1): "impossible"}
    )
    legible(figure)
    (cells,) = figure.data
    assert [list(row) for row in cells.z] == [[1, 0, None], [None, 2, None]]
    assert [list(row) for row in cells.text] == [["<b>✗</b>", "<b>✓</b>", ""], ["", "<b>–</b>", ""]]
    assert "Failed" in cells.customdata[0][0]
    assert "<i>" not in cells.customdata[1][1]
    assert figure.layout.xaxis.ticktext == ("Yours", "torch", "BERT")
    assert figure.layout.yaxis.range == (1.5, -0.5)
    assert not figure.layout.annotations


def test_the_cell_at_work_is_marked_until_it_has_an_outcome():
    assert verdicts(["a", "b"], ["m"], {(0, 0): "passed"}, at_work=(1, 0)).layout.annotations[0].y == 1
    assert not verdicts(["a", "b"], ["m"], {(0, 0): "passed"}, at_work=(0, 0)).layout.annotations


def test_signs_are_read_on_their_colours_in_both_themes():
    assert SIGNS.keys() == theme.OUTCOMES.keys()
    for colour in theme.OUTCOMES.values():
        assert contrast(colour, "#ffffff") > 4.5
        assert contrast(colour, "#0e1117") > 2.5
