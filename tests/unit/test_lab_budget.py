"""The budget's arithmetic, and what is published beside it."""

from __future__ import annotations

import pytest

from mha_viz import models
from mha_viz.errors import InputError
from mha_viz.labs.budget import LEAST_D_K, Budget, published
from tests.test_architecture import loaded_after


def test_costs_are_equal_but_for_the_maps():
    costs = Budget(768, 128, 4, "bfloat16", 1.0).costs()
    assert [cost.heads for cost in costs] == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 768]
    assert {cost.heads * cost.d_k for cost in costs} == {768}
    assert {cost.parameters for cost in costs} == {4 * 768 * 768 + 4 * 768}
    assert {cost.multiply_adds for cost in costs} == {4 * (4 * 128 * 768 * 768 + 2 * 128 * 128 * 768)}
    assert [cost.map_bytes for cost in costs] == [4 * cost.heads * 128 * 128 * 2 for cost in costs]
    batches = [cost.largest_batch for cost in costs]
    assert batches == sorted(batches, reverse=True)


def test_numbers_worked_out_by_hand():
    """d 256, L 256, batch 4: 402.7 million multiply-adds; 32 heads make 4 x 32 x 65,536 numbers of maps."""
    budget = Budget(256, 256, 4)
    assert budget.multiply_adds == 402_653_184
    assert budget.map_bytes(32) == 33_554_432
    assert Budget(d_model=512).parameters == 1_050_624


def test_no_sequence_fits_into_too_little_memory():
    assert Budget(d_model=4096, gigabytes=0.001).largest_batch(1) == 0


@pytest.mark.parametrize("heads", [0, 5, 1024])
def test_heads_that_do_not_divide_are_told_with_those_that_do(heads):
    with pytest.raises(InputError, match="1, 2, 3, 4, 6, 8, 12, 16, 24, 48"):
        Budget(48).checked(heads)
    assert Budget(48).checked(48) == 48


@pytest.mark.parametrize("given", [{"d_model": 0}, {"n_tokens": 0}, {"dtype": "float8"}, {"gigabytes": 0.0}])
def test_what_cannot_be_is_refused(given):
    with pytest.raises(InputError):
        Budget(**given)


def test_the_recommendations_that_break_the_rule_are_found():
    broken = {(one.d_model, one.heads) for one in published().recommended if one.is_narrow}
    assert broken == {(128, 4), (128, 8), (256, 8), (256, 16), (512, 16), (1024, 32)}
    assert len(published().recommended) == 10


def test_of_the_models_only_minilm_breaks_it_and_is_what_the_app_loads():
    narrow = [one for one in published().models if one.is_narrow]
    assert [one.name for one in narrow] == ["MiniLM"]
    spec = models.options_for("minilm").spec
    assert (narrow[0].d_model, narrow[0].heads, narrow[0].d_k) == (spec.d_model, spec.n_heads, spec.d_k)
    assert spec.d_k < LEAST_D_K


def test_every_published_shape_divides_and_has_a_source():
    for one in published().models:
        assert one.d_k * one.heads == one.d_model
        assert any(year in one.source for year in ("2017", "2019", "2020"))


def test_the_published_comparison_is_rows_a_of_the_table():
    scores = published().scores
    assert scores.heads == (1, 4, 8, 16, 32)
    assert scores.bleu == (24.9, 25.5, 25.8, 25.8, 25.4)
    assert scores.perplexity == (5.29, 5.00, 4.92, 4.91, 5.01)
    assert "Vaswani" in scores.source


def test_nothing_heavy_is_imported_before_parameters_are_counted():
    code = "from mha_viz.labs.budget import *; Budget().map_bytes(8); published(); import mha_viz.labs.case"
    assert loaded_after(code) == set()
