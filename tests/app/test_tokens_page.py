"""One token in every head, and find the head: what stands on the page is what an independent run says."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz import Causal, Controls
from mha_viz.analysis.find import find_head
from mha_viz.analysis.reading import read
from mha_viz.ui.find_view import common_luck
from mha_viz.words import say
from tests.app.driver import Wanted, decoded, figure, opened, said, untroubled

PAGE = "pages/tokens.py"
BERT = Wanted(source="minilm")
IT, ANIMAL = 10, 2


def matrix(app: AppTest, key: str) -> np.ndarray:
    return decoded(figure(app, key)["data"][0]["z"])


def told(app: AppTest) -> str:
    texts = [*(part.value for part in app.markdown), *(part.value for part in app.caption)]
    return " ".join(texts).replace("\\", "").replace("\u200b", "")


def table(app: AppTest):
    (found,) = app.dataframe
    return found.value


def test_as_a_query_each_head_shows_its_strongest_key() -> None:
    app = opened(PAGE, source="minilm", focus=str(IT))
    rows = BERT.trace.weights[:, :, IT]
    np.testing.assert_allclose(matrix(app, "as_query"), rows.max(axis=-1), atol=1e-6)
    texts = figure(app, "as_query")["data"][0]["text"]
    strongest = rows.argmax(axis=-1)
    assert texts[5][11] == "animal" == BERT.tokens.tokens[strongest[5, 11]]
    assert texts[0][2] == "because"
    layer, head = np.unravel_index(rows.max(axis=-1).argmax(), rows.shape[:2])
    assert f"Most decided: L{layer} H{head} → “{BERT.tokens.tokens[strongest[layer, head]]}”" in told(app)


def test_as_a_key_each_head_shows_what_it_gives_the_token_on_average() -> None:
    app = opened(PAGE, source="minilm", focus=str(IT))
    np.testing.assert_allclose(matrix(app, "as_key"), BERT.trace.weights[..., IT].mean(axis=-1), atol=1e-6)
    assert "even attention would give 0.062" in told(app)


def test_under_a_mask_only_rows_that_may_see_the_token_count() -> None:
    app = opened(PAGE, source="minilm", focus=str(IT), causal="1")
    weights = Wanted(source="minilm", controls=Controls(mask=Causal())).trace.weights
    np.testing.assert_allclose(matrix(app, "as_key"), weights[:, :, IT:, IT].mean(axis=-1), atol=1e-6)
    even = np.mean([1 / (row + 1) for row in range(IT, 16)])
    assert f"even attention would give {even:.3f}" in told(app)
    bars = figure(app, "token_row")["data"][0]["y"]
    assert len(decoded(bars)) == IT + 1


def test_a_query_without_a_choice_is_not_called_decided() -> None:
    assert "Most decided" not in told(opened(PAGE, source="minilm", focus="0", causal="1"))


def test_hidden_special_tokens_still_share_what_even_attention_would_give() -> None:
    for specials, even in (("hidden", 1 / 16), ("renormalised", 1 / 14)):
        app = opened(PAGE, source="minilm", focus=str(IT), specials=specials)
        assert f"even attention would give {even:.3f}" in told(app)
        (line,) = figure(app, "token_row")["layout"]["shapes"]
        assert line["y0"] == pytest.approx(even)


def test_a_row_of_padding_is_not_told() -> None:
    app = opened(PAGE, source="minilm", focus="15", padding="1", padding_last="3")
    assert np.isnan(matrix(app, "as_query")).all()


def test_the_chosen_heads_row_and_column_stand_below_as_bars() -> None:
    app = opened(PAGE, source="minilm", focus=str(IT), layer="5", head="11")
    head = BERT.trace.weights[5, 11]
    np.testing.assert_allclose(decoded(figure(app, "token_row")["data"][0]["y"]), head[IT], atol=1e-6)
    np.testing.assert_allclose(decoded(figure(app, "token_column")["data"][0]["y"]), head[:, IT], atol=1e-6)


def test_of_a_long_sentence_the_largest_bars_are_drawn_and_it_is_said() -> None:
    text = "a b c d e f g h i j k l m n o p q r s t u v w x y z " * 3
    app = opened(PAGE, text=text, focus="5")
    assert len(decoded(figure(app, "token_row")["data"][0]["y"])) == 40
    assert say("token.some", shown=40, total=78) in told(app)


def test_without_a_chosen_token_one_is_shown_and_the_page_says_so() -> None:
    app = opened(PAGE)
    assert "No token is chosen. Shown is “" in told(app)
    assert matrix(app, "as_query").shape == (1, 8)


def test_by_words_and_without_special_tokens_a_token_is_its_word() -> None:
    text = "Unbelievably, the tokenizers disagree."
    wanted = Wanted(text=text, source="minilm")
    shown = read(wanted.trace, "words", "renormalised")
    position = next(group[1] for group in shown.groups if len(group) > 1)  # a piece within a word
    app = opened(PAGE, source="minilm", text=text, focus=str(position), level="words", specials="renormalised")
    place = shown.place_of(position)
    np.testing.assert_allclose(matrix(app, "as_query"), shown.weights[:, :, place].max(axis=-1), atol=1e-6)


# Find the head


def test_all_heads_are_ranked_by_the_weight_between_two_tokens() -> None:
    app = opened(PAGE, source="minilm", token_view="find", focus=str(IT), key=str(ANIMAL))
    weights = BERT.trace.weights[:, :, IT, ANIMAL]
    np.testing.assert_allclose(matrix(app, "found_matrix"), weights, atol=1e-6)
    rows = table(app)
    assert rows[say("overview.head_column")].tolist()[:2] == ["L3 H1", "L5 H11"]  # .677 and .673 (science.md 1.5)
    np.testing.assert_allclose(rows[say("find.weight")], np.sort(weights.ravel())[::-1], atol=1e-6)
    np.testing.assert_allclose(rows[say("find.times")], rows[say("find.weight")] * 16, rtol=1e-5)
    first = BERT.trace.weights[3, 1]
    as_large = 100 * (first >= first[IT, ANIMAL]).mean()
    assert rows[say("find.larger")].iloc[0] == pytest.approx(as_large, abs=1e-6)
    assert "most in **L3 H1**, 0.677: 10.8 times chance, number 1 among its keys" in told(app)


def test_how_many_heads_link_any_two_words_is_counted() -> None:
    app = opened(PAGE, source="minilm", token_view="find", focus=str(IT), key=str(ANIMAL))
    weights = BERT.trace.weights
    counts = (weights * 16 >= 3).sum(axis=(0, 1))
    usual = int(np.median(counts))
    assert common_luck(read(BERT.trace), np.full((6, 12, 16), 16)) == usual
    assert say("find.luck", times="3", here=counts[IT, ANIMAL], usual=usual, n_heads=72) in told(app)


@pytest.mark.parametrize(("specials", "n_keys"), [("raw", 16), ("hidden", 16), ("renormalised", 14)])
def test_hidden_special_tokens_still_share_the_row_unless_it_is_renormalised(specials: str, n_keys: int) -> None:
    app = opened(PAGE, source="minilm", token_view="find", focus=str(IT), key=str(ANIMAL), specials=specials)
    assert table(app)[say("find.chance")].tolist() == pytest.approx([1 / n_keys] * 72)


def test_a_key_is_let_go_when_the_sentence_changes() -> None:
    app = opened(PAGE, token_view="find", focus="1", key="2")
    app.text_input(key="text").set_value("another sentence with words").run()
    assert app.session_state["key"] is None


def test_a_key_beyond_the_sentence_is_told() -> None:
    app = opened(PAGE, token_view="find", key="400")
    assert any("key = 400" in text for text in said(app))
    assert app.session_state["key"] is None


def test_the_toys_head_for_the_same_word_is_found_for_a_repeated_word() -> None:
    app = opened(PAGE, text="the cat saw a cat", token_view="find", focus="4", key="1")
    assert table(app)[say("overview.head_column")].iloc[0] == "L0 H4"


def test_a_filter_leaves_heads_out_of_the_ranking() -> None:
    link = {"source": "minilm", "token_view": "find", "focus": str(IT), "key": str(ANIMAL)}
    app = opened(PAGE, **link, metric="first", metric_high="0.3")
    n_left = int((BERT.trace.weights[..., 0].mean(axis=-1) <= 0.3).sum())
    assert len(table(app)) == n_left < 72
    assert say("find.filtered", n_left=n_left, n_heads=72) in told(app)


def test_without_a_pair_the_page_says_how_to_choose_one() -> None:
    app = opened(PAGE, token_view="find", focus="3")
    assert any(say("find.choose") in text for text in said(app))
    assert not app.dataframe


def test_a_hidden_pair_is_called_hidden() -> None:
    app = opened(PAGE, source="minilm", token_view="find", focus="2", key="9", causal="1")
    assert any("is hidden" in text for text in said(app))
    assert untroubled(app)


def test_one_layer_may_hide_what_others_show() -> None:
    app = opened(PAGE, source="minilm", token_view="find", focus="2", key="9", causal="1", in_layers="0.1")
    assert len(table(app)) == 48
    masked = Wanted(source="minilm", controls=Controls(mask=Causal(), layers=frozenset({0, 1})))
    assert np.isnan(find_head(read(masked.trace), 2, 9).weight[:2]).all()


def test_heads_like_the_chosen_one_are_a_click_away() -> None:
    app = opened(PAGE, source="minilm", token_view="find", layer="2", head="7")
    (nearest, *_) = [one for one in app.button if (one.key or "").startswith("relative_near_")]
    assert nearest.label == "L4 H5"  # the nearest pair of science.md 1.9
    nearest.click().run()
    assert (app.session_state["layer"], app.session_state["head"]) == (4, 5)


@pytest.mark.parametrize("view", ["token", "find"])
@pytest.mark.parametrize(
    "text", ["Hi", ".", "the the the the", "今天天气很好，我们去公园散步吧。", "<s> **b** $y$ [a](b) `c`"]
)
def test_odd_sentences_are_shown(view: str, text: str) -> None:
    for source in ("toy", "minilm"):
        app = opened(PAGE, source=source, token_view=view, text=text, focus="0", key="0")
        assert untroubled(app)
        assert not app.error


def test_tokens_are_never_markdown() -> None:
    app = opened(PAGE, text="**bold** $x$", focus="0", key="1", token_view="find")
    (best,) = [part.value for part in app.markdown if "most in" in part.value]
    assert "“\\*\\*bold\\*\\*”" in best
    assert "$x$" not in best


def test_a_row_without_a_key_has_a_dash_and_no_bars() -> None:
    app = opened(PAGE, source="minilm", focus="2", hide_query="1", hide_query_position="2")
    assert untroubled(app)
    assert np.isnan(matrix(app, "as_query")).all() or "hide_query_position" in " ".join(said(app))
