"""Every lab has words, a stored result whose command makes it, and rows that look like those of the stored result."""

from __future__ import annotations

import json
import math
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from mha_viz.__main__ import main
from mha_viz.command import lab as command
from mha_viz.labs.registry import LABS, command_of
from mha_viz.labs.results import LabResult
from mha_viz.labs.stored import FOLDER, stored
from mha_viz.words import say

ROOT = Path(__file__).resolve().parents[2]
EVERY_LAB = pytest.mark.parametrize("name", LABS)
LARGEST = 150_000


def parsed(line: str) -> Any:
    """A lab's command as the command line reads it."""
    import argparse

    parser = argparse.ArgumentParser()
    command.add_to(parser.add_subparsers(dest="command", required=True))
    words = shlex.split(line)
    assert words[:3] == ["python", "-m", "mha_viz"]
    return parser.parse_args(words[3:])


def numbers(value: Any) -> Iterator[float]:
    """Every number anywhere in a row."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from numbers(part)
    elif isinstance(value, int | float):
        yield value


@EVERY_LAB
def test_every_lab_has_words_under_its_own_name(name):
    assert LABS[name].name == name
    assert len(say(f"lab.{name}")) > 10


@EVERY_LAB
def test_the_stored_result_is_that_of_the_full_options_and_small(name):
    result, lab = stored(name), LABS[name]
    assert result.lab == name
    assert result.whole
    assert result.rows
    assert lab.options_of(result.options) == lab.full
    assert (FOLDER / f"{name}.json").stat().st_size < LARGEST
    assert all(math.isfinite(number) for row in result.rows for number in numbers(row))


@EVERY_LAB
def test_the_stored_result_names_the_command_that_makes_it(name):
    result, lab = stored(name), LABS[name]
    line = result.facts["command"]
    chosen = parsed(line)
    given = {entry.name: getattr(chosen, entry.name) for entry in fields(type(lab.full))}
    asked = lab.options_of({key: value for key, value in given.items() if value is not None})
    assert chosen.lab == name
    assert asked == lab.full
    assert line == command_of(name, lab.full)
    assert set(result.facts) == {"command", "date", "machine", "python", "torch", "seconds"}


@EVERY_LAB
def test_a_small_run_of_the_command_writes_rows_like_the_stored_ones(name, tmp_path, capsys):
    lab, file = LABS[name], tmp_path / "out.json"
    assert main([*shlex.split(command_of(name, lab.small))[3:], "--out", str(file)]) == 0
    result = LabResult.from_json(file.read_text(encoding="utf-8"), file)
    assert result.whole
    assert lab.options_of(result.options) == lab.small
    kinds = {frozenset(row) for row in stored(name).rows}
    assert {frozenset(row) for row in result.rows} <= kinds
    out = capsys.readouterr().out
    assert say("command.lab.written", path=file, n=len(result.rows)) in out
    told = [json.loads(text) for text in out.splitlines() if text.startswith("{")]
    assert len(told) == len(result.rows)


def test_the_command_runs_in_a_process_of_its_own(tmp_path):
    """As it is typed; the others run in this process, since importing PyTorch takes longer than most small runs."""
    line = shlex.split(command_of("shuffled", LABS["shuffled"].small))
    file = tmp_path / "out.json"
    ran = subprocess.run([sys.executable, *line[1:], "--out", str(file)], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert LabResult.from_json(file.read_text(encoding="utf-8"), file).whole


def test_a_folder_that_is_not_there_is_told_before_anything_is_trained(tmp_path, capsys):
    assert main(["lab", "lookups", "--out", str(tmp_path / "no" / "out.json")]) != 0
    assert "no" in capsys.readouterr().err


def test_what_is_done_when_it_is_stopped_is_written(tmp_path, monkeypatch):
    """As by Ctrl-C after the first row."""
    from mha_viz.labs.results import Step

    def stopped(options):
        yield Step(0.5, {"task": "values", "heads": 1})
        raise KeyboardInterrupt

    monkeypatch.setattr("mha_viz.labs.lookups.run", stopped)
    file = tmp_path / "out.json"
    with pytest.raises(KeyboardInterrupt):
        command.run(parsed(f"python -m mha_viz lab lookups --steps 20 --out {file}"))
    result = LabResult.from_json(file.read_text(), file)
    assert not result.whole
    assert len(result.rows) == 1


def test_heads_that_divide_nothing_are_told_by_the_command(capsys):
    assert main(["lab", "lookups", "--heads", "3", "--steps", "20"]) != 0
    assert "1, 2, 4, 8, 16, 32" in capsys.readouterr().err
