"""Commands: ``python -m mha_viz doctor``, ``run``, ``lab`` and ``app``."""

from __future__ import annotations

import argparse
import sys

from mha_viz.command import app, lab, run
from mha_viz.errors import MhaVizError
from mha_viz.version import NAME, VERSION
from mha_viz.words import say

#: Exit codes: what was asked for cannot be; the person at the keyboard stopped it. argparse's own is 2.
_REFUSED, _STOPPED = 1, 130


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m mha_viz", description=say("command.what"))
    parser.add_argument("--version", action="version", version=f"{NAME} {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("doctor", help=say("command.doctor"))
    for command in (run, lab, app):
        command.add_to(commands)
    chosen = parser.parse_args(arguments)
    try:
        return {"doctor": _doctor, "run": run.run, "lab": lab.run, "app": app.run}[chosen.command](chosen)
    except MhaVizError as problem:
        print(problem, file=sys.stderr)
        return _REFUSED
    except KeyboardInterrupt:
        print(say("command.stopped"), file=sys.stderr)
        return _STOPPED


def _doctor(chosen: argparse.Namespace) -> int:
    from mha_viz.doctor import report  # imports torch

    for line in report():
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
