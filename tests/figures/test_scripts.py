"""Scripts of components go to the browser with every picture, and so without what only people read."""

from pathlib import Path

import pytest

from mha_viz.figures.scripts import lean

FRONTENDS = [Path(__file__).resolve().parents[2] / "mha_viz" / room / "frontend" for room in ("ui", "figures")]
SCRIPTS = sorted(file for folder in FRONTENDS for file in folder.glob("*.js"))


def test_comment_lines_and_indentation_are_left_out():
    assert lean("// a\n/** b */\nf(\n  'https://c', // d\n\n);\n") == "f(\n'https://c', // d\n);"


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_no_text_runs_over_several_lines(file):
    assert [line for line in file.read_text().splitlines() if line.count("`") % 2] == []
