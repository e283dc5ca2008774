"""Figures on paper: white and dark whatever the theme, with a caption that is whole and a figure that is not changed."""

from __future__ import annotations

import math

import pytest

from mha_viz.analysis.reading import read
from mha_viz.controls import Controls, HeadId, heads_without
from mha_viz.export.caption import caption_of, mask_text
from mha_viz.figures import head_grid, head_heatmap, on_paper, theme
from mha_viz.figures.labels import label_width
from mha_viz.masks import Causal, HideKey, LocalWindow, Painted
from mha_viz.version import VERSION
from tests.unit.build import sequence, trace

HOSTILE = "<script>alert(1)</script> $x$ =1+1 #000001 a\x00b \u202e שלום 😀 猫"


def caption_lines(figure) -> list[str]:
    return figure.layout.annotations[-1].text.split("<br>")


@pytest.mark.parametrize("width", [None, 500, 1400])
def test_the_plot_keeps_its_size_and_the_caption_its_room(width):
    figure = head_heatmap(trace(5), 0, 0)
    before = figure.to_json()
    told = ["one two three " * 40, "end"]
    drawn = on_paper(figure, told, title="L0 H0", width=width)
    assert figure.to_json() == before
    assert drawn.layout.width == (width or 900)
    assert drawn.layout.paper_bgcolor == drawn.layout.plot_bgcolor == theme.PAPER
    assert drawn.layout.font.color == theme.INK
    assert drawn.data[0] == figure.data[0]
    plot = [f.layout.height - f.layout.margin.t - f.layout.margin.b for f in (figure, drawn)]
    assert plot[0] == plot[1]
    lines = caption_lines(drawn)
    assert " ".join(lines).split() == " ".join(told).split()
    assert drawn.layout.margin.b - figure.layout.margin.b >= 20 * len(lines)
    assert max(map(label_width, lines)) * 7 <= drawn.layout.width
    assert drawn.layout.annotations[0].text == "<b>L0 H0</b>"


def test_without_caption_and_title_nothing_is_added_and_a_long_word_is_broken():
    figure = head_grid(trace(5), 0)
    plain = on_paper(figure)
    assert plain.layout.height == figure.layout.height
    assert len(plain.layout.annotations) == len(figure.layout.annotations)
    broken = on_paper(figure, ["x" * 1000])
    assert "".join(caption_lines(broken)) == "x" * 1000
    assert len(caption_lines(broken)) > 5


def test_markup_in_a_caption_or_title_is_escaped():
    drawn = on_paper(head_grid(trace(3), 0), ["<b>bold</b> & <a href='x'>"], title="<i>")
    assert caption_lines(drawn) == ["&lt;b&gt;bold&lt;/b&gt; &amp; &lt;a href='x'&gt;"]
    assert drawn.layout.annotations[-2].text == "<b>&lt;i&gt;</b>"


def test_a_caption_tells_the_whole_run():
    controls = Controls(
        temperature=math.inf,
        mask=(Causal() & LocalWindow(3)) | ~HideKey(2),
        layers=frozenset({1, 0}),
        silenced=heads_without(trace(3, n_layers=2, n_heads=6).spec, [0]),
        uniform=frozenset({HeadId(0, 1)}),
    )
    run = trace(sequence(4, text=HOSTILE, pair="second"), n_layers=2, n_heads=6, controls=controls)
    told = " ".join(caption_of(run, layer=1, head=5, revision="0123456789abcdef"))
    for part in (
        "L1 H5 of test, revision 01234567",
        "<script>alert(1)</script> $x$ =1+1 #000001 a\\u0000b \\u202E",
        "second",
        "Temperature: ∞",
        "(Causal and Local window (radius 3)) or not (Hide a key (position 2))",
        "L0, L1",
        "L0 H1, L0 H2, L0 H3, L0 H4, L0 H5, L1 H1 and 4 more",
        "Made uniform: L0 H1",
        VERSION,
    ):
        assert part in told
    assert "\x00" not in told
    assert "\u202e" not in told


def test_a_caption_says_what_is_shown_and_shortens_a_long_sentence():
    run = trace(sequence(3, text="word " * 500))
    assert caption_of(run)[0].startswith("All heads of test")
    assert caption_of(run, layer=0)[0].startswith("All heads of L0 of test")
    assert caption_of(run, heads=[HeadId(0, 0), HeadId(0, 1)])[0] == "L0 H0, L0 H1 of test."
    told = caption_of(run)[1]
    assert len(told) < 200
    assert "…" in told
    assert "Mask: none." in caption_of(run)
    assert "Temperature: 1." in caption_of(run)


def test_a_caption_says_how_it_is_read():
    tokens = sequence(5, special=(True, False, False, False, True), word_ids=(None, 0, 0, 1, None))
    plain = trace(tokens)
    assert caption_of(read(plain)) == caption_of(plain)
    for level, specials in (("words", "raw"), ("words", "hidden"), ("pieces", "hidden"), ("pieces", "renormalised")):
        (more,) = set(caption_of(read(plain, level, specials))) - set(caption_of(plain))
        assert more.endswith(".")


def test_a_painted_mask_tells_how_many_cells_it_hides():
    assert mask_text(Painted.of(trace(3).visible[0, 0])) == "Painted (9 cells hidden)"
