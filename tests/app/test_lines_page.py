"""The page of lines: which heads, what is drawn in words, and links; the lines are those of an independent run."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.controls import HeadId
from mha_viz.words import say
from tests.app.driver import Wanted, button, opened, said, untroubled

PAGE = "pages/lines.py"
BERT = Wanted(source="minilm")


def picture(app: AppTest) -> tuple[dict[str, Any], np.ndarray]:
    """The header, and (line, 4): head, query, key, weight."""
    (found,) = [part for part in app.get("bidi_component") if part.proto.component_name == "mha_viz.lines"]
    data = found.proto.bytes
    (length,) = struct.unpack("<I", data[:4])
    header, at = json.loads(data[4 : 4 + length]), 4 + length
    n = header["n_lines"]
    kinds = (("u1", 8 * n), ("<u2", 4 * n), ("<u2", 6 * n), ("<f4", 0))
    return header, np.column_stack([np.frombuffer(data, kind, n, at + skip) for kind, skip in kinds])


def test_the_chosen_heads_are_drawn_with_every_weight_above_the_threshold() -> None:
    header, lines = picture(opened(PAGE, source="minilm", line_heads="L3H1.L5H11", line_least="0.3"))
    assert [head["name"] for head in header["heads"]] == ["L3 H1", "L5 H11"]
    wanted = {
        (number, int(query), int(key))
        for number, head in enumerate((HeadId(3, 1), HeadId(5, 11)))
        for query, key in np.argwhere(BERT.trace.weights[head] >= 0.3)
    }
    assert {(int(head), int(query), int(key)) for head, query, key, _ in lines} == wanted
    it_to_animal = lines[(lines[:, 1] == 10) & (lines[:, 2] == 2)][:, 3]
    assert sorted(it_to_animal.tolist()) == pytest.approx([0.673, 0.677], abs=1e-3)


def test_without_chosen_heads_it_is_the_one_of_the_sidebar_and_buttons_change_that() -> None:
    app = opened(PAGE, source="minilm", layer="2", head="4")
    assert [head["name"] for head in picture(app)[0]["heads"]] == ["L2 H4"]
    (every,) = [one for one in app.button if one.label == say("lines.all_heads", layer=2)]
    every.click().run()
    assert [head["name"] for head in picture(app)[0]["heads"]] == [f"L2 H{head}" for head in range(12)]
    (only,) = [one for one in app.button if one.label == say("lines.this_head", head=HeadId(2, 4))]
    only.click().run()
    assert [head["name"] for head in picture(app)[0]["heads"]] == ["L2 H4"]


def test_a_followed_token_has_its_lines_alone() -> None:
    _, lines = picture(opened(PAGE, source="minilm", line_heads="L5H11", focus="10", line_least="0"))
    assert set(lines[:, 1]) == {10}


def test_words_and_special_tokens_are_read_as_chosen() -> None:
    header, _ = picture(
        opened(PAGE, source="minilm", level="words", specials="renormalised", text="Unbelievably good.")
    )
    assert header["labels"] == ["Unbelievably", "good", "."]
    assert header["positions"][0] == 1


def test_heads_of_another_model_are_put_aside_and_come_back() -> None:
    app = opened(PAGE, source="minilm", line_heads="L3H1.L0H2")
    app.segmented_control(key="source").set_value("toy").run()
    assert [head["name"] for head in picture(app)[0]["heads"]] == ["L0 H2"]
    assert any("L3 H1" in text for text in said(app))
    app.segmented_control(key="source").set_value("minilm").run()
    assert {head["name"] for head in picture(app)[0]["heads"]} == {"L3 H1", "L0 H2"}


def test_too_many_heads_are_refused_with_how_many_are_allowed() -> None:
    names = ".".join(f"L{layer}H{head}" for layer in range(3) for head in range(12))
    app = opened(PAGE, source="minilm", line_heads=names)
    assert untroubled(app)
    assert any("24" in text and "36" in text for text in said(app))


def test_a_long_sentence_raises_the_threshold_and_says_to_what() -> None:
    text = "the cat sat on the mat and looked at the dog on the rug by the door of the old house . " * 4
    app = opened(PAGE, source="minilm", text=text, line_least="0", line_heads="L0H0.L0H1.L0H3")
    header, lines = picture(app)
    assert header["n_lines"] == len(lines) <= 6000
    told = " ".join(caption.value for caption in app.caption).replace("\\", "").replace("\u200b", "")
    assert f"the threshold is raised to {lines[:, 3].min():.3g}" in told


@pytest.mark.parametrize(
    "link", [{"line_heads": "L1"}, {"line_least": "2"}, {"line_layout": "round"}, {"line_most": "-1"}]
)
def test_a_bad_part_of_the_link_is_told(link: dict[str, str]) -> None:
    app = opened(PAGE, **link)
    assert untroubled(app)
    assert any(f"{next(iter(link))} = " in text for text in said(app))


@pytest.mark.parametrize("layout", ["sides", "arcs"])
@pytest.mark.parametrize(
    "text", ["Hi", "the the the the", "今天天气很好，我们去公园散步吧。", "<s> <b>x</b> $y$ &amp; 🙂", "שלום עולם"]
)
def test_odd_sentences_are_drawn(layout: str, text: str) -> None:
    for source in ("toy", "minilm"):
        app = opened(PAGE, source=source, text=text, line_layout=layout)
        assert untroubled(app)
        header, _ = picture(app)
        assert header["layout"] == layout
        assert len(header["labels"]) == Wanted(text=text, source=source).trace.n_tokens


def test_rows_without_a_key_are_marked() -> None:
    header, lines = picture(opened(PAGE, hide_query="1", hide_query_position="2"))
    assert header["marks"]["no_key"] == [2]
    assert 2 not in set(lines[:, 1])
    assert button(opened(PAGE), "controls.reset")
