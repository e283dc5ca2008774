"""``python -m mha_viz app``: starts the app, as ``make run`` does."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

from mha_viz.errors import InputError
from mha_viz.words import say

_APP = Path(__file__).resolve().parents[2] / "app.py"
_THIS_COMPUTER = ("localhost", "127.0.0.1", "::1")
#: Megabytes of a file of weights; an app that others reach takes 1, as .streamlit/config.toml says.
_LARGEST_FILE = 512
_PORTS = range(1, 65_536)


def add_to(commands: Any) -> None:
    """Adds the command, with its arguments, to those of ``argparse``."""
    parser = commands.add_parser("app", help=say("command.app"), description=say("command.app.what"))
    parser.add_argument("--port", type=int, help=say("command.app.port"))
    parser.add_argument("--address", default="localhost", help=say("command.app.address"))
    parser.add_argument("--headless", action="store_true", help=say("command.app.headless"))


def run(chosen: argparse.Namespace) -> int:
    """Runs the app until it is stopped; returns its exit code.

    Raises:
        InputError: the app's files are not here, or no such port.
    """
    command = command_of(chosen)
    try:
        return subprocess.run(command, cwd=_APP.parent).returncode
    except KeyboardInterrupt:
        return 0


def command_of(chosen: argparse.Namespace) -> list[str]:
    """What is started.

    Raises:
        InputError: as ``run``.
    """
    if not _APP.is_file():
        raise InputError("error.command_app", path=_APP)
    if chosen.port is not None and chosen.port not in _PORTS:
        raise InputError("error.command_port", got=chosen.port, low=_PORTS[0], high=_PORTS[-1])
    command = [sys.executable, "-m", "streamlit", "run", str(_APP), "--server.address", chosen.address]
    command += ["--browser.serverAddress", "localhost"]
    if chosen.address in _THIS_COMPUTER:
        command += ["--server.maxUploadSize", str(_LARGEST_FILE)]
    if chosen.port is not None:
        command += ["--server.port", str(chosen.port)]
    return [*command, *(["--server.headless", "true"] if chosen.headless else [])]
