"""``python -m mha_viz lab``: one lab, its result written into a file or told in lines."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

from mha_viz.errors import InputError
from mha_viz.export.files import whole_file
from mha_viz.labs.child import on_one_thread
from mha_viz.labs.options import Options, many
from mha_viz.labs.pool import facts_now
from mha_viz.labs.registry import LABS
from mha_viz.labs.results import LabResult, Row
from mha_viz.words import say


def add_to(commands: Any) -> None:
    """Adds the command, with one of its own for each lab."""
    parser = commands.add_parser("lab", help=say("command.lab"), description=say("command.lab.what"))
    labs = parser.add_subparsers(dest="lab", required=True, metavar="LAB")
    for lab in LABS.values():
        one = labs.add_parser(lab.name, help=say(f"lab.{lab.name}"), description=say(f"lab.{lab.name}"))
        for entry in fields(type(lab.full)):
            name, takes = "--" + entry.name.replace("_", "-"), {"nargs": "+"} if many(entry) else {}
            default = entry.default if isinstance(entry.default, tuple) else (entry.default,)
            told = say("command.lab.default", values=" ".join(map(str, default)))
            one.add_argument(name, dest=entry.name, type=entry.metadata["kind"], help=told, **takes)
        one.add_argument("--out", type=Path, metavar="FILE", help=say("command.lab.out"))


def run(chosen: argparse.Namespace) -> int:
    """Runs the lab; returns the exit code. What is done when it is stopped by the keyboard is written too.

    Raises:
        MhaVizError: an option or a file that cannot be.
    """
    lab = LABS[chosen.lab]
    names = [entry.name for entry in fields(type(lab.full))]
    options = lab.options_of({name: getattr(chosen, name) for name in names if getattr(chosen, name) is not None})
    if chosen.out is not None and chosen.out.is_dir():  # what can be refused is refused before anything is trained
        raise InputError("error.lab_out", path=chosen.out)
    if chosen.out is not None and not chosen.out.parent.is_dir():
        raise InputError("error.command_folder", folder=chosen.out.parent)
    rows: list[Row] = []
    begun, whole = time.monotonic(), False
    try:
        _follow(lab.name, options, rows)
        whole = True
    finally:
        facts = facts_now(lab.name, options) | {"seconds": round(time.monotonic() - begun, 1)}
        if rows and chosen.out is not None:
            result = LabResult(lab.name, options.plain(), tuple(rows), facts, whole=whole)
            with whole_file(chosen.out) as file:
                file.write(result.to_json().encode())
            print(say("command.lab.written", path=chosen.out, n=len(rows)))
    return 0


def _follow(name: str, options: Options, rows: list[Row]) -> None:
    on_one_thread()
    for step in LABS[name].run(options):
        if step.row is not None:
            rows.append(step.row)
            print(
                json.dumps({key: value for key, value in step.row.items() if not isinstance(value, list)}), flush=True
            )
        if sys.stderr.isatty():
            print(f"\r{step.share:4.0%} ", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r      \r", end="", file=sys.stderr)
