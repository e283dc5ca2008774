"""The lines of Python for a view make the same figure, and nothing typed can become code in them."""

from __future__ import annotations

import ast
import json
import math
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import mha_viz
from mha_viz import figures
from mha_viz.analysis.reading import read
from mha_viz.controls import Controls, HeadId, heads_without
from mha_viz.export import PythonView, citation, python_code
from mha_viz.export.constructors import written
from mha_viz.figures import Colour
from mha_viz.masks import MASKS, AllOf, AnyOf, BlockSparse, Causal, HideKey, LocalWindow, Mask, Not, Painted
from mha_viz.models import HubOptions, options_for
from mha_viz.version import VERSION, YEAR

ROOT = Path(__file__).parents[2]
TEXT = 'the "cat" sat \\ on \x00 the mat\'s {rug} """ \u202e שלום'
CONTROLS = Controls(
    temperature=0.5,
    mask=AnyOf((AllOf((Causal(), LocalWindow(radius=3))), Not(HideKey(position=2)))),
    heads=frozenset({0, 2}),
    silenced=frozenset({HeadId(0, 1)}),
    uniform=frozenset({HeadId(0, 3)}),
)


def run_lines(code: str) -> Any:
    """What the last line of some code is worth, in a namespace of its own."""
    tree = ast.parse(code)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    names: dict[str, object] = {}
    exec(compile(tree, "copied", "exec"), names)
    return eval(compile(ast.Expression(last.value), "copied", "eval"), names)


def drawn(figure: Any) -> dict[str, Any]:
    return json.loads(figure.to_json())


VIEWS = [
    (PythonView("head", 0, 2), lambda r: figures.head_heatmap(r, 0, 2)),
    (PythonView("head", 0, 1, focus=3), lambda r: figures.head_heatmap(r, 0, 1, focus=3)),
    (PythonView("layer", 0, 3), lambda r: figures.head_grid(r, 0, chosen=3)),
    (PythonView("overview"), lambda r: figures.print_overview(r)),
    (
        PythonView("overview", colour=(("scale", "log"), ("shared", False))),
        lambda r: figures.print_overview(r, Colour(scale="log", shared=False)),
    ),
    (
        PythonView("lines", heads=(HeadId(0, 0), HeadId(0, 2)), least=0.1, most=2, layout="arcs"),
        lambda r: figures.print_lines(r, [HeadId(0, 0), HeadId(0, 2)], least=0.1, most=2, layout="arcs"),
    ),
    (PythonView("lines", 0, 1, focus=2), lambda r: figures.print_lines(r, [HeadId(0, 1)], focus=2)),
]


@pytest.mark.parametrize("controls", [None, Controls(), CONTROLS, Controls(temperature=math.inf)])
@pytest.mark.parametrize(("view", "ours"), VIEWS, ids=lambda value: getattr(value, "kind", ""))
def test_the_lines_make_the_same_figure(view, ours, controls):
    options = options_for("toy", n_heads=4, seed=3)
    model = mha_viz.open_model("toy", n_heads=4, seed=3)
    trace = model.run(model.tokenize(TEXT), controls)
    code = python_code("toy", options, TEXT, view, controls=controls)
    assert drawn(run_lines(code)) == drawn(ours(trace))


def test_pairs_readings_colours_and_options_stand_in_the_lines_too():
    view = PythonView("head", 2, 5, level="words", specials="hidden", colour=(("palette", "inferno"),))
    code = python_code("minilm", options_for("minilm"), "one two", view, pair="three unbelievable", cut=True)
    model = mha_viz.open_model("minilm")
    trace = model.run(model.tokenize("one two", "three unbelievable"))
    ours = figures.head_heatmap(read(trace, "words", "hidden"), 2, 5, colour=Colour(palette="inferno"))
    assert drawn(run_lines(code)) == drawn(ours)
    assert "cut=True" in code


def test_what_is_as_by_default_is_left_out():
    code = python_code("toy", options_for("toy"), "a b", PythonView("head"), controls=Controls())
    assert code == (
        "import mha_viz\n\nmodel = mha_viz.open_model('toy')\ntokens = model.tokenize('a b')\ntrace = model.run(tokens)\n"
        "mha_viz.figures.head_heatmap(trace, layer=0, head=0)\n"
    )


def test_a_model_of_the_hub_is_named_with_its_revision_and_without_its_stamp():
    options = HubOptions("org/name", "abc", stamp=7)
    code = python_code("hub", options, "a", PythonView("head"), dtype="bfloat16")
    assert "mha_viz.open_model('hub', model='org/name', revision='abc', dtype='bfloat16')" in code


@pytest.mark.parametrize("text", ["'); import os #", '"""', "\\", "\n\r\u2028", "{x}", "\x00", "\u202e", "\ud800"])
def test_no_text_becomes_code_or_hides_any(text):
    code = python_code("toy", options_for("toy"), text, PythonView("head"))
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    (read_,) = [call for call in calls if ast.unparse(call.func) == "model.tokenize"]
    assert isinstance(read_.args[0], ast.Constant)
    assert read_.args[0].value == text
    assert len(calls) == 4
    assert all(character == "\n" or character.isprintable() for character in code)


def every_mask() -> list[Mask]:
    plain = [Painted.of(MASK) if name == "painted" else kind() for name, kind in MASKS.items()]
    joined = [AllOf((plain[0],)), AllOf((AllOf((plain[0], plain[1])), Not(AnyOf((plain[2], plain[3])))))]
    return [*plain, BlockSparse(size=3, seed=9), *joined]


MASK = mha_viz.open_model("toy").run(mha_viz.open_model("toy").tokenize("a b c")).weights[0, 0] > 0.5


@pytest.mark.parametrize("mask", every_mask(), ids=lambda mask: type(mask).__name__)
def test_every_mask_is_written_as_what_makes_it(mask):
    names = vars(mha_viz)
    assert eval(written(mask), dict(names)) == mask
    controls = Controls(mask=mask, layers=frozenset({1, 0}), silenced=heads_without(options_for("minilm").spec, [1]))
    assert eval(written(controls, "mha_viz."), {"mha_viz": mha_viz}) == controls


def test_a_view_that_there_is_none_of_is_refused():
    with pytest.raises(mha_viz.InputError, match="overview"):
        PythonView("graph")


def test_the_citation_has_name_version_and_year_and_nobody_and_no_address():
    told = citation()
    for text in told:
        assert VERSION in text
        assert str(YEAR) in text
        assert "http" not in text
        assert "author" not in text
    assert told.plain.startswith("mha_viz, version")
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", told.bibtex, re.M))
    assert fields == {"title": fields["title"], "version": VERSION, "year": str(YEAR)}
    assert told.bibtex.startswith("@software{mha_viz_")
    assert told.bibtex.count("{") == told.bibtex.count("}")


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == VERSION == mha_viz.__version__
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.findall(r'image\.version="(.*)"', dockerfile) == [VERSION]
