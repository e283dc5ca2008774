"""One head: the norms beside the weights, its type, its relatives, its plane, as independent computations have them."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.analysis.cka import output_similarity
from mha_viz.analysis.distances import distances_from
from mha_viz.analysis.types import title_of, types_of
from mha_viz.analysis.vectors import projected
from mha_viz.metrics import METRICS
from mha_viz.words import say
from tests.app.driver import Wanted, bodies, decoded, figure, opened, plain, shows, untroubled

PAGE = "pages/one_head.py"
BERT = Wanted(source="minilm", layer=5, head=11)


def there(**link: str) -> AppTest:
    return opened(PAGE, source="minilm", layer="5", head="11", **link)


def told(app: AppTest) -> str:
    texts = [*(part.value for part in app.markdown), *(part.value for part in app.caption)]
    return " ".join([*texts, *map(plain, bodies(app, "mha-where"))]).replace("\\", "").replace("\u200b", "")


def norms() -> np.ndarray:
    """||alpha f(x)|| by hand: each key's value through this head's rows of W_O, as long as it is, times the weight."""
    vectors, matrix = BERT.trace.vectors, BERT.matrices[5]
    assert vectors is not None
    written = vectors.value[5][11] @ matrix[11 * 32 : 12 * 32]
    return BERT.trace.weights[5, 11] * np.linalg.norm(written, axis=-1)


def test_what_it_writes_stands_beside_what_it_reads() -> None:
    app = there()
    shows(app, BERT)
    np.testing.assert_allclose(decoded(figure(app, "writes")["data"][0]["z"]), norms(), atol=1e-4)
    assert "“animal” (2) gets the largest share of the weight, 0.42, and 0.72 of what is written" in told(app)


def test_a_key_with_much_weight_may_hand_on_little() -> None:
    """A head is looked for in which the key that gets most is not the one that most is taken from."""
    vectors = BERT.trace.vectors
    assert vectors is not None
    for layer, head in np.ndindex(6, 12):
        written = vectors.value[layer][head] @ BERT.matrices[layer][head * 32 : head * 32 + 32]
        weights = BERT.trace.weights[layer, head]
        taken = weights * np.linalg.norm(written, axis=-1)
        shares = (taken / taken.sum(axis=-1, keepdims=True)).mean(axis=0)
        most, other = int(weights.mean(axis=0).argmax()), int(shares.argmax())
        if most != other:
            break
    app = opened(PAGE, source="minilm", layer=str(layer), head=str(head))
    names = [f"“{BERT.tokens.tokens[place]}” ({place})" for place in (most, other)]
    shown = {
        "weights": f"{weights.mean(axis=0)[most]:.2f}",
        "norms": f"{shares[most]:.2f}",
        "share": f"{shares[other]:.2f}",
    }
    assert say("one_head.other_most", key=names[0], other=names[1], **shown) in told(app)


def test_the_type_is_told_with_its_rule_and_the_share_of_the_output() -> None:
    app = opened(PAGE, source="minilm", layer="0", head="2")
    types = types_of(BERT.trace)
    assert types.names[0, 2] == "previous"
    assert say("one_head.type", type=title_of("previous")) in told(app)
    assert f"Here: {types.strength[0, 2]:.2f}; even attention would give {types.even[0, 2]:.2f}." in told(app)
    share = METRICS["output_share"].compute(BERT.trace, BERT.matrices)[0, 2]
    assert f"It makes **{share:.3f}** of the output of layer 0 (equal heads would make 0.083 each)" in told(app)


def test_the_strongest_cells_are_told_in_words() -> None:
    weights = BERT.trace.weights[5, 11]
    query, key = np.unravel_index(weights.argmax(), weights.shape)
    tokens = BERT.tokens.tokens
    assert f"Strongest: “{tokens[query]}” ({query}) → “{tokens[key]}” ({key}) {weights.max():.2f}" in told(there())


def test_its_relatives_are_ranked_by_divergence_and_say_how_alike_their_outputs_are() -> None:
    app = there()
    apart = distances_from(BERT.trace, 5, 11).ravel()
    order = [place for place in np.argsort(apart, kind="stable") if place != 71]
    for name, places in (("near", order[:5]), ("far", order[::-1][:5])):
        buttons = [one for one in app.button if (one.key or "").startswith(f"relative_{name}_")]
        assert [one.label for one in buttons] == [f"L{place // 12} H{place % 12}" for place in places]
    alike = output_similarity(BERT.trace)[71, order[0]]
    nearest = say(
        "relatives.line",
        distance=f"{apart[order[0]]:.3f}",
        type=title_of(str(types_of(BERT.trace).names.ravel()[order[0]])),
    )
    assert f"{nearest} {say('relatives.outputs', likeness=f'{alike:.2f}')}" in told(app)
    assert say("map.few_tokens", n_tokens=16, d_k=32) in told(app)


def test_the_heads_before_and_after_are_a_click_away_and_go_round() -> None:
    app = there()
    after = app.button(key="head_after")
    assert after.label == "L0 H0"
    after.click().run()
    assert (app.session_state["layer"], app.session_state["head"]) == (0, 0)
    assert app.button(key="head_before").label == "L5 H11"


def test_the_stages_are_those_of_this_head() -> None:
    app = there(head_view="stages", focus="10")
    stages = figure(app, "stages")["data"]
    np.testing.assert_allclose(decoded(stages[4]["z"]), BERT.large, atol=2e-6)


def test_queries_and_keys_stand_in_the_plane_that_keeps_their_products() -> None:
    app = there(head_view="vectors", focus="10")
    points = projected(BERT.trace, 5, 11)
    data = figure(app, "vectors")["data"]
    for trace, places in zip(data[:2], (points.query, points.key), strict=True):
        np.testing.assert_allclose(np.column_stack([decoded(trace["x"]), decoded(trace["y"])]), places, atol=1e-6)
    lines = [shape for shape in figure(app, "vectors")["layout"]["shapes"] if shape["type"] == "line"]
    assert len(lines) == 5
    best = int(BERT.large[10].argmax())
    thickest = max(lines, key=lambda line: line["line"]["width"])
    assert (thickest["x0"], thickest["x1"]) == pytest.approx((points.query[10, 0], points.key[best, 0]))
    assert say("one_head.keeps", share=f"{points.share:.2f}", correlation=f"{points.correlation:.2f}") in told(app)


def test_a_silenced_head_writes_nothing() -> None:
    app = opened(PAGE, source="minilm", layer="5", head="11", kept="first", keep="4")
    assert say("one_head.writes_nothing") in told(app)
    assert "nan" not in told(app)


def test_by_words_the_picture_of_what_is_read_changes_and_that_of_what_is_written_does_not() -> None:
    app = there(level="words", specials="renormalised")
    assert decoded(figure(app, "large_head")["data"][0]["z"]).shape == (14, 14)
    assert decoded(figure(app, "writes")["data"][0]["z"]).shape == (16, 16)
    assert say("one_head.writes_pieces") in told(app)


@pytest.mark.parametrize("view", ["reads", "stages", "vectors"])
@pytest.mark.parametrize(
    "text", ["Hi", ".", "the the the the", "今天天气很好，我们去公园散步吧。", "<s> **b** $y$ &amp; 🙂"]
)
def test_odd_sentences_are_shown(view: str, text: str) -> None:
    for link in ({"source": "toy", "heads": "4"}, {"source": "toy", "heads": "1"}, {"source": "minilm"}):
        app = opened(PAGE, head_view=view, text=text, **link)
        assert untroubled(app)
        assert not app.error


@pytest.mark.parametrize("view", ["reads", "stages", "vectors"])
def test_rows_without_a_key_are_shown(view: str) -> None:
    app = opened(PAGE, source="minilm", head_view=view, blocks="1", padding="1", padding_last="6")
    assert untroubled(app)
