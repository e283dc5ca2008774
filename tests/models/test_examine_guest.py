"""A person's own module in a process of its own: whatever it does, every check gets a row and a sentence."""

from __future__ import annotations

import sys
import textwrap
import time

import psutil
import pytest

from mha_viz.errors import InputError
from mha_viz.labs.examine import run as lab
from mha_viz.labs.examine.base import CHECKS
from mha_viz.labs.examine.checks import examine
from mha_viz.labs.examine.find import find
from mha_viz.labs.examine.make import make
from mha_viz.labs.plans_tried import ExamineOptions
from mha_viz.words import say

HEAD = "import os, sys, time\nimport torch\nfrom torch import nn\n"
GOOD = """
class Good(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.w = nn.Linear(d_model, d_model)

    def forward(self, x):
        {}
        return self.w(x + x.mean(1, keepdim=True))
"""


def rows_of(folder, path="mine:Good", seconds=60, **given):
    """The rows of a run on a module in ``folder``."""
    options = ExamineOptions(modules=("own",), path=path, folder=str(folder), seconds=seconds, **given)
    rows = [step.row for step in lab.run(options) if step.row is not None]
    assert [row["check"] for row in rows] == list(CHECKS)
    assert {row["module"] for row in rows} == {"own"}
    for row in rows:
        assert say(row["why"]["key"], **row["why"]["values"]).endswith((".", ")."))
    return {row["check"]: row for row in rows}


def why(row):
    return say(row["why"]["key"], **row["why"]["values"])


@pytest.fixture
def mine(tmp_path):
    def write(text, name="mine.py"):
        (tmp_path / name).write_text(HEAD + textwrap.dedent(text), encoding="utf-8")
        return tmp_path

    return write


def examined(folder, path):
    """Each check's finding, made in this process: for what cannot end it."""
    return {check: found for check, found in examine(lambda: make(find(path, str(folder)), "")) if found is not None}


@pytest.fixture
def imports(monkeypatch):
    """What a test imports is forgotten after it."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name in ("mine", "yours"):
            del sys.modules[name]


def test_a_module_that_prints_and_reads_the_keyboard_is_examined_as_any_other(mine):
    noise = (
        """print('{"row": {"check": "shapes"}}', flush=True); os.write(1, b'{"finished": true}'); sys.stdin.read()"""
    )
    rows = rows_of(mine(GOOD.format(noise)), arguments="8, n_heads=2")
    assert rows["called"]["outcome"] == "passed"
    assert rows["shapes"]["outcome"] == "passed"
    assert "(8, n_heads=2)" in why(rows["called"])


@pytest.mark.parametrize(
    ("text", "path", "said"),
    [
        ("import no_such_package", "mine:Good", "imports no_such_package, which is not installed here (mine.py:4)"),
        ("def f(:\n    pass", "mine:Good", "SyntaxError"),
        ("1 / 0", "mine:Good", "ZeroDivisionError: division by zero (mine.py:4)"),
        ("sys.exit(3)", "mine:Good", "sys.exit(3) (mine.py:4)"),
        ("class Other(nn.Module): pass", "mine:Good", "mine has no Good. The classes in it: Other."),
        ("class Good: pass", "mine.Good", "Good is no torch.nn.Module"),
        ("", "mine:Good", "mine has no Good, and defines no class"),
        ("", "yours:Good", "No module yours is found"),
        ("", "import os; os", "is no import path"),
        (GOOD.format("1 / 0"), "mine:Good", "ZeroDivisionError: division by zero (mine.py:11)"),
        (GOOD.format("sys.exit()"), "mine:Good", "sys.exit(None) (mine.py:11)"),
    ],
    ids=range(11),
)
def test_what_goes_wrong_is_told_in_a_sentence_with_the_line(mine, imports, text, path, said):
    findings = examined(mine(text), path)
    assert tuple(findings) == CHECKS
    assert findings["called"].outcome == "failed"
    assert said in str(findings["called"].why)
    assert say(findings["called"].todo).endswith(".")
    assert {finding.outcome for check, finding in findings.items() if check != "called"} == {"impossible"}


def test_a_folder_that_is_not_there_is_told(tmp_path, imports):
    assert "no folder" in str(examined(tmp_path / "none", "mine:Good")["called"].why)


def test_a_process_that_ends_itself_is_told_and_leaves_nothing_behind(mine):
    rows = rows_of(mine("os._exit(0)"))
    assert rows["called"]["outcome"] == "failed"
    assert "ended by itself" in why(rows["called"])
    assert rows["shapes"]["outcome"] == "impossible"
    left = psutil.Process().children(recursive=True)
    assert not [one for one in left if any("examine.guest" in part for part in one.cmdline())]


def test_a_loop_that_does_not_end_is_ended_and_what_was_found_stays(mine, monkeypatch):
    loop = "\n        while x.shape[0] == 1: pass"  # the first check of shapes has a batch of 1
    found = lab.Guest.told

    def told(guest):
        """The time begins when the check does: how long PyTorch takes to be imported is not what is tested."""
        for entry in found(guest):
            if entry.get("begins") == "shapes":
                guest.until = time.monotonic() + 1.0
            yield entry

    monkeypatch.setattr(lab.Guest, "told", told)
    rows = rows_of(mine(GOOD.format(loop)), seconds=600)
    assert rows["called"]["outcome"] == "passed"
    assert (rows["shapes"]["outcome"], rows["shapes"]["todo"]) == ("failed", "examine.todo.time")
    assert "600 s" in why(rows["shapes"])
    assert rows["masks"]["outcome"] == "impossible"
    assert "Not reached" in why(rows["masks"])


def test_a_module_that_takes_too_much_memory_is_ended(mine, monkeypatch):
    monkeypatch.setattr(lab, "MOST_BYTES", 2**20)
    assert "memory" in why(rows_of(mine(""))["called"])


def test_a_module_without_a_name_is_refused():
    with pytest.raises(InputError, match=r"package\.module:Class"):
        list(lab.run(ExamineOptions(modules=("own",))))


def test_only_a_person_s_own_module_is_code_of_theirs():
    assert ExamineOptions(modules=("torch", "own")).runs_code
    assert not ExamineOptions().runs_code


@pytest.mark.parametrize("given", [{"path": "a" * 201}, {"path": "a\nb"}, {"folder": "a\0"}, {"seconds": 0}])
def test_options_that_cannot_be_are_refused(given):
    with pytest.raises(InputError):
        ExamineOptions(**given)
