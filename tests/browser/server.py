"""A real server of the app, on a free port of this computer."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_PATIENCE = 60.0


@contextmanager
def served(log: Path) -> Iterator[str]:
    """Runs the app in a process of its own and gives its address; ``log`` gets what it prints."""
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.address", "127.0.0.1", "--server.port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=_ROOT, stdout=output, stderr=subprocess.STDOUT)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_until_healthy(address, process, log)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=_PATIENCE)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Asks the server itself; it answers without running the app."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            continue
    raise RuntimeError(f"the server did not start: {log.read_text(errors='replace')}")
