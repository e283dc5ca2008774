"""The address holds the whole view: opened anew it shows the same, and what it says wrongly is told and left out."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from mha_viz import Causal, Controls, LocalWindow, Padding
from tests.app.driver import (
    HEAD_PAGES,
    HEADS,
    SENTENCE,
    Wanted,
    assert_same,
    large_weights,
    opened,
    said,
    shows,
    silenced,
    untroubled,
)

_PAGES = HEAD_PAGES

#: A link, and the view it means in the terms of the Python API.
_LINKS: list[tuple[dict[str, str], Wanted]] = [
    ({}, Wanted()),
    ({"text": "a rose is a rose", "pair": "and no tulip"}, Wanted(text="a rose is a rose", pair="and no tulip")),
    (
        {"weights": "random", "d_model": "32", "heads": "4", "seed": "7", "head": "3"},
        Wanted(options=(("weights", "random"), ("d_model", 32), ("n_heads", 4), ("seed", 7)), head=3),
    ),
    ({"temperature": "0.3", "head": "2"}, Wanted(controls=Controls(temperature=0.3), head=2)),
    ({"temperature": "0"}, Wanted(controls=Controls(temperature=0.0))),
    ({"temperature": "1e-06"}, Wanted(controls=Controls(temperature=1e-6))),
    ({"temperature": "inf"}, Wanted(controls=Controls(temperature=math.inf))),
    ({"causal": "1", "window": "1", "window_radius": "1"}, Wanted(controls=Controls(mask=Causal() & LocalWindow(1)))),
    ({"padding": "1", "padding_last": "3"}, Wanted(controls=Controls(mask=Padding(3)))),
    (
        {"source": "minilm", "layer": "4", "head": "9", "temperature": "2"},
        Wanted(source="minilm", layer=4, head=9, controls=Controls(temperature=2.0)),
    ),
    (
        {"source": "minilm", "kept": "first", "keep": "3", "layer": "5", "head": "1"},
        Wanted(source="minilm", layer=5, head=1, controls=silenced(6, 12, {0, 1, 2})),
    ),
    (
        {"source": "minilm", "kept": "picked", "picked": "0.5.11", "layer": "1", "head": "5"},
        Wanted(source="minilm", layer=1, head=5, controls=silenced(6, 12, {0, 5, 11})),
    ),
    (
        {"source": "minilm", "text": "My name is [MASK].", "special": "1", "layer": "2"},
        Wanted(source="minilm", text="My name is [MASK].", read_special=True, layer=2),
    ),
]

_REFUSED = [
    ("heads", "999"),
    ("heads", "0"),
    ("d_model", "abc"),
    ("d_model", "8"),
    ("temperature", "nan"),
    ("temperature", "-1"),
    ("temperature", "hot"),
    ("source", "evil"),
    ("weights", "../../etc"),
    ("seed", "-3"),
    ("kept", "none"),
    ("picked", "x"),
    ("causal", "yes"),
    ("window_radius", "-1"),
    ("layer", "99"),
    ("layer", "1.5"),
    ("head", "-1"),
    ("focus", "9999"),
    ("focus", "x"),
    ("cut", "2"),
]


@pytest.mark.parametrize("page", _PAGES)
@pytest.mark.parametrize(("link", "wanted"), _LINKS, ids=[" ".join(link) or "empty" for link, _ in _LINKS])
def test_a_link_restores_the_view_and_is_written_back_as_it_was(
    page: str, link: dict[str, str], wanted: Wanted
) -> None:
    app = opened(page, **link)
    shows(app, wanted)
    assert app.query_params == link
    assert said(app) == []
    app.run()
    assert app.query_params == link


def test_a_followed_token_is_restored() -> None:
    app = opened(HEADS, focus="7", head="3")
    assert app.selectbox(key="focus").value == 7
    assert app.query_params == {"focus": "7", "head": "3"}


@pytest.mark.parametrize(("name", "got"), _REFUSED, ids=[f"{name}={got}" for name, got in _REFUSED])
def test_what_a_link_says_wrongly_is_told_and_left_out(name: str, got: str) -> None:
    app = opened(HEADS, **{name: got})
    shows(app, Wanted())
    assert app.query_params == {}
    told = [sentence for sentence in said(app) if name in sentence and got in sentence]
    assert len(told) == 1


def test_a_name_that_no_link_has_is_told_and_left_out() -> None:
    app = opened(HEADS, tempreature="3")
    shows(app, Wanted())
    assert app.query_params == {}
    assert [sentence for sentence in said(app) if "tempreature" in sentence]


def test_one_wrong_value_does_not_spoil_the_others() -> None:
    app = opened(HEADS, temperature="nan", causal="1", head="2")
    shows(app, Wanted(controls=Controls(mask=Causal()), head=2))
    assert app.query_params == {"causal": "1", "head": "2"}


def test_a_wrong_value_is_told_once() -> None:
    app = opened(HEADS, heads="999")
    assert len(said(app)) == 1
    app.run()
    assert said(app) == []


def test_a_link_with_a_layer_of_bert_fits_the_toy() -> None:
    """The toy has one layer and eight heads: the view is within its bounds, and the link says so."""
    app = opened(HEADS, layer="5", head="11")
    shows(app, Wanted(head=7))
    assert app.query_params == {"head": "7"}


def test_number_of_heads_that_does_not_divide_is_explained() -> None:
    app = opened(HEADS, heads="5")
    shows(app, Wanted(options=(("n_heads", 4),)))
    (sentence,) = said(app)
    assert "5" in sentence
    assert "64" in sentence
    assert "4" in sentence
    assert app.query_params == {"heads": "4"}


def _long_text(characters: int) -> str:
    text = "word " * (characters // 5 + 1)
    return text[: characters - 1] + "d"


def test_a_sentence_of_1500_characters_is_in_the_link() -> None:
    text = _long_text(1_500)
    app = opened(HEADS)
    app.text_input(key="text").set_value(text).run()
    assert app.query_params == {"text": text}
    assert said(app) == []


def test_a_longer_sentence_is_not_in_the_link_and_the_page_says_so() -> None:
    app = opened(HEADS, head="1")
    app.text_input(key="text").set_value(_long_text(1_501)).run()
    assert untroubled(app)
    assert app.query_params == {"head": "1"}
    (sentence,) = said(app)
    assert "1,500" in sentence
    assert "link" in sentence
    shows(app, Wanted(text=_long_text(1_501), head=1))


def test_both_sentences_count_for_the_link() -> None:
    app = opened(HEADS)
    app.text_input(key="text").set_value(_long_text(800))
    app.text_input(key="pair").set_value(_long_text(701)).run()
    assert app.query_params == {}
    assert any("1,500" in sentence for sentence in said(app))


def test_a_short_sentence_after_a_long_one_is_in_the_link_again() -> None:
    app = opened(HEADS)
    app.text_input(key="text").set_value(_long_text(1_501)).run()
    app.text_input(key="text").set_value("short again").run()
    assert app.query_params == {"text": "short again"}
    assert said(app) == []


_toy_links = st.fixed_dictionaries(
    {},
    optional={
        "text": st.sampled_from(["one", "a rose is a rose", "猫追老鼠", "<b> $x$ &amp; #000001 %{z}", "a+b = c&d=e?"]),
        "pair": st.sampled_from(["and two", "é ü"]),
        "weights": st.just("random"),
        "d_model": st.integers(16, 512).filter(lambda width: width != 64).map(str),
        "heads": st.integers(1, 512).map(str),
        "seed": st.integers(1, 2**31 - 1).map(str),
        "temperature": st.sampled_from(["0", "0.05", "0.42", "7", "inf"]),
        "causal": st.just("1"),
        "padding": st.just("1"),
        "padding_last": st.integers(1, 512).map(str),
        "window": st.just("1"),
        "window_radius": st.integers(0, 512).map(str),
        "head": st.integers(0, 511).map(str),
        "focus": st.integers(0, 20).map(str),
    },
)


@given(link=_toy_links)
@settings(max_examples=25)
def test_the_link_that_the_page_writes_shows_the_same_view(link: dict[str, str]) -> None:
    first = opened(HEADS, **link)
    assert untroubled(first)
    written = dict(first.query_params)
    again = opened(HEADS, **written)
    assert untroubled(again)
    assert again.query_params == written
    assert_same(large_weights(again), large_weights(first))


def test_a_link_is_read_when_the_session_begins_only_or_when_the_browser_goes_back() -> None:
    app = opened(HEADS, head="1")
    app.selectbox(key="head").select(5).run()
    assert app.query_params == {"head": "5"}
    app.query_params = {"head": "1"}  # what the browser sends after "back"
    app.run()
    shows(app, Wanted(head=1))


def test_back_does_not_lose_a_sentence_that_no_link_can_hold() -> None:
    text = _long_text(1_501)
    app = opened(HEADS)
    app.text_input(key="text").set_value(text).run()
    app.toggle(key="causal").set_value(True).run()
    assert app.query_params == {"causal": "1"}
    app.query_params = {}  # what the browser sends after "back"
    app.run()
    shows(app, Wanted(text=text))
    assert app.text_input(key="text").value == text


def test_a_changed_widget_wins_over_an_address_that_is_late() -> None:
    app = opened(HEADS, head="1")
    app.selectbox(key="head").select(5).run()
    app.query_params = {"head": "1"}  # the browser has not got the last link yet
    app.select_slider(key="temperature").set_value(0.5).run()
    shows(app, Wanted(head=5, controls=Controls(temperature=0.5)))
    assert app.query_params == {"head": "5", "temperature": "0.5"}


def test_the_default_sentence_is_not_written() -> None:
    app: AppTest = opened(HEADS, text=SENTENCE)
    assert app.query_params == {}
    shows(app, Wanted())
