"""BertViz's model view as a file that Chromium can open without a network. Everything is fetched into .bench/, once."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import types
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
_BENCH = _ROOT / ".bench"
#: npm's name and version, the file in it, and the address in BertViz's HTML. Of jQuery 2.0.0 npm has nothing; 2.1.0 is next.
_SCRIPTS = (
    ("d3", "5.7.0", "dist/d3.min.js", "https://cdnjs.cloudflare.com/ajax/libs/d3/5.7.0/d3.min"),
    ("jquery", "2.1.0", "dist/jquery.min.js", "https://cdnjs.cloudflare.com/ajax/libs/jquery/2.0.0/jquery.min"),
    ("requirejs", "2.3.6", "require.js", "https://cdnjs.cloudflare.com/ajax/libs/require.js/2.3.6/require.min.js"),
)


class NotHereError(Exception):
    """BertViz or its scripts cannot be had; the message says what, in one line."""


def fetch() -> None:
    """BertViz from the Python package index, its scripts from npm.

    Raises:
        NotHereError: pip, npm or the network are missing.
    """
    _BENCH.mkdir(exist_ok=True)
    if not (_BENCH / "python" / "bertviz").is_dir():
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--target",
        ]
        _do([*pip, str(_BENCH / "python"), "-r", str(_ROOT / "requirements-bench.txt")], "BertViz")
    npm = shutil.which("npm")
    for name, version, file, _ in _SCRIPTS:
        if _script(name).is_file():
            continue
        if npm is None:
            raise NotHereError("npm is not installed")
        _do([npm, "pack", "--silent", f"{name}@{version}"], name)
        with tarfile.open(_BENCH / f"{name}-{version}.tgz") as packed:
            found = packed.extractfile(f"package/{file}")
            assert found is not None
            _script(name).write_bytes(found.read())


def model_view() -> Any:
    """BertViz's function.

    Raises:
        NotHereError: it cannot be imported.
    """
    _stand_in_for_ipython()
    sys.path.insert(0, str(_BENCH / "python"))
    try:
        from bertviz import model_view as found  # type: ignore[import-not-found, unused-ignore]
    except ImportError as problem:
        raise NotHereError(f"BertViz cannot be imported: {problem}") from problem
    return found


def write_page(html: str, file: Path) -> int:
    """Writes the HTML with its script addresses made local; how many bytes that is.

    Raises:
        NotHereError: it still asks for something outside.
    """
    for name, _, _, address in _SCRIPTS:
        local = _script(name).as_uri()
        html = html.replace(address, local if address.endswith(".js") else local.removesuffix(".js"))
    asked = re.search(r"""(?:src=|: )["'](https?://[^"']+)""", html[:2000] + html[-40_000:])
    if asked:
        raise NotHereError(f"its page asks for {asked[1]}")
    written = html.encode()
    file.write_bytes(b"<!doctype html><meta charset='utf-8'><body>" + written)
    return len(written)


def _script(name: str) -> Path:
    return _BENCH / f"{name}.js"


def _do(command: list[str], what: str) -> None:
    try:
        subprocess.run(command, cwd=_BENCH, check=True, capture_output=True, timeout=300)
    except (OSError, subprocess.SubprocessError) as problem:
        raise NotHereError(f"{what} could not be fetched ({type(problem).__name__})") from problem


def _stand_in_for_ipython() -> None:
    """BertViz only wraps its HTML and its script in IPython's records."""
    if "IPython" in sys.modules:
        return
    display = types.ModuleType("IPython.display")
    record = type("Record", (), {"__init__": lambda self, data: setattr(self, "data", data)})
    for name in ("HTML", "Javascript"):
        setattr(display, name, record)
    display.display = print  # type: ignore[attr-defined]
    ipython = types.ModuleType("IPython")
    ipython.display = display  # type: ignore[attr-defined]
    sys.modules |= {"IPython": ipython, "IPython.display": display}
