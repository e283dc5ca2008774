"""Temperature repainted and in the model; equal maps; what darker means."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.spatial.distance import jensenshannon

from mha_viz.figures import theme
from mha_viz.labs.pitfalls import temperature, temperature_heads, temperature_scale
from mha_viz.labs.pitfalls.minilm import minilm
from mha_viz.labs.pitfalls.temperature import TemperatureOptions, try_it
from mha_viz.words import say
from tests.refs import arrays

#: Rounding of two ways to compute weights in float32, layer on layer.
CLOSE = 2e-5


@pytest.mark.parametrize(("tried", "name"), [("one_layer", "layer2_T4"), ("all_layers", "all_T4")])
def test_the_entropies_in_the_model_are_those_of_the_reference(tried, name):
    trial = try_it(TemperatureOptions(tried=tried))
    expected = arrays("c")[f"coref/{name}/mean_entropy_per_layer"]
    np.testing.assert_allclose(trial.found["entropies"]["inside"], expected, atol=1e-4)
    assert trial.outcome == "partly"


def test_the_repaint_is_that_of_the_reference():
    model = minilm()
    plain = model.run(model.tokenize(say("example.coreference")))
    painted = [temperature.repaint(temperature._scores(plain, layer), 4.0).numpy() for layer in range(6)]
    np.testing.assert_allclose(painted, np.squeeze(arrays("c")["coref/display_T4/attn"]), atol=CLOSE)


def test_only_layers_above_the_changed_one_part():
    trial = try_it(TemperatureOptions(layer=3, temperature=2.0))
    apart = trial.found["apart"]
    assert max(apart[:4]) < CLOSE < 0.01 < max(apart[4:])
    assert "At temperature 2 in L3 it does up to layer 3" in str(trial.verdict)


def test_a_repaint_inside_the_model_would_flip_it(monkeypatch):
    """A model in which nothing reaches the layers above; and one whose temperature is another one."""
    before = try_it(TemperatureOptions())

    def without_passing_on(model, tokens, controls):
        plain = model.run(tokens)
        weights = plain.weights.copy()
        for layer in controls.layers:
            weights[layer] = temperature.repaint(temperature._scores(plain, layer), controls.temperature)
        return weights

    monkeypatch.setattr(temperature, "inside", without_passing_on)
    same = try_it(TemperatureOptions())

    def at_temperature_one(model, tokens, controls):
        return model.run(tokens).weights

    monkeypatch.setattr(temperature, "inside", at_temperature_one)
    other = try_it(TemperatureOptions())
    assert [same.outcome, other.outcome] == ["holds", "false"]
    assert len({str(trial.verdict) for trial in (before, same, other)}) == 3


def test_three_agree():
    numpy, kernel, pytorch = try_it(TemperatureOptions(tried="equal_maps")).answers
    assert abs(numpy.weights - kernel.weights).max() < 1e-12
    assert abs(numpy.head_output - pytorch.head_output).max() < 1e-12


def test_equal_maps_write_different_things():
    trial = try_it(TemperatureOptions(tried="equal_maps"))
    assert trial.outcome == "false"
    np.testing.assert_array_equal(*trial.found["weights"])
    assert np.abs(np.subtract(*trial.found["outputs"])).max() > 0.5


def test_one_matrix_of_values_for_both_heads_would_flip_it(monkeypatch):
    before = try_it(TemperatureOptions(tried="equal_maps"))
    made = temperature_heads.two_heads

    def of_one_value(seed):
        query, key, value = made(seed)
        return query, key, value[:1].expand(2, -1, -1)

    monkeypatch.setattr(temperature_heads, "two_heads", of_one_value)
    trial = try_it(TemperatureOptions(tried="equal_maps"))
    assert trial.outcome == "holds"
    assert str(trial.verdict) != str(before.verdict)


def test_the_distance_of_maps_is_scipys_squared():
    first, second = np.random.default_rng(0).dirichlet(np.ones(5), size=(2, 4)).astype(np.float32)
    expected = np.mean(jensenshannon(first, second, axis=1) ** 2)
    assert temperature_heads.same_by_map(first, second) == pytest.approx(expected, rel=1e-4)


def test_what_is_lost_is_zero_for_equal_heads_and_known_for_others():
    one = torch.ones(1, 2, 3)
    assert temperature_heads.lost_without(torch.cat([one, one]), 0) == 0
    assert temperature_heads.lost_without(torch.cat([one, 3 * one]), 1) == pytest.approx(0.5)  # 2 for 4


def test_like_maps_in_a_model_are_no_like_outputs_and_the_numbers_decide(monkeypatch):
    maps = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)) * 0.1)
    shuffled = maps[np.ix_([3, 0, 5, 1, 4, 2], [3, 0, 5, 1, 4, 2])]
    seen = {}
    for name, outputs in (("same", maps), ("other", shuffled), ("near", 0.6 * maps + 0.4 * shuffled)):
        monkeypatch.setattr(temperature_heads, "map_distances", lambda outputs=outputs: (maps, outputs))
        seen[name] = try_it(TemperatureOptions(tried="alike"))
    assert [seen[name].outcome for name in ("same", "near", "other")] == ["holds", "partly", "false"]
    assert len({str(trial.verdict) for trial in seen.values()}) == 3


@pytest.mark.parametrize("palette", temperature_scale.NAMES)
def test_lighter_is_larger_on_every_scale_of_this_app_and_darker_on_the_reversed(palette):
    trial = try_it(TemperatureOptions(tried="darker", palette=palette))
    turned = try_it(TemperatureOptions(tried="reversed", palette=palette))
    assert [trial.outcome, turned.outcome] == ["false", "holds"]
    assert str(trial.verdict) != str(turned.verdict)


def test_a_scale_that_gets_darker_would_flip_it(monkeypatch):
    before = try_it(TemperatureOptions(tried="darker"))
    monkeypatch.setattr(theme, "stops", lambda palette: ["#ffffff", "#808080", "#000000"])
    trial = try_it(TemperatureOptions(tried="darker"))
    assert trial.outcome == "holds"
    assert str(trial.verdict) != str(before.verdict)
    monkeypatch.setattr(theme, "stops", lambda palette: ["#808080", "#ffffff", "#000000"])
    assert try_it(TemperatureOptions(tried="darker")).outcome == "partly"


@pytest.mark.parametrize(
    ("colour", "expected"),
    [("#000000", 0.0), ("#ffffff", 1.0), ("#ff0000", 0.2126), ("#808080", 0.21586)],
)
def test_luminance_is_that_of_wcag(colour, expected):
    assert temperature_scale.luminance(colour) == pytest.approx(expected, abs=2e-3)
