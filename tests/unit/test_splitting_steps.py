"""The nine steps: cells keep who they are, values are the record's, and what is said is true."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mha_viz
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError, RecordError
from mha_viz.masks import Causal
from mha_viz.splitting import STEPS, Splitting, Step, steps_of
from mha_viz.splitting.arrays import share_sizes, shares_of
from mha_viz.trace import side_by_side
from tests.unit.layer_runs import layer_run

#: Large layers take a while each.
some = settings(max_examples=25)
TOY = mha_viz.open_model("toy")


def toy(text: str = "the cat sat on the mat", controls: Controls | None = None, **options) -> mha_viz.LayerTrace:
    model = mha_viz.open_model("toy", **options) if options else TOY
    return model.inspect_layer(model.tokenize(text), controls or Controls(), 0)


def step(splitting: Splitting, name: str) -> Step:
    return splitting.steps[STEPS.index(name)]


def cells(splitting: Splitting, name: str, array: str) -> set[tuple[int | None, int, int]]:
    """(head, row, column) of every cell of an array in a step."""
    found: list[tuple[int | None, int, int]] = []
    rows = splitting.arrays[array].values.shape[-2]
    for sheet in step(splitting, name).sheets:
        if sheet.array == array:
            found += [
                (block.head, row, column)
                for block in sheet.blocks
                for row in range(rows)
                for column in range(block.start, block.end)
            ]
    assert len(found) == len(set(found))  # no cell twice
    return set(found)


sizes = st.sampled_from([(1, 1), (1, 8), (1, 64), (2, 4), (3, 5), (8, 8), (12, 64), (16, 4), (64, 1), (64, 2)])


@st.composite
def layers(draw) -> mha_viz.LayerTrace:
    """1 to 64 heads, 1 to 40 tokens, any mask, rows without a key among them."""
    n_heads, d_k = draw(sizes)
    n_tokens, seed = draw(st.integers(1, 40)), draw(st.integers(0, 1000))
    share = draw(st.sampled_from([0.0, 0.1, 0.6, 1.0]))
    visible = np.random.default_rng(seed).random((n_heads, n_tokens, n_tokens)) < share
    controls = Controls(temperature=draw(st.sampled_from([0.25, 1.0, 3.0])))
    options = {"biases": draw(st.booleans()), "known": draw(st.booleans())}
    return layer_run(n_tokens, n_heads, d_k, visible=visible, controls=controls, seed=seed, **options)


@some
@given(layers(), st.data())
def test_every_cell_that_leaves_arrives(trace, data):
    splitting = steps_of(trace, query_row=data.draw(st.integers(0, trace.query_tokens.n_tokens - 1)))
    assert tuple(one.name for one in splitting.steps) == STEPS
    for array in ("query", "key", "value"):
        assert cells(splitting, "project", array) == cells(splitting, "split", array)
    for array in ("query", "key"):
        assert cells(splitting, "split", array) == cells(splitting, "scores", array)
    masked = "tempered" if "tempered" in splitting.arrays else "scaled"
    assert cells(splitting, "scores", "scaled") == cells(splitting, "mask", masked)
    assert (
        cells(splitting, "mask", masked) == cells(splitting, "mask", "visible") == cells(splitting, "softmax", masked)
    )
    assert cells(splitting, "softmax", "weights") == cells(splitting, "weigh", "weights")
    assert cells(splitting, "weigh", "value") == cells(splitting, "split", "value")
    assert cells(splitting, "weigh", "head_output") == cells(splitting, "join", "joined")
    assert cells(splitting, "join", "joined") == cells(splitting, "output", "joined")


@some
@given(layers())
def test_every_cell_of_a_shown_array_stands_on_the_stage_once(trace):
    splitting = steps_of(trace)
    for one in splitting.steps:
        for sheet in one.sheets:
            shape = splitting.arrays[sheet.array].values.shape
            expected = shape[0] * shape[1] * shape[2] if len(shape) == 3 else shape[0] * shape[1]
            assert len(cells(splitting, one.name, sheet.array)) == expected


@some
@given(layers())
def test_concatenation_undoes_the_split(trace):
    splitting = steps_of(trace)
    for array in ("query", "key", "value", "joined"):
        shown = splitting.arrays[array].values
        name = "join" if array == "joined" else "split"
        sheet = next(sheet for sheet in step(splitting, name).sheets if sheet.array == array)
        parts = [shown[:, block.start : block.end] for block in sorted(sheet.blocks, key=lambda block: block.head or 0)]
        assert np.array_equal(np.concatenate(parts, axis=1), shown)
        assert {part.shape[1] for part in parts} == {shown.shape[1] // splitting.n_heads}


@some
@given(layers())
def test_values_are_the_records_to_the_last_bit(trace):
    splitting = steps_of(trace, query_row=trace.query_tokens.n_tokens - 1)
    rows, columns = list(splitting.sample.rows), list(splitting.sample.columns)
    shown = {name: array.values for name, array in splitting.arrays.items()}
    assert np.array_equal(shown["query"], side_by_side(trace.query)[rows][:, columns])
    assert np.array_equal(shown["key"], side_by_side(trace.key)[rows][:, columns])
    assert np.array_equal(shown["value"], side_by_side(trace.value)[rows][:, columns])
    for name in ("scores", "weights", "visible"):
        assert np.array_equal(shown[name], getattr(trace, name)[:, rows][:, :, rows])
    assert np.array_equal(shown["scaled"], shown["scores"] * np.float32(trace.spec.d_k**-0.5))
    assert np.array_equal(shown["head_output"], trace.joined[rows][:, columns])
    assert np.array_equal(shown["joined"], shown["head_output"])
    assert np.array_equal(shown["output"], trace.output[rows][:, columns])
    assert ("x" in shown) == (trace.x is not None)
    if trace.x is not None:
        assert np.array_equal(shown["x"], trace.x[rows][:, columns])
        for letter in "QKVO":
            assert np.array_equal(shown[f"W_{letter}"], getattr(trace, f"W_{letter}")[columns][:, columns])
    if trace.b_O is not None:
        assert np.array_equal(shown["b_Q"], trace.b_Q[columns][None])
        assert np.array_equal(shown["bias"], trace.b_O[columns][None])
    assert np.abs(shown["row_sums"][:, :, 0] - trace.visible.any(axis=-1)[:, rows]).max() <= 1e-5
    if trace.controls.temperature != 1.0:
        assert np.array_equal(
            shown["tempered"], (shown["scaled"] / np.float64(trace.controls.temperature)).astype("f4")
        )


@some
@given(layers())
def test_the_shares_and_the_bias_are_the_output(trace):
    shares = shares_of(trace)
    if trace.W_O is None:
        assert shares is None
        assert not {"shares", "share_size", "bias"} & set(steps_of(trace).arrays)
        return
    assert shares is not None
    bias = 0.0 if trace.b_O is None else trace.b_O
    assert np.abs(shares.sum(axis=0) + bias - trace.output).max() <= 1e-5 * max(np.abs(trace.output).max(), 1.0)
    sizes = share_sizes(shares)
    norms = np.array([np.linalg.norm(share) for share in shares.astype(np.float64)])
    if norms.sum() > 0:
        assert sizes.sum() == pytest.approx(1.0, abs=1e-5)
        assert np.abs(sizes - norms / norms.sum()).max() <= 1e-6
    else:
        assert (sizes == 0).all()


@some
@given(layers(), st.data())
def test_what_is_left_out_is_bounded_and_stated(trace, data):
    n_tokens, spec = trace.query_tokens.n_tokens, trace.spec
    query_row = data.draw(st.integers(0, n_tokens - 1))
    sample = steps_of(trace, query_row=query_row).sample
    assert query_row in sample.rows
    assert list(sample.rows) == list(range(sample.rows[0], sample.rows[0] + min(n_tokens, 16)))
    assert sample.rows[-1] < n_tokens
    if query_row < 16:
        assert sample.rows[0] == 0
    assert len(sample.columns) <= 64
    per_head = np.bincount(np.array(sample.columns) // spec.d_k, minlength=spec.n_heads)
    assert len(set(per_head.tolist())) == 1
    assert {column % spec.d_k for column in sample.columns} == set(range(per_head[0]))
    everything = len(sample.rows) == n_tokens and len(sample.columns) == spec.d_model
    assert (sample.note == "") == everything
    if len(sample.rows) < n_tokens:
        assert f"16 of {n_tokens} tokens, positions {sample.rows[0]} to {sample.rows[-1]}" in sample.note
    if len(sample.columns) < spec.d_model:
        assert f"first {per_head[0]} of {spec.d_k} columns of every head" in sample.note


def test_it_is_plain_that_every_head_has_read_all_of_x():
    splitting = steps_of(toy())
    assert "Each of their columns is made from all 64 columns of X" in step(splitting, "project").caption
    split = step(splitting, "split").caption
    assert "The projected columns are split, not those of X" in split
    assert "every head has read all of X" in split


def test_shapes_and_formulas_have_this_runs_numbers():
    splitting = steps_of(toy())
    assert step(splitting, "x").shape == "(6 tokens, 64)"
    assert step(splitting, "split").shape == "(6 tokens, 64) → 8 × (6, 8), three times"
    assert step(splitting, "project").formula == "Q = X W_Q,   K = X W_K,   V = X W_V"
    assert step(steps_of(layer_run()), "project").formula == "Q = X W_Q + b_Q,   K = X W_K + b_K,   V = X W_V + b_V"
    assert step(steps_of(layer_run()), "output").formula == "Y = H W_O + b_O = Σ_i H_i W_O,i + b_O"
    assert "√d_k = 2.828" in step(splitting, "scores").caption


def test_one_head_is_plain_attention():
    splitting = steps_of(toy(n_heads=1))
    assert "With one head nothing is split" in step(splitting, "split").caption
    assert "nothing to join" in step(splitting, "join").caption
    assert splitting.arrays["share_size"].values.tolist() == [[[1.0]]]


def test_without_x_the_steps_begin_with_query_key_and_value():
    splitting = steps_of(layer_run(known=False))
    assert step(splitting, "x").sheets == ()
    assert "not shown" in step(splitting, "x").caption
    assert [sheet.array for sheet in step(splitting, "project").sheets] == ["query", "key", "value"]
    assert "would not give these numbers" in step(splitting, "project").caption
    assert step(splitting, "output").formula == "Y = H W_O"


@pytest.mark.parametrize(
    ("controls", "says"),
    [
        (Controls(), "The temperature is 1 and changes nothing. No key is hidden."),
        (Controls(temperature=2.0), "The scores are divided by the temperature 2. No key is hidden."),
        (Controls(temperature=2.0, heads=frozenset({1})), "In L0 H1 the scores are divided by the temperature 2."),
        (Controls(temperature=2.0, layers=frozenset()), "The temperature is 1 and changes nothing."),
        (Controls(temperature=0.0), "At temperature 0 the largest score will get all the weight."),
        (Controls(temperature=math.inf), "At infinite temperature the weights will be even."),
        (Controls(mask=Causal()), "120 of 288 cells are hidden"),
    ],
    ids=repr,
)
def test_what_the_controls_do_is_said(controls, says):
    splitting = steps_of(toy(controls=controls))
    assert says in step(splitting, "mask").caption
    assert ("tempered" in splitting.arrays) == ("divided" in says)


def test_dead_rows_even_heads_and_silenced_ones_are_said():
    controls = Controls(mask=~Causal(), silenced=frozenset({HeadId(0, 2)}), uniform=frozenset({HeadId(0, 1)}))
    splitting = steps_of(toy(controls=controls), query_row=5)
    assert "there are 8 such rows" in step(splitting, "softmax").caption
    assert "The weights of L0 H1 were made even" in step(splitting, "softmax").caption
    assert "may see no token, so that its weights are all 0" in step(splitting, "softmax").speech
    assert "L0 H2 is silenced" in step(splitting, "weigh").caption
    assert splitting.arrays["share_size"].values[2] == 0.0


def test_what_is_spoken_has_the_numbers_of_the_followed_row_and_head():
    trace = toy()
    splitting = steps_of(trace, query_row=3, focus=5)
    best = int(trace.weights[5, 3].argmax())
    assert f"{trace.weights[5, 3, best]:.4g}" in step(splitting, "softmax").speech
    assert "In head 5, query “on”" in step(splitting, "softmax").speech
    assert "columns 40 to 47" in step(splitting, "split").speech
    assert "“the, position 4”" in step(steps_of(trace, query_row=4), "mask").speech


def test_a_scale_of_the_models_own_is_said_and_used():
    import dataclasses

    trace = dataclasses.replace(layer_run(), scale=0.25)
    splitting = steps_of(trace)
    assert "multiplies by 0.25" in step(splitting, "scores").caption
    assert np.array_equal(splitting.arrays["scaled"].values, trace.scores * np.float32(0.25))


def test_labels_are_those_given_and_as_many_as_tokens():
    trace = toy("one two")
    assert steps_of(trace, labels=["a", "b"]).tokens == ("a", "b")
    assert steps_of(trace).tokens == ("one", "two")
    with pytest.raises(RecordError, match="1 entries for 2 tokens"):
        steps_of(trace, labels=["a"])


@pytest.mark.parametrize("wrong", [{"query_row": -1}, {"query_row": 6}, {"focus": -1}, {"focus": 8}])
def test_a_token_or_head_that_does_not_exist_is_refused(wrong):
    with pytest.raises(InputError, match=r"positions go from 0 to 5|heads 0 to 7"):
        steps_of(toy(), **wrong)


@some
@given(layers())
def test_every_text_is_there_and_no_place_is_left_open(trace):
    for one in steps_of(trace).steps:
        for text in (one.title, one.caption, one.formula, one.shape, one.speech):
            assert text.strip()
            assert "{" not in text
            assert "nan" not in text.lower().split()
        assert one.caption.endswith(".")
        assert one.speech.endswith(".")
