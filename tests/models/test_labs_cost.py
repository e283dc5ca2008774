"""Ways to compute attention against PyTorch's own layer, and the memory that is counted against sums by hand."""

from __future__ import annotations

import copy

import pytest
import torch

from mha_viz.labs import growth, kept_maps, timing
from mha_viz.labs.allocated import kept_for_backward, peak_bytes
from mha_viz.labs.attending import core_of, gradients, layers_of, through
from mha_viz.labs.cost_formula import Size, kept_bytes
from mha_viz.labs.cost_formula import peak_bytes as formula
from mha_viz.labs.plans_cost import GrowthOptions, KeptMapsOptions

CPU = torch.device("cpu")
SIZE = Size(length=24, heads=4, d_model=32, layers=2, batch=3)


@pytest.fixture(autouse=True)
def _once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more rounds than were asked for."""
    monkeypatch.setattr(timing, "_LEAST_SECONDS", 0.0)


@pytest.mark.parametrize("kind", ["eager", "sdpa", "flex", "checkpoint"])
def test_every_way_is_that_of_pytorch(kind: str) -> None:
    layers, read = layers_of(SIZE, CPU)
    wanted = read.detach()
    maps = []
    for layer in layers:
        theirs = torch.nn.MultiheadAttention(SIZE.d_model, SIZE.heads, batch_first=True)
        with torch.no_grad():
            parts = (layer.query, layer.key, layer.value)
            theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
            theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
            theirs.out_proj.load_state_dict(layer.out.state_dict())
            wanted, weights = theirs(wanted, wanted, wanted, average_attn_weights=False)
        maps.append(weights)
    with torch.no_grad():
        output, found = through(layers, core_of(kind), read, returns_maps=True)
    torch.testing.assert_close(output, wanted, rtol=0, atol=1e-6)
    assert len(found) == (2 if kind in ("eager", "checkpoint") else 0)
    for got, want in zip(found, maps, strict=False):
        torch.testing.assert_close(got, want, rtol=0, atol=1e-6)


def test_gradients_with_checkpointing_are_the_same_to_the_last_bit_and_fused_ones_close() -> None:
    layers, read = layers_of(SIZE, CPU)
    plain = gradients(layers, core_of("eager"), read)
    assert len(plain) == 1 + 2 * 8
    assert any(float(one.abs().max()) > 0.1 for one in plain)
    for maps in (False, True):
        again = gradients(layers, core_of("checkpoint"), read, returns_maps=maps)
        assert all(torch.equal(one, other) for one, other in zip(again, plain, strict=True))
    fused = gradients(layers, core_of("sdpa"), read)
    scale = max(float(one.abs().max()) for one in plain)
    assert max(float((one - other).abs().max()) for one, other in zip(fused, plain, strict=True)) < 1e-5 * scale


def test_memory_of_views_is_counted_once() -> None:
    factor = torch.ones(10, 10, requires_grad=True)
    with kept_for_backward() as kept:
        squared = factor * factor
        (squared.transpose(0, 1) * squared).sum()
    assert kept.n_bytes == 2 * 400
    kept.add(squared[3:])
    assert kept.n_bytes == 2 * 400
    kept.add(torch.ones(7))
    assert kept.n_bytes == 2 * 400 + 28


@pytest.mark.parametrize("n_layers", [1, 2])
def test_what_is_kept_is_the_formula_and_handed_out_maps_come_on_top(n_layers: int) -> None:
    size = SIZE._replace(layers=n_layers)
    layers, read = layers_of(size, CPU)
    maps = 4 * n_layers * 3 * 4 * 24 * 24
    for way in ("eager", "checkpoint", "sdpa"):
        wanted = kept_bytes(way, size)
        for handed in (False, True):
            found = kept_maps.kept(layers, core_of(way), read, returns_maps=handed)
            assert found["kept"] == wanted
            assert found["alive"] == wanted + (maps if handed and way == "checkpoint" else 0)


def test_the_peak_is_the_most_at_one_time_and_not_all_that_was_taken() -> None:
    def work() -> torch.Tensor:
        first = torch.ones(1_000)
        second = first + 1
        del first
        third = second + 1  # beside the second: 8,000 bytes; all three were 12,000
        del second
        return third

    assert peak_bytes(work, CPU) == pytest.approx(8_000, abs=64)


@pytest.mark.parametrize("kind", ["eager", "flex", "sdpa"])
def test_the_peak_of_a_forward_pass_is_that_of_the_formula(kind: str) -> None:
    options = GrowthOptions(axes=("length",), kinds=(kind,), longest=256, d_model=32, rounds=1)
    rows = [step.row for step in growth.run(options) if step.row is not None]
    forward = [row for row in rows if row["pass"] == "forward"]
    assert [row["length"] for row in forward] == [64, 128, 256]
    largest = forward[-1]
    assert largest["error"] is None
    if kind == "sdpa":  # its own working blocks come on top, and are smaller than any map
        assert largest["formula"] <= largest["peak"] < largest["formula"] + largest["maps"] / 4
        return
    assert largest["peak"] == pytest.approx(largest["formula"], rel=0.03)
    if kind == "eager":
        training = rows[-1]
        assert training["pass"] == "training"
        assert training["peak"] == pytest.approx(training["formula"], rel=0.05)


def test_what_cannot_run_or_needs_too_much_is_a_row_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    options = GrowthOptions(axes=("heads",), kinds=("eager", "flex"), length=32, d_model=32, rounds=2)
    most = formula("eager", "training", Size(32, 16, 32, 1))
    monkeypatch.setattr(growth, "MOST_BYTES", most)
    steps = list(growth.run(options))
    rows = [step.row for step in steps if step.row is not None]
    assert len(rows) == 6 * 2 * 2
    assert [step.share for step in steps] == sorted(step.share for step in steps)
    for row in rows:
        refused = row["kind"] == "flex" and row["pass"] == "training"
        assert (row["error"] is not None) == refused
        missing = refused or row["formula"] > most
        assert (row["peak"] is None, row["ms"] is None) == (missing, missing)
        assert missing or len(row["ms"]) == 2
        assert not refused or "backward on CPU" in row["error"]
    left_out = {(row["kind"], row["pass"], row["heads"]) for row in rows if row["error"] is None and row["ms"] is None}
    assert ("eager", "training", 32) in left_out
    assert ("eager", "training", 16) not in left_out


def test_the_lab_on_maps_has_a_row_for_every_way_and_says_whether_gradients_are_equal() -> None:
    options = KeptMapsOptions(lengths=(32, 16), layers=(1, 2), rounds=2)
    rows = [step.row for step in kept_maps.run(options) if step.row is not None]
    assert [(row["layers"], row["length"]) for row in rows[::5]] == [(1, 16), (1, 32), (2, 16), (2, 32)]
    assert [(row["way"], row["returned"]) for row in rows[:5]] == list(kept_maps.WAYS)
    assert all(row["kept"] == row["formula"] for row in rows)
    assert all(row["equal"] == (row["way"] != "sdpa") or row["apart"] < 1e-5 for row in rows)
    assert all(row["equal"] for row in rows if row["way"] != "sdpa")
    assert {row["ratio"] for row in rows if (row["way"], row["returned"]) == ("eager", False)} == {1.0}


def test_layers_of_one_size_are_the_same_each_time_and_leave_the_random_numbers_alone() -> None:
    torch.manual_seed(5)
    first, read = layers_of(SIZE, CPU)
    drawn = torch.rand(1)
    again, same = layers_of(SIZE, CPU)
    torch.manual_seed(5)
    assert torch.equal(drawn, torch.rand(1))
    assert torch.equal(read, same)
    state = copy.deepcopy(first[1].state_dict())
    assert all(torch.equal(value, again[1].state_dict()[name]) for name, value in state.items())
