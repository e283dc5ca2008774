"""User text on the page: what Markdown and HTML show is what was typed."""

from __future__ import annotations

import html
import re
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mha_viz.ui.plain import as_markdown, asset, escaped, icon_file

_ODD = [
    "$x$",
    "![i](http://x/y.png)",
    "[a](http://b.c)",
    "**b** _i_ `c` ~~s~~",
    ":red[x] :material/home: :smile:",
    "<b>x</b> &amp; </s>",
    "# title",
    "1. one",
    "- item",
    "a\\b \\$",
    "| a | b |",
    "#000001 %{z} ##ing",
    "猫追老鼠 שלום 👩‍👩‍👧",
]
_BACKSLASHED = re.compile(r"\\([" + re.escape(string.punctuation) + r"])")


def _shown(markdown: str) -> str:
    """What is seen of a line in which only backslashes mean something: one before punctuation is dropped by CommonMark,
    and a zero-width space, which may keep a word from being read as an address or an icon, is not seen."""
    return _seen(_BACKSLASHED.sub(r"\1", markdown))


def _seen(text: str) -> str:
    return text.replace("\u200b", "")


def _unescaped(markdown: str) -> str:
    """What is left of a line when everything behind a backslash is taken away."""
    return _BACKSLASHED.sub("", markdown)


_with_odd = st.text() | st.lists(st.sampled_from([*string.punctuation, "a", " ", *_ODD])).map("".join)


@pytest.mark.parametrize("text", _ODD)
def test_odd_texts_come_out_of_markdown_as_typed(text: str) -> None:
    assert _shown(as_markdown(text)) == text


@given(_with_odd)
@example("\\" * 3)
@example("\\$")
def test_markdown_shows_the_text_itself(text: str) -> None:
    assert _shown(as_markdown(text)) == _seen(text)


@given(_with_odd)
def test_nothing_that_markdown_reads_is_left_bare(text: str) -> None:
    assert not set(_unescaped(as_markdown(text))) & set("\\`*_{}[]()#+-.!|~$:<>&\"'")


@given(_with_odd)
def test_html_shows_the_text_itself(text: str) -> None:
    assert html.unescape(escaped(text)) == text or "&" in text
    assert not set(escaped(text)) & set("<>\"'")


def test_an_entity_that_was_typed_stays_one() -> None:
    assert escaped("&lt;") == "&amp;lt;"
    assert html.unescape(escaped("&lt;b&gt; &amp;amp;")) == "&lt;b&gt; &amp;amp;"


def test_assets_ask_for_nothing_from_elsewhere() -> None:
    for name in ("page.css", "tokens.css", "clicks.js"):
        text = asset(name)
        assert "http" not in text
        assert "@import" not in text
        assert "url(" not in text
    assert icon_file().endswith(".png")
