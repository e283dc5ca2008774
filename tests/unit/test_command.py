"""The command line writes what it says, and answers wrong input with a sentence and an exit code, never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mha_viz
from mha_viz.__main__ import main
from mha_viz.command import app
from mha_viz.command.masks import read_head, read_mask, read_masks
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.masks import MASKS, AllOf, AnyOf, BlockSparse, Causal, DilatedWindow, LocalWindow, Not

ROOT = Path(__file__).parents[2]
TEXT = "the cat sat on the mat"


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "mha_viz", *arguments], cwd=ROOT, capture_output=True, text=True)


def test_numbers_of_a_run_with_all_its_controls(tmp_path, capsys):
    out = tmp_path / "x.npz"
    arguments = ["run", "--text", TEXT, "--out", str(out), "--temperature", "2", "--silence", "L0H3", "L0 H1"]
    arguments += ["--mask", "causal", "--mask", "not-window:1", "--join", "any"]
    assert main(arguments) == 0
    assert str(out) in capsys.readouterr().out
    back = mha_viz.trace_from_npz(out)
    mask = AnyOf((Causal(), Not(LocalWindow(1))))
    controls = Controls(temperature=2.0, mask=mask, silenced=frozenset({HeadId(0, 1), HeadId(0, 3)}))
    assert back.controls == controls
    model = mha_viz.open_model("toy")
    assert np.abs(back.weights - model.run(model.tokenize(TEXT), controls).weights).max() < 1e-6


@pytest.mark.model
def test_one_head_of_bert_for_a_pair_by_words(tmp_path):
    out = tmp_path / "x.json"
    arguments = [
        "run",
        "--model",
        "minilm",
        "--text",
        "it is unbelievable",
        "--pair",
        "yes",
        "--layer",
        "3",
        "--head",
        "7",
    ]
    assert main([*arguments, "--level", "words", "--specials", "hidden", "--out", str(out)]) == 0
    told = json.loads(out.read_text())
    assert (told["layers"], told["heads"]) == ([3], [7])
    assert told["query_tokens"] == ["it", "is", "unbelievable", "yes"]
    model = mha_viz.open_model("minilm")
    shown = mha_viz.read(model.run(model.tokenize("it is unbelievable", "yes")), "words", "hidden")
    assert np.abs(np.array(told["weights"][0][0]) - shown.weights[3, 7]).max() < 1e-5


@pytest.mark.parametrize("where", [[], ["--layer", "0"], ["--layer", "0", "--head", "2"]])
def test_a_page_of_all_heads_a_layer_or_a_head(tmp_path, where):
    out = tmp_path / "x.html"
    assert main(["run", "--text", TEXT, "--out", str(out), *where]) == 0
    page = out.read_text(encoding="utf-8")
    assert f"Sentence: “{TEXT}”" in page
    assert ("L0 H2 of Toy" in page) == (len(where) == 4)
    assert [left.name for left in tmp_path.iterdir()] == ["x.html"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--out", "{}/x.docx"], (".html", ".npz", "x.docx")),
        (["--out", "{}/none/x.npz"], ("folder", "none")),
        (["--out", "{}/x.npz", "--text", "  "], ("--text",)),
        (["--out", "{}/x.npz", "--mask", "casual"], ("casual", "causal", "window")),
        (["--out", "{}/x.npz", "--mask", "window:a"], ("window", "a")),
        (["--out", "{}/x.npz", "--mask", "window:1,2"], ("2", "radius")),
        (["--out", "{}/x.npz", "--mask", "window:999"], ("999", "512")),
        (["--out", "{}/x.npz", "--temperature", "hot"], ("hot", "infinity")),
        (["--out", "{}/x.npz", "--temperature", "-1"], ("-1",)),
        (["--out", "{}/x.npz", "--silence", "H3"], ("H3", "L3H7")),
        (["--out", "{}/x.npz", "--silence", "L9H0"], ("L9 H0",)),
        (["--out", "{}/x.csv", "--layer", "5"], ("L5", "0 to 0")),
        (["--out", "{}/x.html", "--layer", "5"], ("L5",)),
        (["--out", "{}/x.html", "--head", "2"], ("--layer",)),
        (["--out", "{}/x.npz", "--model", "nobody/nothing"], ("nobody/nothing",)),
        (["--out", "{}/x.npz", "--model", "../../etc"], ("../../etc",)),
        (["--out", "{}/x.npz", "--revision", "abc"], ("toy", "--revision")),
        (["--out", "{}/x.npz", "--device", "tpu"], ("tpu",)),
        (["--out", "{}/x.png", "--scale", "100"], ("100", "8")),
        (["--out", "{}/x.npz", "--text", "a " * 600], ("600", "512")),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(tmp_path, capsys, monkeypatch, arguments, told):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    (tmp_path / "out").mkdir()
    text = [] if "--text" in arguments else ["--text", TEXT]
    code = main(["run", *text, *(argument.format(tmp_path / "out") for argument in arguments)])
    printed = capsys.readouterr()
    assert (code, printed.out) == (1, "")
    assert "Traceback" not in printed.err
    for part in told:
        assert part in printed.err
    assert list((tmp_path / "out").iterdir()) == []


def test_a_real_process_ends_with_its_code_and_without_a_traceback(tmp_path):
    done = command("run", "--text", TEXT, "--out", str(tmp_path / "x.tiff"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    missing = command("run", "--text", TEXT)
    assert missing.returncode == 2
    assert "--out" in missing.stderr
    assert command("--version").stdout == f"mha_viz {mha_viz.__version__}\n"


def test_the_commands_tell_what_they_take():
    shown = command("run", "--help")
    assert shown.returncode == 0
    for part in ("--model", "--mask", ".parquet", "folder:NAME"):
        assert part in shown.stdout
    for name in ("doctor", "run", "app"):
        assert name in command("--help").stdout


def test_the_app_is_started_from_where_it_lies(monkeypatch, tmp_path, capsys):
    parser = __import__("argparse").ArgumentParser()
    app.add_to(parser.add_subparsers(dest="command"))
    chosen = parser.parse_args(["app", "--port", "8600", "--headless"])
    started = app.command_of(chosen)
    assert started[:4] == [sys.executable, "-m", "streamlit", "run"]
    assert Path(started[4]) == ROOT / "app.py"
    assert started[started.index("--server.port") + 1] == "8600"
    assert started[started.index("--server.maxUploadSize") + 1] == "512"  # of files of weights, on this computer only
    reached = app.command_of(parser.parse_args(["app", "--address", "0.0.0.0"]))
    assert "--server.maxUploadSize" not in reached
    assert main(["app", "--port", "99999"]) == 1
    assert "65535" in capsys.readouterr().err
    monkeypatch.setattr(app, "_APP", tmp_path / "app.py")
    assert main(["app"]) == 1
    assert str(tmp_path) in capsys.readouterr().err


def test_masks_and_heads_as_they_are_written():
    assert read_mask("dilated:step=3") == DilatedWindow(step=3)
    assert read_mask("dilated:4,step=3") == DilatedWindow(4, 3)
    assert read_mask("sparse:2,1,0,1,7") == BlockSparse(2, 1, 0, 1, 7)
    assert read_mask("not-causal") == Not(Causal())
    assert read_masks([], "all") is None
    assert read_masks(["causal", "window"], "all") == AllOf((Causal(), LocalWindow()))
    assert all(read_mask(name) == MASKS[name]() for name in MASKS)
    assert read_head("l3 h7") == HeadId(3, 7)
    for wrong in ("causal:1", "dilated:2,radius=3", "window:radius=", "", "not-", "window:-1"):
        with pytest.raises(InputError):
            read_mask(wrong)


@pytest.mark.parametrize("out", ["", "nowhere/x.json"])
def test_a_lab_refuses_a_place_for_its_result_before_it_trains(out, capsys):
    assert main(["lab", "lookups", "--out", out]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert ("is a folder" if not out else "nowhere") in told.err
