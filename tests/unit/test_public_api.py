"""What `import mha_viz` offers, used as its own description shows."""

from __future__ import annotations

import ast
import textwrap

import numpy as np
import plotly.graph_objects as go
import pytest

import mha_viz


def example() -> str:
    """The indented lines of the package's description."""
    description = mha_viz.__doc__ or ""
    lines = [line for line in description.splitlines() if line.startswith("    ") or not line.strip()]
    return textwrap.dedent("\n".join(lines)).strip()


def test_the_example_in_the_packages_description_works():
    code = ast.parse(example())
    last = code.body.pop()
    assert isinstance(last, ast.Expr)
    names: dict[str, object] = {}
    exec(compile(code, "example", "exec"), names)
    figure = eval(compile(ast.Expression(last.value), "example", "eval"), names)
    trace = names["trace"]
    assert isinstance(trace, mha_viz.AttentionTrace)
    assert trace.weights.shape == (1, 4, 6, 6)
    assert (np.triu(trace.weights[0, 0], 1) == 0).all()
    assert isinstance(figure, go.Figure)
    assert np.nanmax(np.abs(np.array(figure.data[0].z, dtype=float) - trace.weights[0, 0])) == 0.0


def test_every_public_name_exists():
    for name in mha_viz.__all__:
        assert getattr(mha_viz, name) is not None


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="attention"):
        mha_viz.attention_of_everything  # noqa: B018


def test_a_source_or_option_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(mha_viz.InputError) as caught:
        mha_viz.open_model("gpt9")
    for part in ("gpt9", *mha_viz.SOURCES):
        assert part in str(caught.value)
    with pytest.raises(mha_viz.InputError) as caught:
        mha_viz.open_model("toy", heads=4)
    for part in ("heads", "n_heads", "d_model", "seed", "weights"):
        assert part in str(caught.value)
    with pytest.raises(mha_viz.InputError, match="seed"):
        mha_viz.open_model("minilm", seed=1)


def test_weights_are_numpy_float32_layer_head_query_key():
    model = mha_viz.open_model("toy", n_heads=2)
    trace = model.run(model.tokenize("one two three"))
    assert isinstance(trace.weights, np.ndarray)
    assert trace.weights.dtype == np.float32
    assert trace.weights.shape == (1, 2, 3, 3)
    layer = model.inspect_layer(trace.query_tokens, mha_viz.Controls(), 0)
    assert isinstance(layer, mha_viz.LayerTrace)
