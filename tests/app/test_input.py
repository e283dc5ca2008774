"""Odd and impossible input: a right picture, or a clear sentence with its next step. Never a traceback."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz import Causal, Controls, LocalWindow, Padding
from mha_viz.figures.labels import axis_labels
from mha_viz.words.en import EN
from tests.app.driver import (
    HEAD_PAGES,
    HEADS,
    Wanted,
    axis_texts,
    bodies,
    button,
    buttons,
    component,
    figure,
    grid_weights,
    large_weights,
    model,
    opened,
    plain,
    said,
    shows,
    untroubled,
)

_SOURCES = pytest.mark.parametrize("source", ["toy", "minilm"])
_PAGES = pytest.mark.parametrize("page", HEAD_PAGES)


def _typed(text: str, page: str = HEADS, **link: str) -> AppTest:
    app = opened(page, **link)
    return app.text_input(key="text").set_value(text).run()


def _charts(app: AppTest) -> list[str]:
    return [str(chart.key) for chart in app.get("plotly_chart")]


def _chips(app: AppTest) -> str:
    (body,) = bodies(app, "mha-tokens")
    return body


@_SOURCES
@_PAGES
@pytest.mark.parametrize("text", ["", "   ", "\t \u00a0"], ids=["empty", "spaces", "blanks"])
def test_nothing_typed(page: str, source: str, text: str) -> None:
    app = _typed(text, page, source=source)
    assert untroubled(app)
    assert said(app) == [EN["error.empty_text"]]
    assert _charts(app) == []
    app.text_input(key="text").set_value("one two").run()
    shows(app, Wanted(text="one two", source=source))


def test_a_second_sentence_of_blanks_is_none() -> None:
    app = opened(HEADS, source="minilm")
    app.text_input(key="pair").set_value("  ").run()
    shows(app, Wanted(source="minilm"))


@_PAGES
@pytest.mark.parametrize("text", ["Hi", "."])
def test_one_token(page: str, text: str) -> None:
    app = _typed(text, page)
    assert said(app) == []
    assert large_weights(app).tolist() == [[1.0]]
    assert axis_texts(app) == [text]


def test_one_token_on_bert() -> None:
    app = _typed("Hi", source="minilm")
    shows(app, Wanted(text="Hi", source="minilm"))
    assert axis_texts(app) == ["[CLS]", "hi", "[SEP]"]


def _too_long(app: AppTest, got: str, limit: str) -> None:
    assert untroubled(app)
    assert _charts(app) == []
    (sentence,) = said(app)
    assert got in sentence
    assert limit in sentence
    assert EN["run.cut"] in buttons(app)


def test_600_words_on_bert_are_refused_with_both_numbers_and_can_be_cut() -> None:
    text = " ".join(["word"] * 600)
    app = _typed(text, source="minilm")
    _too_long(app, "602", "512")
    button(app, "run.cut").click().run()
    shows(app, Wanted(text=text, source="minilm", cut=True))
    assert component(app, "cells")[0]["n"] == 512
    assert [sentence for sentence in said(app) if "512 of 602" in sentence]
    assert app.text_input(key="text").value == text
    button(app, "run.uncut").click().run()
    _too_long(app, "602", "512")


def test_1000_equal_words() -> None:
    text = " ".join(["same"] * 1_000)
    app = _typed(text)
    assert [sentence for sentence in said(app) if "1,000" in sentence and "512" in sentence]
    button(app, "run.cut").click().run()
    wanted = Wanted(text=text, cut=True)
    shows(app, wanted)
    assert wanted.tokens.n_tokens == 512
    assert component(app, "cells")[0]["titles"][511] == "same (511)"
    assert grid_weights(app).shape[1:] == (86, 86)
    assert any("6 × 6" in caption.value for caption in app.caption)


@_SOURCES
def test_more_than_20000_characters(source: str) -> None:
    text = "a" * 10_001 + " " + "b" * 10_000
    app = _typed(text, source=source)
    _too_long(app, "20,002", "20,000")
    button(app, "run.cut").click().run()
    shows(app, Wanted(text=text, source=source, cut=True))
    assert any("20,000 of 20,002" in sentence for sentence in said(app))


@_SOURCES
def test_a_word_of_5000_characters(source: str) -> None:
    app = _typed("x" * 5_000, source=source)
    shows(app, Wanted(text="x" * 5_000, source=source))
    assert max(map(len, axis_texts(app))) <= 16


@pytest.mark.parametrize("text", ["[CLS] hello [SEP]", "<s> hello </s>", "[MASK]"])
@_SOURCES
def test_names_of_special_tokens_stay_text(source: str, text: str) -> None:
    app = _typed(text, source=source)
    wanted = Wanted(text=text, source=source)
    shows(app, wanted)
    assert "".join(wanted.tokens.surfaces) == text.replace(" ", "")
    assert sum(wanted.tokens.special) == (2 if source == "minilm" else 0)
    assert plain(_chips(app)).count("special") == 1  # in the numbers, nowhere else


def test_the_user_may_say_that_mask_is_special() -> None:
    app = _typed("My name is [MASK].", source="minilm")
    assert "[MASK]" not in axis_texts(app)
    app.toggle(key="special").set_value(True).run()
    assert axis_texts(app).count("[MASK]") == 1
    shows(app, Wanted(text="My name is [MASK].", source="minilm", read_special=True))


@_SOURCES
def test_the_switch_for_special_tokens_names_those_that_are_typed(source: str) -> None:
    app = opened(HEADS, source=source)
    app.menu_button(key="example").click("mask").run()
    for text in ("My name is [MASK].", "No such name here."):
        app.text_input(key="text").set_value(text).run()
        for switch in app.toggle:
            assert switch.key != "special" or r"\[MASK\]" in switch.label  # escaped: a label is Markdown


def test_nothing_to_switch_where_no_special_token_is_typed() -> None:
    app = opened(HEADS, source="minilm")
    assert "special" not in [toggle.key for toggle in app.toggle]
    assert "causal" in [toggle.key for toggle in app.toggle]


_ODD = "<b> </s> $x$ ![i](http://x/y.png) ##ing #000001 %{z} 2024-01-02 &amp; <a href='//x'>l</a> 👩‍👩‍👧 שלום"


@pytest.mark.parametrize("page", HEAD_PAGES)
def test_odd_tokens_appear_as_typed(page: str) -> None:
    app = _typed(_ODD, page)
    shows(app, Wanted(text=_ODD))
    shown = [text.replace("\u200b", "") for text in axis_texts(app)]
    full = [word if len(word) <= 16 else word[:15] + "…" for word in _ODD.split()]
    assert [text for text in shown if not text.startswith("👩")] == [word for word in full if "👩" not in word]
    assert "👩‍👩‍👧" in shown


def test_odd_tokens_never_reach_the_page_as_markup() -> None:
    app = _typed(_ODD)
    assert "<b>" not in _chips(app)
    assert "&lt;b&gt;" in _chips(app)
    markdown = [element.value for kind in (app.markdown, app.caption, app.info, app.warning) for element in kind]
    assert not [text for text in markdown if "http://x" in text or "$x$" in text]
    assert "#000001" not in str(figure(app, "large_head"))


def test_odd_tokens_in_a_notice_are_escaped() -> None:
    app = opened(HEADS, text="one $x$", padding="1", window="1", window_radius="0")
    (sentence,) = said(app)
    assert "1 “$x$”" in sentence
    assert [notice.value for notice in app.warning if "$x$" in notice.value] == []


def test_zero_width_characters_only() -> None:
    app = _typed("\u200b\u200d\ufeff", source="minilm")
    assert untroubled(app)
    assert _charts(app) == []
    (sentence,) = said(app)
    assert sentence == EN["error.no_tokens"].format(name="all-MiniLM-L6-v2")


def test_zero_width_characters_are_named_by_the_toy() -> None:
    app = _typed("a\u200bb \u202eabc")
    assert untroubled(app)
    assert axis_texts(app) == ["a\\u200Bb", "\\u202Eabc"]


def test_a_text_that_bert_cannot_read_is_named_and_the_toy_offered() -> None:
    app = _typed("猫追老鼠", source="minilm")
    tokens = Wanted(text="猫追老鼠", source="minilm").tokens
    assert tokens.unknown_share > 0.3
    (sentence,) = said(app)
    assert f"{sum(tokens.unknown)} of 4 tokens" in sentence
    button(app, "run.use_toy").click().run()
    shows(app, Wanted(text="猫追老鼠"))
    assert axis_texts(app) == ["猫", "追", "老", "鼠"]
    assert said(app) == []


def test_unknown_tokens_are_labelled_with_what_was_typed() -> None:
    text = "猫追老鼠"
    app = _typed(text, source="minilm")
    tokens = Wanted(text=text, source="minilm").tokens
    unknown = [position for position in range(tokens.n_tokens) if tokens.unknown[position]]
    assert unknown
    assert [axis_texts(app)[place] for place in unknown] == [f"[UNK]·{tokens.surfaces[place]}" for place in unknown]
    assert _chips(app).count("mha-unknown'") == len(unknown)


def test_a_readable_text_is_not_called_unreadable() -> None:
    assert said(_typed("猫 is the Chinese word for cat, says the book.", source="minilm")) == []


@_SOURCES
def test_a_row_without_a_key_is_named_before_the_run_and_drawn_without_a_number(source: str) -> None:
    app = opened(HEADS, source=source, text="a b c d", padding="1", padding_last="2", window="1", window_radius="0")
    wanted = Wanted(text="a b c d", source=source, controls=Controls(mask=Padding(2) & LocalWindow(0)))
    shows(app, wanted)
    rows = np.flatnonzero(wanted.trace.no_key[0, 0])
    assert len(rows) == 2
    (sentence,) = said(app)
    assert sentence.startswith(EN["run.no_key"].split("{")[0].rstrip())
    for row in rows:
        assert f"{row} “{wanted.tokens.tokens[row]}”" in sentence
        assert np.isnan(large_weights(app)[row]).all()
    order = [element.type for element in app.main if element.type in ("warning", "plotly_chart")]
    assert order[0] == "warning"


def test_many_rows_without_a_key_are_counted() -> None:
    words = " ".join(f"w{place}" for place in range(20))
    app = opened(HEADS, text=words, padding="1", padding_last="20")
    assert untroubled(app)
    (sentence,) = said(app)
    assert "5 “w5”" in sentence
    assert "w6" not in sentence
    assert "and 14 more" in sentence
    assert np.isnan(large_weights(app)).all()


def test_a_causal_mask_leaves_every_row_a_key() -> None:
    app = opened(HEADS, causal="1")
    shows(app, Wanted(controls=Controls(mask=Causal())))
    assert said(app) == []


def test_too_many_heads_are_the_lesson() -> None:
    app = opened(HEADS, heads="32")
    (sentence,) = said(app)
    assert "d_k = 2" in sentence
    assert "same word" in sentence
    assert said(opened(HEADS, heads="8")) == []
    assert said(opened(HEADS, heads="32", weights="random")) == []


def test_labels_of_the_figure_are_those_of_the_one_label_function() -> None:
    tokens = model("minilm").tokenize("unaffable $x$ <s>")
    app = _typed("unaffable $x$ <s>", source="minilm")
    assert figure(app, "large_head")["layout"]["xaxis"]["ticktext"] == axis_labels(tokens)
