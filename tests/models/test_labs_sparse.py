"""Attention that leaves cells out is the masked one; recurrence is the masked one; what BigBird and Longformer read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from mha_viz.labs import sparse_cost
from mha_viz.labs.blocked import blocked, hashed, local
from mha_viz.labs.plans_cost import SPARSE_KINDS, SparseCostOptions, SparseModelsOptions, full_until
from mha_viz.labs.registry import LABS
from mha_viz.labs.segments import compare
from mha_viz.masks import BlockSparse, GlobalTokens, LocalWindow, Segments
from tests.unit.build import sequence


def _vectors(n_tokens: int, count: int = 3) -> Any:
    random = torch.Generator().manual_seed(n_tokens)
    return [torch.randn(2, n_tokens, 8, generator=random, dtype=torch.float64) for _ in range(count)]


def _masked(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, visible: Any) -> Any:
    """PyTorch's own, with the whole mask."""
    mask = torch.as_tensor(visible)
    return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask).numpy()


@pytest.mark.parametrize(("n_tokens", "radius"), [(4, 4), (12, 4), (30, 5), (64, 1)])
def test_a_window_in_blocks_is_the_masked_one(n_tokens: int, radius: int) -> None:
    query, key, value = _vectors(n_tokens)
    found = local(query, key, value, radius)
    visible = LocalWindow(radius).visible(sequence(n_tokens))
    np.testing.assert_allclose(found.output.numpy(), _masked(query, key, value, visible), rtol=0, atol=1e-12)
    assert found.numbers <= 2 * n_tokens * 3 * radius


@pytest.mark.parametrize("random_blocks", [0, 1, 3])
def test_bigbird_blocks_are_the_masked_ones(random_blocks: int) -> None:
    query, key, value = _vectors(48)
    mask = BlockSparse(4, 1, 1, random_blocks, 7)
    found = blocked(query, key, value, mask.blocks(12), 4)
    visible = mask.visible(sequence(48))
    np.testing.assert_allclose(found.output.numpy(), _masked(query, key, value, visible), rtol=0, atol=1e-12)
    assert found.numbers == 2 * visible.sum()


@pytest.mark.parametrize("chunk", [16, 8])
def test_one_round_of_buckets_is_the_mask_of_its_buckets(chunk: int) -> None:
    """With one or two chunks every token of a bucket is in reach, so that only buckets hide anything."""
    shared, value = _vectors(16, 2)
    found = hashed(shared, value, chunk, 1, seed=3)
    turn = torch.randn(1, 8, 1, generator=torch.Generator().manual_seed(3), dtype=torch.float64)[0]
    bucket = (torch.cat([shared @ turn, -(shared @ turn)], dim=-1)).argmax(dim=-1)
    together = bucket[:, :, None] == bucket[:, None, :]
    alone = together.sum(dim=-1, keepdim=True) == 1
    visible = together & (~torch.eye(16, dtype=torch.bool) | alone)
    wanted = _masked(shared, shared / shared.norm(dim=-1, keepdim=True), value, visible)
    np.testing.assert_allclose(found.output.numpy(), wanted, rtol=0, atol=1e-12)


def test_more_rounds_of_the_same_vectors_hold_more_weights_and_stay_an_average() -> None:
    shared, value = _vectors(64, 2)
    one, three = hashed(shared, value, 8, 1, 0), hashed(shared, value, 8, 3, 0)
    assert three.numbers == 3 * one.numbers == 3 * 2 * 64 * 16
    ones = hashed(shared, torch.ones_like(value), 8, 3, 0).output
    np.testing.assert_allclose(ones.numpy(), 1.0, atol=1e-12)


@pytest.mark.parametrize(("n_tokens", "size", "memory"), [(1, 4, 1), (13, 4, 1), (13, 3, 2), (12, 4, 0), (9, 20, 1)])
def test_recurrence_is_one_masked_attention_over_everything(n_tokens: int, size: int, memory: int) -> None:
    query, key, value = _vectors(n_tokens)
    visible = Segments(size, memory).visible(sequence(n_tokens))
    found = compare(query.numpy(), key.numpy(), value.numpy(), visible, scale=8**-0.5, size=size, memory=memory)
    assert found.kernel < 2e-15
    assert found.sdpa < 2e-15
    np.testing.assert_allclose(found.output, _masked(query, key, value, visible), rtol=0, atol=2e-15)
    assert found.most_keys == min(n_tokens, (memory + 1) * size)
    assert (found.lost[:size] == 0).all()
    assert (found.lost[size:].max(initial=0) > 1e-3) == (memory > 0 and n_tokens > size)


def test_every_way_is_measured_and_a_mask_holds_the_whole_map() -> None:
    steps = list(sparse_cost.run(SparseCostOptions(tokens=(128, 64), rounds=1)))
    rows = [step.row for step in steps if step.row]
    assert [(row["tokens"], row["kind"]) for row in rows] == [(n, kind) for n in (64, 128) for kind in SPARSE_KINDS]
    assert all(row["seconds"] > 0 for row in rows)
    assert steps[-1].share == 1
    held = {row["kind"]: row["bytes"] for row in rows if row["tokens"] == 128}
    assert held["eager"] == held["masked"] == 4 * sparse_cost.N_HEADS * 128**2
    assert held["window"] < held["eager"] / 2
    assert held["sdpa"] == held["sdpa_masked"] == 0


def test_a_stopped_measurement_keeps_its_rows() -> None:
    steps = sparse_cost.run(SparseCostOptions(tokens=(64,), rounds=1))
    passes = 2 * len(SPARSE_KINDS)
    rows = [step.row for step, _ in zip(steps, range(passes + 3), strict=False) if step.row]
    steps.close()
    assert [row["kind"] for row in rows] == list(SPARSE_KINDS[:3])


@pytest.fixture(scope="module")
def read_models() -> list[dict[str, Any]]:
    options = SparseModelsOptions(tokens=(16, 28, 29, 64))
    return [step.row for step in LABS["sparse_models"].run(options) if step.row]


def _row(rows: list[dict[str, Any]], model: str, tokens: int) -> dict[str, Any]:
    (found,) = [row for row in rows if row["model"] == model and row["tokens"] == tokens]
    return found


def test_bigbird_falls_back_to_full_attention_and_stays_there(read_models: list[dict[str, Any]]) -> None:
    assert full_until(4, 1) == 28
    for tokens in (16, 28):
        row = _row(read_models, "bigbird", tokens)
        assert (row["kind"], row["share"], row["maps"], row["keys"]) == ("original_full", 1.0, 0, [tokens])
    assert _row(read_models, "bigbird", 29)["kind"] == "block_sparse"
    assert _row(read_models, "bigbird", 29)["padded_to"] == 32
    after = _row(read_models, "after", 56)
    assert (after["kind"], after["share"], after["maps"]) == ("original_full", 1.0, 0)


def test_bigbird_in_blocks_reads_39_percent_of_64_tokens(read_models: list[dict[str, Any]]) -> None:
    row = _row(read_models, "bigbird", 64)
    assert row["kind"] == "block_sparse"
    assert row["share"] == pytest.approx(0.39, abs=0.005)
    assert row["keys"] == [16, 20, 64]
    assert row["weighed"] == round(row["share"] * 64**2)  # gradients and maps tell the same


def test_bigbird_draws_random_blocks_only_in_training_mode(read_models: list[dict[str, Any]]) -> None:
    answers, trained = _row(read_models, "bigbird", 64), _row(read_models, "bigbird_train", 64)
    assert trained["keys"] == [20, 24, 64]
    assert trained["row_sum"] == pytest.approx(1, abs=1e-4)
    # The first block's keys count twice: of 20 keys read, 4 are there once more.
    assert answers["row_sum"] == pytest.approx(16 / 20, abs=0.01)


def test_longformer_reads_the_mask_of_a_window_and_a_global_token(read_models: list[dict[str, Any]]) -> None:
    for tokens in (16, 28, 64):
        row = _row(read_models, "longformer", tokens)
        reads = np.array([[cell == "1" for cell in line] for line in row["reads"]])
        mask = GlobalTokens(1) | LocalWindow(4)
        np.testing.assert_array_equal(reads, mask.visible(sequence(tokens)))
        assert row["weighed"] == reads.sum()
        assert row["padded_to"] == -(-tokens // 8) * 8
