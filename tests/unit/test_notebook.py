"""The example notebook runs from its own folder, and each of its figures shows itself."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest

import mha_viz

FOLDER = Path(__file__).parents[2] / "examples"
PLOTLY = "application/vnd.plotly.v1+json"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> nbformat.NotebookNode:
    """Run in a process of its own: the kernel's client has an event loop and warnings that are not this project's."""
    out = tmp_path_factory.mktemp("notebook") / "out.ipynb"
    code = (
        "import nbformat, sys; from nbclient import NotebookClient; "
        "book = nbformat.read(sys.argv[1], 4); "
        "NotebookClient(book, timeout=300, resources={'metadata': {'path': sys.argv[2]}}).execute(); "
        "nbformat.write(book, sys.argv[3])"
    )
    names = [str(FOLDER / "heads.ipynb"), str(FOLDER), str(out)]
    done = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr
    return nbformat.read(out, 4)


def test_the_notebook_is_small_and_holds_no_outputs():
    text = (FOLDER / "heads.ipynb").read_text(encoding="utf-8")
    assert len(text) < 10_000
    assert all(cell["outputs"] == [] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code")


def test_every_cell_runs_and_figures_show_themselves(executed):
    cells = [cell for cell in executed.cells if cell.cell_type == "code"]
    kinds = [output.output_type for cell in cells for output in cell.outputs]
    assert "error" not in kinds
    figures = [cell for cell in cells if "mha_viz.figures." in cell.source]
    assert len(figures) == 4
    for cell in figures:
        (output,) = cell.outputs
        assert output.data[PLOTLY]["data"]


def test_the_figures_hold_the_numbers_of_the_run(executed):
    (cell,) = [cell for cell in executed.cells if "head_heatmap(trace, layer=0, head=0)" in cell.source]
    (output,) = cell.outputs
    heatmap = output.data[PLOTLY]["data"][0]
    z = np.frombuffer(base64.b64decode(heatmap["z"]["bdata"]), dtype=np.float32).reshape(6, 6)
    model = mha_viz.open_model("toy", n_heads=4)
    run = model.run(model.tokenize("the cat sat on the mat"), mha_viz.Controls(mask=mha_viz.Causal()))
    assert np.abs(np.nan_to_num(z) - run.weights[0, 0]).max() < 1e-6
    assert np.isnan(z).sum() == 15
    assert output.data[PLOTLY]["layout"]["yaxis"]["ticktext"] == ["the", "cat", "sat", "on", "the", "mat"]
