"""Figures without a source."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
import torch

from mha_viz.labs.budget import published
from mha_viz.labs.pitfalls import sources, sources_tried
from mha_viz.labs.pitfalls.sources import FIGURES, OF_HEADS, SourcesOptions, try_it
from mha_viz.labs.stored import stored


def tried(figure):
    return try_it(SourcesOptions(figure=figure))


def changed(figure, name, instead, monkeypatch, module=sources_tried):
    """Trials before and after something is replaced; the sentence must have changed."""
    before = tried(figure)
    monkeypatch.setattr(module, name, instead)
    after = tried(figure)
    assert str(before.verdict) != str(after.verdict)
    return before.outcome, after.outcome


def test_each_figure_has_an_outcome():
    expected = dict.fromkeys(FIGURES, "unknown") | dict.fromkeys(("interleaved", "speed", "found"), "false")
    assert {figure: tried(figure).outcome for figure in FIGURES} == expected


@pytest.mark.parametrize("figure", OF_HEADS)
def test_what_is_published_and_measured_stands_in_the_sentence(figure, monkeypatch):
    """Vaswani et al. 2017, Table 3: 24.9 BLEU with one head, 25.8 with 8 and 16."""
    values = tried(figure).verdict.values
    assert (values["one"], values["eight"], values["sixteen"]) == (24.9, 25.8, 25.8)
    finals = {h: [row["final"] for row in _movies() if row["heads"] == h] for h in (1, 8)}
    assert values["few_right"] == pytest.approx(100 * fmean(finals[1]))
    assert values["many_right"] == pytest.approx(100 * fmean(finals[8]))
    result = stored("texts")
    better = [row | ({"final": row["final"] + 0.05} if row.get("heads") == 8 else {}) for row in result.rows]
    other = replace(result, rows=tuple(better))
    assert changed(figure, "stored", lambda lab: other, monkeypatch, sources) == ("unknown", "unknown")
    assert "+5.0" in str(tried(figure).verdict)


@pytest.mark.parametrize("figure", OF_HEADS)
def test_other_published_scores_change_the_sentence(figure, monkeypatch):
    book = published()
    other = book._replace(scores=book.scores._replace(bleu=(20.0, 25.5, 27.0, 26.0, 25.4)))
    changed(figure, "published", lambda: other, monkeypatch, sources)


def _movies():
    return [row for row in stored("texts").rows if row["data"] == "movies" and row["kind"] == "net"]


def test_both_layouts_are_one_function(monkeypatch):
    found = sources_tried.both_layouts()
    assert found["output"] < 1e-14
    np.testing.assert_allclose(found["told"], found["right"], atol=1e-14)

    def rolled(projected):
        return sources_tried.contiguous(projected.roll(1, dims=1))

    assert changed("interleaved", "interleaved", rolled, monkeypatch) == ("false", "unknown")


def test_the_contiguous_layout_is_torchs():
    x, W_Q, W_K, W_V, W_O = sources_tried._drawn()
    theirs = torch.nn.MultiheadAttention(16, 4, bias=False, batch_first=True, dtype=torch.float64)
    theirs.in_proj_weight.data = torch.cat([W_Q.T, W_K.T, W_V.T])
    theirs.out_proj.weight.data = W_O.T
    _, weights = theirs(x[None], x[None], x[None], average_attn_weights=False)
    np.testing.assert_allclose(sources_tried.both_layouts()["right"], weights[0, 0].detach(), atol=1e-12)


def test_a_window_cuts_what_is_further_back(monkeypatch):
    found = sources_tried.reach()
    assert min(found["told"][:6]) > 0
    assert found["told"][6:] == [0.0] * 18
    assert min(found["right"]) > 0
    whole = sources_tried.windowed

    def leaky(query, key, value, window):
        return whole(query, key, value, 24)

    assert changed("masks", "windowed", leaky, monkeypatch) == ("unknown", "unknown")


def test_the_windowed_output_is_torchs_with_a_mask():
    query, key, value = torch.randn(3, 7, 4, dtype=torch.float64)
    back = torch.arange(7)[:, None] - torch.arange(7)
    expected = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=(back >= 0) & (back < 3))
    torch.testing.assert_close(sources_tried.windowed(query, key, value, 3), expected)


def test_a_layernorm_on_scores_works_at_no_length(monkeypatch):
    assert tried("speed").found["table"] == [
        [8, "fails", "fails"],
        [12, "fails", "fails"],
        [16, "runs", "nan"],
        [24, "fails", "fails"],
    ]

    def usual(query, key, norm, visible):
        scores = query @ key.T
        return (scores if visible is None else scores.masked_fill(~visible, -torch.inf)).softmax(-1)

    assert changed("speed", "normed_scores", usual, monkeypatch) == ("false", "unknown")


def test_two_checks_find_one_fault_of_ten_and_a_better_one_would_flip_it(monkeypatch):
    assert [name for name, found in tried("found").found["faults"] if found] == ["shape"]

    def nothing_passes(call, x):
        return False

    assert changed("found", "shape_kept", nothing_passes, monkeypatch) == ("false", "holds")


def test_every_planted_fault_is_one():
    """None of them is the module that torch has."""
    x, W_Q, W_K, W_V, W_O = sources_tried._drawn()
    theirs = torch.nn.MultiheadAttention(16, 4, bias=False, batch_first=True, dtype=torch.float64)
    theirs.in_proj_weight.data = torch.cat([W_Q.T, W_K.T, W_V.T])
    theirs.out_proj.weight.data = W_O.T
    hidden = torch.ones(6, 6, dtype=torch.bool).triu(1)
    right = [theirs(x[None], x[None], x[None], attn_mask=mask)[0] for mask in (None, hidden)]
    for name, call in sources_tried.faults().items():
        output = call(x[None])
        masked = name in ("open_mask", "after_softmax")
        same = output.shape == x[None].shape and torch.allclose(output, right[masked], atol=1e-6)
        assert not same, name
