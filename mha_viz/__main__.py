"""Commands: ``python -m mha_viz doctor``."""

from __future__ import annotations

import argparse
import sys

from mha_viz.words import say


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m mha_viz", description=say("command.what"))
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("doctor", help=say("command.doctor"))
    parser.parse_args(arguments)
    from mha_viz.doctor import report  # imports torch

    for line in report():
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
