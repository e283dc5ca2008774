"""Every control acts inside the model: the picture becomes that of an independent run with the same controls."""

from __future__ import annotations

import math

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz import METRICS, Causal, Controls, LocalWindow, Mask, Padding
from mha_viz.words.en import EN
from tests.app.driver import (
    HEADS,
    Wanted,
    assert_same,
    axis_texts,
    button,
    figure,
    grid_weights,
    large_weights,
    model,
    opened,
    said,
    shows,
    silenced,
)


def _differs(app: AppTest, wanted: Wanted) -> bool:
    return not np.allclose(large_weights(app), wanted.large, atol=1e-3, equal_nan=True)


@pytest.mark.parametrize("temperature", [0.0, 0.3, 5.0, math.inf])
@pytest.mark.parametrize("source", ["toy", "minilm"])
def test_temperature(source: str, temperature: float) -> None:
    app = opened(HEADS, source=source)
    app.select_slider(key="temperature").set_value(temperature).run()
    shows(app, Wanted(source=source, controls=Controls(temperature=temperature)))
    assert _differs(app, Wanted(source=source))


def test_the_slider_marks_the_models_own_temperature_and_reaches_both_limits() -> None:
    steps = opened(HEADS).select_slider(key="temperature").options
    assert steps[0] == "0"
    assert steps[-1] == "∞"
    assert steps.count(EN["temperature.own"]) == 1


_MASKS: list[tuple[dict[str, dict[str, int]], Mask]] = [
    ({"causal": {}}, Causal()),
    ({"padding": {"padding_last": 3}}, Padding(3)),
    ({"window": {"window_radius": 1}}, LocalWindow(1)),
    (
        {"causal": {}, "padding": {"padding_last": 2}, "window": {"window_radius": 3}},
        Causal() & Padding(2) & LocalWindow(3),
    ),
]


@pytest.mark.parametrize(("toggles", "mask"), _MASKS, ids=[" ".join(toggles) for toggles, _ in _MASKS])
@pytest.mark.parametrize("place", [{}, {"source": "minilm", "layer": "4", "head": "2"}], ids=["toy", "minilm"])
def test_masks(place: dict[str, str], toggles: dict[str, dict[str, int]], mask: Mask) -> None:
    app = opened(HEADS, **place)
    for name in toggles:
        app.toggle(key=name).set_value(True)
    app.run()
    for numbers in toggles.values():
        for name, number in numbers.items():
            app.number_input(key=name).set_value(number)
    app.run()
    source, layer, head = place.get("source", "toy"), int(place.get("layer", 0)), int(place.get("head", 0))
    wanted = Wanted(source=source, layer=layer, head=head, controls=Controls(mask=mask))
    shows(app, wanted)
    assert (np.isnan(large_weights(app)) == ~mask.visible(wanted.tokens)).all()


def test_a_mask_switched_off_and_on_keeps_its_number() -> None:
    app = opened(HEADS, window="1", window_radius="4")
    app.toggle(key="window").set_value(False).run()
    shows(app, Wanted())
    app.toggle(key="window").set_value(True).run()
    assert app.number_input(key="window_radius").value == 4
    shows(app, Wanted(controls=Controls(mask=LocalWindow(4))))


def test_a_mask_on_the_first_layer_changes_what_bert_reads_later() -> None:
    """Were the mask laid on the picture alone, the allowed weights would keep their proportions."""
    app = opened(HEADS, source="minilm", layer="5", causal="1")
    unmasked = Wanted(source="minilm", layer=5).large
    cut = np.tril(unmasked) / np.tril(unmasked).sum(axis=-1, keepdims=True)
    shown = np.nan_to_num(large_weights(app))
    assert np.abs(shown - cut).max() > 0.01


@pytest.mark.parametrize("n_heads", [1, 2, 4, 16, 64])
def test_number_of_heads(n_heads: int) -> None:
    app = opened(HEADS)
    app.selectbox(key="heads").select(n_heads).run()
    wanted = Wanted(options=(("n_heads", n_heads),))
    assert_same(grid_weights(app), wanted.heads)
    (sizes,) = [caption.value for caption in app.caption if caption.value.startswith("d_k")]
    assert f"= {64 // n_heads}." in sizes
    assert "16,384 parameters" in sizes


def test_only_head_counts_that_divide_are_offered() -> None:
    app = opened(HEADS)
    app.number_input(key="d_model").set_value(48).run()
    assert app.selectbox(key="heads").options == ["1", "2", "3", "4", "6", "8", "12", "16", "24", "48"]


def test_a_width_that_the_heads_do_not_divide_is_explained_and_drawn_with_fewer() -> None:
    app = opened(HEADS)
    app.number_input(key="d_model").set_value(60).run()
    (sentence,) = said(app)
    assert "8 heads" in sentence
    assert "60" in sentence
    assert "6" in sentence
    assert app.selectbox(key="heads").value == 6
    assert_same(grid_weights(app), Wanted(options=(("d_model", 60), ("n_heads", 6))).heads)
    app.run()
    assert said(app) == []


def test_seed_and_random_weights() -> None:
    app = opened(HEADS, weights="random")
    shows(app, Wanted(options=(("weights", "random"),)))
    app.number_input(key="seed").set_value(3).run()
    shows(app, Wanted(options=(("weights", "random"), ("seed", 3))))
    assert _differs(app, Wanted(options=(("weights", "random"),)))


def test_heads_kept_the_first_few() -> None:
    app = opened(HEADS, source="minilm", layer="3")
    app.selectbox(key="kept").select("first").run()
    app.slider(key="keep").set_value(2).run()
    shows(app, Wanted(source="minilm", layer=3, controls=silenced(6, 12, {0, 1})))
    assert _differs(app, Wanted(source="minilm", layer=3))
    names = [trace["name"] for trace in figure(app, "grid")["data"]]
    assert [head for head, name in enumerate(names) if "silenced" in name] == list(range(2, 12))


def test_heads_kept_from_a_list() -> None:
    app = opened(HEADS, source="minilm", layer="3")
    app.selectbox(key="kept").select("picked").run()
    shows(app, Wanted(source="minilm", layer=3, controls=silenced(6, 12, {0})))
    app.pills(key="picked").set_value([1, 4, 10]).run()
    shows(app, Wanted(source="minilm", layer=3, controls=silenced(6, 12, {1, 4, 10})))


def test_a_list_without_a_head_keeps_one() -> None:
    app = opened(HEADS, source="minilm", kept="picked", picked="3")
    app.pills(key="picked").set_value([]).run()
    shows(app, Wanted(source="minilm", controls=silenced(6, 12, {0})))
    assert app.pills(key="picked").value == [0]


def test_heads_kept_by_entropy() -> None:
    """The lowest entropies of the model as it is, layer by layer."""
    app = opened(HEADS, source="minilm", layer="4", head="6")
    app.selectbox(key="kept").select("entropy").run()
    app.slider(key="keep").set_value(3).run()
    entropy = METRICS["entropy"].compute(Wanted(source="minilm").trace)
    kept = [set(np.argsort(entropy[layer])[:3].tolist()) for layer in range(6)]
    others = frozenset(mha_viz.HeadId(layer, h) for layer in range(6) for h in range(12) if h not in kept[layer])
    shows(app, Wanted(source="minilm", layer=4, head=6, controls=Controls(silenced=others)))
    assert _differs(app, Wanted(source="minilm", layer=4, head=6))


def test_the_toy_and_bert_each_keep_their_controls() -> None:
    app = opened(HEADS, heads="4", source="minilm", kept="first", keep="3", layer="2")
    assert [box.key for box in app.selectbox if box.key in ("heads", "kept")] == ["kept"]
    app.segmented_control(key="source").select("toy").run()
    shows(app, Wanted(options=(("n_heads", 4),)))
    app.segmented_control(key="source").select("minilm").run()
    app.selectbox(key="layer").select(2).run()
    shows(app, Wanted(source="minilm", layer=2, controls=silenced(6, 12, {0, 1, 2})))


def test_the_reset_button_puts_every_control_back() -> None:
    link = {"weights": "random", "d_model": "32", "heads": "2", "seed": "5", "temperature": "0.2"}
    app = opened(HEADS, text="a rose is a rose", causal="1", padding="1", window="1", window_radius="3", **link)
    button(app, "controls.reset").click().run()
    shows(app, Wanted(text="a rose is a rose"))
    assert app.query_params == {"text": "a rose is a rose"}
    assert not any(toggle.value for toggle in app.toggle)


def test_the_reset_button_puts_bert_back() -> None:
    app = opened(HEADS, source="minilm", layer="5", kept="picked", picked="1.2", padding="1", padding_last="4")
    button(app, "controls.reset").click().run()
    shows(app, Wanted(source="minilm"))
    assert app.query_params == {"source": "minilm"}


def test_a_head_that_is_gone_is_not_looked_at() -> None:
    app = opened(HEADS, head="7")
    app.selectbox(key="heads").select(2).run()
    shows(app, Wanted(options=(("n_heads", 2),), head=1))
    assert app.selectbox(key="head").value == 1


@pytest.mark.parametrize("name", ["coreference", "repeated", "pair", "chinese", "mask"])
def test_examples(name: str) -> None:
    app = opened(HEADS, focus="9", pair="something else")
    app.menu_button(key="example").click(name).run()
    wanted = Wanted(text=EN[f"example.{name}"], pair=EN.get(f"example.{name}.pair"))
    shows(app, wanted)
    assert axis_texts(app) == list(wanted.tokens.tokens)
    assert app.selectbox(key="focus").value is None


def test_the_masked_example_is_one_special_token_on_bert() -> None:
    app = opened(HEADS, source="minilm")
    app.menu_button(key="example").click("mask").run()
    assert axis_texts(app) == ["[CLS]", "my", "name", "is", "[MASK]", ".", "[SEP]"]


def test_a_controls_model_is_shared_but_never_changed() -> None:
    before = Wanted(source="minilm", layer=2).large.copy()
    opened(HEADS, source="minilm", layer="2", temperature="0", kept="first", keep="1")
    again = model("minilm").run(Wanted(source="minilm").tokens).weights[2, 0]
    assert_same(again, before)
    shows(opened(HEADS, source="minilm", layer="2"), Wanted(source="minilm", layer=2))
