"""Attention flow: by hand, against networkx, and never for more tokens than a page can wait for."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mha_viz.analysis.flow import LONGEST_FLOW, flow
from mha_viz.analysis.rollout import mixing, rollout
from mha_viz.analysis.work import finished
from mha_viz.controls import Controls
from mha_viz.errors import InputError
from mha_viz.masks import Causal, HideQuery
from mha_viz.trace import AttentionTrace
from tests.refs import arrays, tokens
from tests.unit.build import sequence, trace


def by_networkx(run: AttentionTrace, layer: int) -> np.ndarray:
    """The same with floating-point capacities, by another program and another algorithm."""
    graph = nx.DiGraph()
    for number in range(layer + 1):
        for (query, key), capacity in np.ndenumerate(mixing(run, number)):
            graph.add_edge((number + 1, query), (number, key), capacity=float(capacity))
    n = run.n_tokens
    flows = np.array([[nx.maximum_flow_value(graph, (layer + 1, i), (0, k)) for k in range(n)] for i in range(n)])
    return flows / flows.sum(axis=1, keepdims=True)


@given(st.integers(1, 5), st.integers(1, 3), st.integers(1, 3), st.integers(0, 999))
@settings(max_examples=25)
def test_it_equals_networkx(n_tokens, n_layers, n_heads, seed):
    run = trace(n_tokens, n_layers=n_layers, n_heads=n_heads, seed=seed)
    np.testing.assert_allclose(finished(flow(run, n_layers - 1)), by_networkx(run, n_layers - 1), atol=1e-6)


def test_one_layer_is_the_layer_itself():
    run = trace(5, n_layers=2)
    np.testing.assert_allclose(finished(flow(run, 0)), mixing(run, 0), atol=1e-8)


def test_two_layers_worked_by_hand():
    """A_0 = [[1, 0], [.5, .5]], A_1 = [[.5, .5], [0, 1]].

    From token 0: to input 0 over both tokens, min(.5, 1) + min(.5, .5) = 1; to input 1 over token 1 alone, min(.5, .5) = .5.
    From token 1: over token 1 alone, .5 to each. Rollout says .75 and .25 where flow says 2/3 and 1/3.
    """
    weights = np.array([[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]])[:, None]
    run = trace(2, weights=weights)
    np.testing.assert_allclose(finished(flow(run, 1)), [[2 / 3, 1 / 3], [0.5, 0.5]], atol=1e-8)
    assert rollout(run)[1, 0, 0] == 0.75


def test_minilm_flows_almost_evenly():
    """From "it": .056 to .068, which says little of what "it" stands for."""
    run = trace(sequence(tokens("d")["tokens"]), weights=arrays("d")["attn"])
    row = finished(flow(run, 5))[10]
    assert row.sum() == pytest.approx(1)
    assert row.min() == pytest.approx(0.056, abs=5e-4)
    assert row.max() == pytest.approx(0.068, abs=5e-4)


def test_what_is_masked_gets_no_flow_and_a_row_without_a_key_keeps_itself():
    causal = finished(flow(trace(5, n_layers=2, controls=Controls(mask=Causal())), 1))
    assert (np.triu(causal, 1) == 0).all()
    dead = finished(flow(trace(4, n_layers=2, controls=Controls(mask=HideQuery(2))), 1))
    np.testing.assert_allclose(dead[2], [0, 0, 1, 0], atol=1e-8)


def test_it_says_how_far_it_is():
    shares = list(flow(trace(4), 0))
    assert len(shares) == 16
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_a_long_sentence_is_refused_at_once_with_a_sentence():
    with pytest.raises(InputError, match=rf"{LONGEST_FLOW + 1} tokens.*at most {LONGEST_FLOW}"):
        flow(trace(LONGEST_FLOW + 1), 0)
