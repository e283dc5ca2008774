"""A label shows its token as typed: what cannot be seen is named, and Plotly reads no markup in it."""

from __future__ import annotations

import html
import unicodedata

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.figures.labels import (
    LONGEST,
    LONGEST_FULL,
    axis_labels,
    hover_labels,
    label,
    label_width,
    token_text,
    visible_text,
)
from tests.unit.build import sequence

FAMILY = "👩\u200d👩\u200d👧"


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("<s>", "&lt;s&gt;"),
        ("<b>", "&lt;b&gt;"),
        ("</s>", "&lt;/s&gt;"),
        ("a<br>b", "a&lt;br&gt;b"),
        ("<pad>", "&lt;pad&gt;"),
        ("<a href=x>", "&lt;a␠href=x&gt;"),
        ("&amp;", "&amp;amp;"),
        ("&lt;s&gt;", "&amp;lt;s&amp;gt;"),
        ("$x$", "$x$"),
        ("*b*", "*b*"),
        (":red[x]", ":red[x]"),
        ("![i](http://h/x)", "![i](http://h/x)"),
        ("%{z}", "%{z}"),
        ("##ing", "##ing"),
        ("[CLS]", "[CLS]"),
        ("Ġthe", "Ġthe"),
        ("#000001", "#\u200b000001"),
        ("#0000fe", "#0000fe"),
        ("", "∅"),
        (" ", "␠"),
        (" the", "␠the"),
        ("\n", "␤"),
        ("\t", "␉"),
        ("\r\n", "␍␤"),
        ("\u200b", "\\u200B"),
        ("\u200d", "\\u200D"),
        ("\ufeff", "\\uFEFF"),
        ("\u00a0", "\\u00A0"),
        ("\u202eabc", "\\u202Eabc"),
        ("\u2066x", "\\u2066x"),
        ("\x00", "\\u0000"),
        ("\ud800", "\\uD800"),
        ("W" * 60, "W" * (LONGEST - 1) + "…"),
        ("W" * LONGEST, "W" * LONGEST),
        ("2024-01-02", "2024-01-02"),
        ("שלום", "שלום"),
        ("مرحبا", "مرحبا"),
        ("猫", "猫"),
        ("か\u3099", "か\u3099"),
        ("e\u0301", "e\u0301"),
        (FAMILY, FAMILY),
        ("👍🏽", "👍🏽"),
        ("a\u200db", "a\\u200Db"),
    ],
)
def test_a_label_by_hand(token, shown):
    assert label(token) == shown


def test_a_shortened_label_counts_graphemes_and_keeps_them_whole():
    assert label(FAMILY * 20) == FAMILY * (LONGEST - 1) + "…"
    assert label("e\u0301" * 16) == "e\u0301" * 16
    assert label("e\u0301" * 17) == "e\u0301" * 15 + "…"
    assert label("<" * 17) == "&lt;" * 15 + "…"


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=())))
def test_no_label_is_empty_invisible_or_markup(text):
    shown = label(text)
    assert "<" not in shown
    assert ">" not in shown
    assert html.unescape(shown).replace("#\u200b", "#") == visible_text(text).replace("#\u200b", "#")
    for character in visible_text(text):
        category = unicodedata.category(character)
        assert category not in ("Cc", "Cs", "Zs", "Zl", "Zp", "Co", "Cn")
        assert category != "Cf" or character in "\u200c\u200d"
    assert len(visible_text(text)) > 0


@given(st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=LONGEST))
def test_short_visible_text_is_shown_as_it_is(text):
    assert visible_text(text) == text
    assert html.unescape(label(text)).replace("\u200b", "") == text


@given(st.text(st.characters(categories=["L", "N"]), max_size=200), st.integers(2, 40))
def test_long_text_is_cut_to_the_graphemes_allowed_and_says_so(text, longest):
    shown = visible_text(text, longest)
    if not text:
        assert shown == "∅"
    elif len(text) <= longest:
        assert shown == text
    else:
        assert shown == text[: longest - 1] + "…"


def test_an_unknown_token_is_shown_with_the_text_it_stands_for():
    tokens = sequence(
        ["[CLS]", "[UNK]", "[UNK]"],
        surfaces=("", "猫", "<b>"),
        unknown=(False, True, True),
        special=(True, False, False),
    )
    assert [token_text(tokens, position) for position in range(3)] == ["[CLS]", "[UNK]·猫", "[UNK]·<b>"]
    assert axis_labels(tokens) == ["[CLS]", "[UNK]·猫", "[UNK]·&lt;b&gt;"]


def test_hovering_shows_the_whole_token_and_its_position():
    tokens = sequence(["the", "W" * 60, "the", "W" * 300])
    assert hover_labels(tokens)[:3] == ["the (0)", "W" * 60 + " (1)", "the (2)"]
    assert hover_labels(tokens)[3] == "W" * (LONGEST_FULL - 1) + "… (3)"
    assert axis_labels(tokens) == ["the", "W" * 15 + "…", "the", "W" * 15 + "…"]


def test_a_labels_width_grows_with_wide_characters_and_not_with_entities():
    assert label_width("abc") == 3
    assert label_width(label("<s>")) == label_width("|s|")
    assert label_width("猫猫") == 4
    assert label_width("WWWW") > label_width("llll")


def test_a_figure_with_every_odd_label_can_be_sent():
    odd = ["\ud800", "\u202e", FAMILY, "<s>", "#000001", "\x00", "%{z}", ""]
    figure = go.Figure(layout={"xaxis": {"ticktext": [label(token) for token in odd], "tickvals": list(range(8))}})
    assert figure.to_json().encode("utf-8")
