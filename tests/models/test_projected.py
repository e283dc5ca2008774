"""Queries and keys in the plane: products are kept as well as two dimensions can, and the picture does not flip."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_viz.analysis.vectors import projected
from mha_viz.controls import Controls
from mha_viz.masks import Causal, Padding
from mha_viz.trace import AttentionTrace, HeadVectors
from tests.unit.build import trace


def asking(query: np.ndarray, key: np.ndarray, controls: Controls | None = None) -> AttentionTrace:
    """A run of one layer whose one head has these queries and keys, (token, d_k = 4)."""
    parts = [(part[None].astype(np.float32),) for part in (query, key, key, key)]
    return trace(len(query), n_heads=1, vectors=HeadVectors(*parts), controls=controls)


def less_row_means(scores: np.ndarray) -> np.ndarray:
    return scores - scores.mean(axis=1, keepdims=True)


@given(st.integers(3, 12), st.integers(0, 999))
def test_no_plane_keeps_the_scores_better(n, seed):
    """The products are the best approximation of rank two, which numpy's SVD of the scores gives."""
    random = np.random.default_rng(seed)
    query, key = random.standard_normal((2, n, 4))
    query, key = query.astype(np.float32), key.astype(np.float32)
    found = projected(asking(query, key), 0, 0)
    scores = less_row_means(query.astype(float) @ key.T.astype(float))
    u, s, vt = np.linalg.svd(scores)
    best = (u[:, :2] * s[:2]) @ vt[:2]
    np.testing.assert_allclose(found.query @ found.key.T, best, atol=1e-4)
    assert found.share == pytest.approx((s[:2] ** 2).sum() / (s**2).sum(), abs=1e-6)
    assert found.correlation == pytest.approx(np.corrcoef(scores.ravel(), best.ravel())[0, 1], abs=1e-5)
    assert np.linalg.norm(found.query) == pytest.approx(np.linalg.norm(found.key), rel=1e-5)


def test_vectors_of_a_plane_are_kept_wholly():
    random = np.random.default_rng(0)
    plane = random.standard_normal((2, 4))
    query, key = random.standard_normal((2, 7, 2)) @ plane
    found = projected(asking(query, key), 0, 0)
    assert found.share == pytest.approx(1, abs=1e-6)
    assert found.correlation == pytest.approx(1, abs=1e-6)


def test_what_all_keys_have_in_common_changes_nothing():
    query, key = np.random.default_rng(0).standard_normal((2, 7, 4))
    moved = projected(asking(query, key + np.array([5, -3, 2, 0])), 0, 0)
    np.testing.assert_allclose(moved.query, projected(asking(query, key), 0, 0).query, atol=1e-4)


def test_the_key_entry_farthest_from_0_is_positive():
    query, key = np.random.default_rng(1).standard_normal((2, 7, 4))
    found, again = projected(asking(query, key), 0, 0), projected(asking(-query, -key), 0, 0)
    for plane in (found, again):
        assert (plane.key.max(axis=0) >= -plane.key.min(axis=0)).all()


def test_one_token_and_equal_keys_have_no_plane():
    for query, key in ((np.ones((1, 4)), np.ones((1, 4))), (np.eye(4), np.ones((4, 4)))):
        found = projected(asking(query, key), 0, 0)
        assert not found.key.any()
        assert np.isfinite(found.query).all()
        assert math.isnan(found.correlation)


def test_padding_is_projected_but_not_fitted():
    query, key = np.random.default_rng(2).standard_normal((2, 7, 4))
    short = projected(asking(query[:5], key[:5]), 0, 0)
    padded = projected(asking(query, key, Controls(mask=Padding(2))), 0, 0)
    np.testing.assert_allclose(padded.query[:5], short.query, atol=1e-6)
    assert padded.correlation == pytest.approx(short.correlation, abs=1e-6)
    assert padded.query.shape == (7, 2)


def test_agreement_is_measured_over_what_is_visible():
    query, key = np.random.default_rng(2).standard_normal((2, 7, 4))
    free, causal = (projected(asking(query, key, controls), 0, 0) for controls in (None, Controls(mask=Causal())))
    np.testing.assert_array_equal(free.query, causal.query)
    assert free.correlation != causal.correlation
    assert 0 < causal.correlation <= 1


@pytest.mark.model
def test_minilm_is_kept_well_and_better_than_by_joint_principal_components(minilm):
    from sklearn.decomposition import PCA

    run = minilm.run(minilm.tokenize("The animal didn't cross the street because it was too tired."))
    ours, theirs = [], []
    for layer, head in np.ndindex(6, 12):
        query, key = (vectors[layer][head].astype(float) for vectors in (run.vectors.query, run.vectors.key))
        ours.append(projected(run, layer, head).correlation)
        pca = PCA(2, svd_solver="full").fit(np.concatenate([query, key]))
        products = pca.transform(query) @ pca.transform(key).T
        scores = less_row_means(query @ key.T)
        theirs.append(np.corrcoef(scores.ravel(), less_row_means(products).ravel())[0, 1])
    assert np.median(ours) == pytest.approx(0.92, abs=0.01)
    assert (np.array(ours) > theirs).all()
