"""A Streamlit app in a process of its own, on a free port of this computer, and which Chromium to look at it with."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
APP = ROOT / "app.py"
BROWSER_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
)
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PATIENCE = 60.0


@contextmanager
def served(
    log: Path, script: Path = APP, *, arguments: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Runs an app and gives its address.

    Args:
        log: gets what it prints.
        script: of the app.
        arguments: for the script.
        environment: variables beside those of this process.
    """
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless", "true"]
    command += ["--server.address", "127.0.0.1", "--server.port", str(port), "--", *arguments]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, env=variables)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_until_healthy(address, process, log)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=_PATIENCE)


def chromium() -> str | None:
    """Where an installed Chromium is; None for Playwright's own."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


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
        except OSError:  # not yet: nobody listens, or no answer in time
            time.sleep(0.05)
    raise RuntimeError(f"the server did not start: {log.read_text(errors='replace')}")
