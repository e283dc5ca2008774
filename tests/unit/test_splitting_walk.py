"""The code beside a step: its lines are the files' own, and the plain NumPy layer gives the kernel's numbers."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mha_viz import attention
from mha_viz.splitting import STEPS, walk
from mha_viz.splitting.arrays import LARGEST_TEMPERATURE, SMALLEST_TEMPERATURE
from mha_viz.splitting.code import KERNEL_MARKS, code_of, kernel_lines, walk_lines
from mha_viz.splitting.walk import Walked


def kernel(x, matrices, biases, *, n_heads, temperature, visible) -> dict[str, np.ndarray]:
    """The same layer with torch's linear and the kernel, in float32."""
    n_tokens, d_model = x.shape
    d_k = d_model // n_heads

    def linear(read: np.ndarray, at: int) -> np.ndarray:
        return torch.nn.functional.linear(
            torch.tensor(read), torch.tensor(matrices[at].T.copy()), torch.tensor(biases[at])
        ).numpy()

    def split(projected: np.ndarray) -> torch.Tensor:
        return torch.tensor(projected).view(1, n_tokens, n_heads, d_k).transpose(1, 2)

    query, key, value = (split(linear(x, at)) for at in range(3))
    attended = attention.attend(
        query, key, value, scale=d_k**-0.5, temperature=temperature, visible=torch.tensor(visible)[None]
    )
    joined = attended.head_output[0].transpose(0, 1).reshape(n_tokens, d_model).numpy()
    return {
        "query": query[0].numpy(),
        "key": key[0].numpy(),
        "value": value[0].numpy(),
        "scores": attention.raw_scores(query, key)[0].numpy(),
        "weights": attended.weights[0].numpy(),
        "head_output": attended.head_output[0].numpy(),
        "joined": joined,
        "output": linear(joined, 3),
    }


@given(
    st.integers(1, 12),
    st.sampled_from([(1, 8), (2, 4), (8, 8), (64, 1), (3, 5)]),
    st.sampled_from([0.1, 0.5, 1.0, 2.0, 10.0]),
    st.integers(0, 1000),
)
def test_the_plain_layer_gives_the_kernels_numbers(n_tokens, sizes, temperature, seed):
    n_heads, d_k = sizes
    random, d_model = np.random.default_rng(seed), n_heads * d_k
    x = random.standard_normal((n_tokens, d_model)).astype(np.float32)
    matrices = (random.standard_normal((4, d_model, d_model)) / np.sqrt(d_model)).astype(np.float32)
    biases = random.standard_normal((4, d_model)).astype(np.float32)
    visible = random.random((n_heads, n_tokens, n_tokens)) < 0.7  # some rows without a key
    walked = walk(x, *matrices, *biases, n_heads=n_heads, temperature=temperature, visible=visible)
    expected = kernel(x, matrices, biases, n_heads=n_heads, temperature=temperature, visible=visible)
    for name, array in expected.items():
        size = max(np.abs(array).max(), 1.0)
        assert np.abs(getattr(walked, name) - array).max() <= 1e-5 * size, name
    assert (walked.weights[~visible] == 0).all()
    assert np.abs(walked.weights.sum(axis=-1) - visible.any(axis=-1)).max() <= 1e-5


def test_every_quantity_of_the_plain_layer_is_returned_under_its_name():
    random = np.random.default_rng(0)
    walked = walk(*random.standard_normal((5, 4, 4)), n_heads=2)
    assert Walked._fields[:3] == ("query", "key", "value")
    assert np.array_equal(walked.scores, walked.query @ walked.key.transpose(0, 2, 1))
    assert np.array_equal(walked.scaled, walked.scores / np.sqrt(2))
    assert np.array_equal(walked.masked, walked.scaled)
    assert np.array_equal(walked.head_output, walked.weights @ walked.value)
    assert np.array_equal(walked.joined[:, 2:], walked.head_output[1])


@pytest.mark.parametrize("function", [attention.raw_scores, attention.attend, attention._softmax])
def test_the_kernels_lines_are_its_own_with_their_numbers(function):
    source, first = inspect.getsourcelines(function)
    described = {
        line.strip() for line in (inspect.getdoc(function) or "").splitlines()
    }  # left out, the code lines alone are shown
    own = [(first + at, line.rstrip("\n")) for at, line in enumerate(source)]
    shown = {number: text for number, text in kernel_lines() if first <= number < first + len(source)}
    missing = [text.strip().strip('"') for number, text in own if number not in shown]
    assert shown
    assert all(text == dict(own)[number] for number, text in shown.items())
    assert all(text in described for text in missing)


def test_the_plain_layers_lines_are_its_own():
    source, first = inspect.getsourcelines(walk)
    lines = dict(walk_lines())
    assert lines[first] == source[0].rstrip("\n")
    assert all(source[number - first].rstrip("\n") == text for number, text in lines.items())
    assert len(lines) >= len(source) - 1


@pytest.mark.parametrize(("step", "mark"), [(step, mark) for step, marks in KERNEL_MARKS.items() for mark in marks])
def test_every_marked_line_of_the_kernel_exists(step, mark):
    found = [text for _, text in kernel_lines() if text.replace(" ", "").startswith(mark)]
    assert found
    assert {line.text for line in code_of(step).kernel if line.on} >= set(found)


def test_the_steps_are_marked_in_both_texts():
    assert set(KERNEL_MARKS) == set(STEPS)
    for step in STEPS:
        assert any(line.on for line in code_of(step).numpy), step
        assert any(line.on for line in code_of(step).kernel) == bool(KERNEL_MARKS[step])


def test_every_line_of_the_plain_layer_belongs_to_one_step():
    on = [[line.on for line in code_of(step).numpy] for step in STEPS]
    body = next(at for at, (_, text) in enumerate(walk_lines()) if text.startswith("    # x"))
    counts = np.sum(on, axis=0)
    assert (counts[body:-1] == 1).all()
    assert (counts[:body] == 0).all()
    firsts = [row.index(True) for row in on]
    assert firsts == sorted(firsts)


def test_every_line_of_the_kernel_that_computes_belongs_to_a_step():
    unmarked = {
        text.strip()
        for at, (_, text) in enumerate(kernel_lines())
        if not any(code_of(step).kernel[at].on for step in STEPS)
    }
    computing = {text for text in unmarked if "=" in text and "def " not in text and not text.endswith(",")}
    assert computing == {"weights = buffers.weights.copy_(weights)"}  # moves memory, changes no number


def test_limits_are_the_kernels():
    assert attention.SMALLEST_TEMPERATURE == SMALLEST_TEMPERATURE
    assert attention.LARGEST_TEMPERATURE == LARGEST_TEMPERATURE
