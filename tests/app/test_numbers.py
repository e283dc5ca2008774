"""The words and numbers around the pictures: where a head looks, its metrics, the badge, the times."""

from __future__ import annotations

import re

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from mha_viz import METRICS, Causal, Controls, LocalWindow, Padding
from mha_viz.metrics import rows_of
from mha_viz.ui import cache
from mha_viz.words.en import EN
from tests.app.driver import HEADS, Wanted, bodies, button, figure, opened, plain, shows, untroubled, where

_VIEWS: list[tuple[dict[str, str], Wanted]] = [
    ({"head": "4"}, Wanted(head=4)),
    ({"causal": "1", "head": "5"}, Wanted(head=5, controls=Controls(mask=Causal()))),
    ({"source": "minilm", "layer": "2", "head": "3"}, Wanted(source="minilm", layer=2, head=3)),
    (
        {"source": "minilm", "layer": "5", "head": "11", "padding": "1", "padding_last": "3"},
        Wanted(source="minilm", layer=5, head=11, controls=Controls(mask=Padding(3))),
    ),
]
_EACH = pytest.mark.parametrize(("link", "wanted"), _VIEWS, ids=[" ".join(link) for link, _ in _VIEWS])


def _cards(app: AppTest) -> dict[str, tuple[str, str]]:
    """Title of each card to its number and what even attention would give."""
    (body,) = bodies(app, "mha-numbers")
    cards = body.split("role='listitem'")[1:]
    parts = [re.search(r"<span>(.*?)</span><strong>(.*?)</strong>.*<small>(.*?)</small>", card) for card in cards]
    return {part[1]: (part[2], part[3]) for part in parts if part}


def _written(name: str, value: float) -> str:
    if np.isnan(value):
        return "–"
    unit = METRICS[name].unit
    decimals = 2 if abs(value) < 10 else 1
    text = f"{value:.3f}" if unit == "share" else f"{value:.{decimals}f} {unit}"
    return text.replace("-", "" if float(text.split()[0]) == 0 else "−")


@_EACH
def test_cards_hold_the_metrics_of_the_large_head(link: dict[str, str], wanted: Wanted) -> None:
    app = opened(HEADS, **link)
    cards = _cards(app)
    assert len(cards) == len(METRICS)
    for name, metric in METRICS.items():
        value = metric.compute(wanted.trace, wanted.matrices)[wanted.layer, wanted.head]
        even = metric.even(wanted.trace, wanted.matrices)[wanted.layer, wanted.head]
        assert cards[EN[f"metric.{name}"]] == (_written(name, value), f"even: {_written(name, even)}")


@_EACH
def test_the_table_holds_the_metrics_of_every_head(link: dict[str, str], wanted: Wanted) -> None:
    (table,) = [frame.value for frame in opened(HEADS, **link).dataframe]
    n_heads = wanted.trace.spec.n_heads
    assert list(table[EN["metrics.head"]]) == ["even", *(f"H{head}" for head in range(n_heads))]
    for name, metric in METRICS.items():
        column = table[EN[f"metric.{name}"]].to_numpy(dtype=float)
        even = metric.even(wanted.trace, wanted.matrices)[wanted.layer, wanted.head]
        assert column[0] == pytest.approx(even, abs=1e-6, nan_ok=True)
        np.testing.assert_allclose(column[1:], metric.compute(wanted.trace, wanted.matrices)[wanted.layer], atol=1e-5)


def test_shares_computed_by_hand() -> None:
    """Head 0 of the toy looks at the previous token: the card is the mean of the diagonal below the main one."""
    wanted = Wanted()
    below = np.diagonal(wanted.large, offset=-1)
    shown, even = _cards(opened(HEADS))[EN["metric.previous"]]
    assert shown == f"{below.sum() / len(wanted.large):.3f}"
    assert even == f"even: {11 / 12 / 12:.3f}"


def test_a_metric_without_a_number_is_a_dash() -> None:
    """With every key hidden, no row means anything."""
    app = opened(HEADS, text="a b", padding="1", padding_last="2")
    assert untroubled(app)
    assert {value for value, _ in _cards(app).values()} == {"–"}
    assert where(app) == EN["focus.nothing"]


@_EACH
def test_the_sentence_says_the_strongest_weight_of_the_head(link: dict[str, str], wanted: Wanted) -> None:
    weights = np.nan_to_num(wanted.large)
    weights[np.flatnonzero(wanted.trace.padding)] = 0
    several = wanted.trace.visible[wanted.layer, wanted.head].sum(axis=-1) > 1
    weights[~several] = 0
    row, key = np.unravel_index(weights.argmax(), weights.shape)
    tokens = wanted.tokens.tokens
    sentence = where(opened(HEADS, **link))
    assert sentence.startswith(f"Strongest: “{tokens[row]}” ({row}) looks at “{tokens[key]}” ({key}): ")
    assert f"{weights.max():.2f}." in sentence


@_EACH
@pytest.mark.parametrize("position", [1, 7])
def test_the_sentence_follows_the_chosen_token(link: dict[str, str], wanted: Wanted, position: int) -> None:
    app = opened(HEADS, **link)
    app.selectbox(key="focus").select(position).run()
    row = np.nan_to_num(wanted.large[position])
    order = np.argsort(-row)
    tokens = wanted.tokens.tokens
    sentence = where(app)
    assert sentence.startswith(f"“{tokens[position]}” ({position}) looks")
    assert f"“{tokens[order[0]]}” ({order[0]}): {row[order[0]]:.2f}." in sentence
    assert app.query_params == {**link, "focus": str(position)}
    (outline,) = figure(app, "large_head")["layout"]["shapes"]
    assert (outline["y0"], outline["y1"]) == (position - 0.5, position + 0.5)


def test_the_sentence_for_equal_weights_one_key_and_none() -> None:
    app = opened(HEADS, temperature="inf", focus="3")
    assert where(app) == f"“cross” (3) looks evenly at 12 tokens: {1 / 12:.3f} each."
    app = opened(HEADS, causal="1", focus="0")
    assert where(app) == "“The” (0) may look at one key only: “The” (0)."
    app = opened(HEADS, text="a b c", padding="1", window="1", window_radius="0", focus="2")
    assert where(app) == "“c” (2) may look at no key: all are hidden from it."


def test_the_badge_is_measured_on_the_run() -> None:
    link = {"text": "a b c d e", "source": "minilm", "causal": "1", "padding": "1", "window": "1", "window_radius": "0"}
    mask = Causal() & Padding(1) & LocalWindow(0)
    wanted = Wanted(text="a b c d e", source="minilm", controls=Controls(mask=mask))
    app = opened(HEADS, **link)
    shows(app, wanted)
    (badge,) = map(plain, bodies(app, "mha-badge"))
    checks = wanted.trace.checks
    assert f"allowed {checks.tolerance:.0e}" in badge
    assert f"error ≤ {checks.row_sum_error:.0e}" in badge
    hidden = int((~wanted.trace.visible).sum())
    assert f"{hidden:,} hidden cells exactly 0" in badge
    assert "72 rows without a key" in badge  # one in each head of each layer
    assert checks.hidden_weight == 0.0
    conditions = wanted.trace.conditions
    assert f"{conditions.device} ({conditions.device_name}), {conditions.dtype}" in badge
    assert EN["checks.eval"] in badge
    assert EN["heads.reads"] in badge


def test_nothing_hidden_is_said_so() -> None:
    (badge,) = map(plain, bodies(opened(HEADS), "mha-badge"))
    assert EN["checks.nothing_hidden"] in badge
    assert "without a key" not in badge


def _how(app: AppTest) -> str:
    (badge,) = map(plain, bodies(app, "mha-badge"))
    found = re.search(r"forward pass [\d.]+ ms \((.*?)\)", badge)
    assert found
    assert re.search(r"figures \d+ ms", badge)
    return found[1]


def test_a_run_at_hand_is_called_cached_and_a_new_one_is_not() -> None:
    st.cache_data.clear()
    cache.forget_runs()
    app = opened(HEADS, source="minilm")
    assert _how(app) == EN["time.fresh"]
    app.run()
    assert _how(app) == EN["time.cached"]
    app.selectbox(key="head").select(3).run()
    assert _how(app) == EN["time.cached"]
    app.select_slider(key="temperature").set_value(3.0).run()
    assert _how(app) == EN["time.fresh"]
    button(app, "controls.reset").click().run()
    assert _how(app) == EN["time.cached"]


def test_the_token_strip_counts() -> None:
    app = opened(HEADS, source="minilm", text="unaffable zebras")
    tokens = Wanted(source="minilm", text="unaffable zebras").tokens
    (strip,) = bodies(app, "mha-tokens")
    assert f"{tokens.n_tokens} of 512 tokens · 2 special · 0 unknown" in plain(strip)
    assert strip.count("role='listitem'") == tokens.n_tokens
    assert strip.count("class='mha-word'") == 2 + 2  # [CLS], two words in pieces, [SEP]


def test_each_designed_head_says_how_it_is_built_and_what_it_keeps() -> None:
    wanted = Wanted(head=1)
    app = opened(HEADS, head="1", temperature="2")
    (expander,) = [box for box in app.expander if "H1 (next)" in box.label]
    text = " ".join(element.value for element in expander.markdown)
    assert EN["job.next.how"] in text
    assert f"**{np.diagonal(wanted.large, offset=1).mean():.3f}**" in text
    tempered = Wanted(head=1, controls=Controls(temperature=2.0))
    assert f"**{np.diagonal(tempered.large, offset=1).mean():.3f}**" in text


def test_random_and_bert_heads_promise_nothing() -> None:
    for link in ({"weights": "random"}, {"source": "minilm"}):
        assert not [box for box in opened(HEADS, **link).expander if "is built" in box.label]


def test_rows_of_padding_are_left_out_of_the_metrics() -> None:
    wanted = _VIEWS[3][1]
    n_tokens = wanted.tokens.n_tokens
    counted = rows_of(wanted.trace, wanted.layer).counts
    assert (counted == (np.arange(n_tokens) < n_tokens - 3)).all()
