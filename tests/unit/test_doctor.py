"""The doctor's report names what is there and what is wrong, and ends well in either case."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def doctor(folder: Path, **environment: str) -> list[str]:
    """The lines of the report, with a Hub that nobody serves."""
    quiet = {"HF_HOME": str(folder), "HF_ENDPOINT": "http://127.0.0.1:9", "MHA_VIZ_DEVICE": "cpu"}
    command = [sys.executable, "-m", "mha_viz", "doctor"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | quiet | environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def entry(lines: list[str], name: str) -> str:
    (line,) = [line for line in lines if line.startswith(f"{name} ")]
    return line.removeprefix(name).strip()


def test_the_report_names_versions_devices_models_limits_and_what_is_reached(tmp_path):
    lines = doctor(tmp_path, MHA_VIZ_RESIDENT="3", MHA_VIZ_THREADS="2", BROWSER_PATH="/bin/true")
    for package in ("streamlit", "torch", "transformers", "plotly", "kaleido"):
        assert entry(lines, package) == version(package)
    assert entry(lines, "draws pictures") == "/bin/true"
    assert entry(lines, "runs on") == "cpu"
    assert entry(lines, "models in memory") == "3"
    assert entry(lines, "threads") == "2"
    assert entry(lines, "model").startswith("all-MiniLM-L6-v2, 91 MB")
    assert entry(lines, "fetched models").startswith(str(tmp_path))
    assert "cannot be reached" in entry(lines, "Hugging Face Hub")
    assert "cpu (" in entry(lines, "device")


def test_a_wrong_setting_and_a_missing_device_are_named(tmp_path):
    assert "MHA_VIZ_HUB is maybe" in entry(doctor(tmp_path, MHA_VIZ_HUB="maybe"), "WRONG")
    assert "no device cuda:9" in entry(doctor(tmp_path, MHA_VIZ_DEVICE="cuda:9"), "WRONG")


def test_models_in_the_cache_and_in_folders_are_listed_and_broken_ones_say_why(tmp_path):
    from tests.models import families

    folder = tmp_path / "models"
    families.save(folder / "good", "bert")
    families.save(folder / "broken", "bert")
    weights = folder / "broken" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    lines = doctor(tmp_path, MHA_VIZ_FOLDERS=str(folder))
    told = [line for line in lines if line.startswith("model ")]
    assert any(re.search(r"folder:good, \d+ kB, version -", line) for line in told)
    assert any("folder:broken" in line and "damaged" in line for line in told)


@pytest.mark.parametrize("arguments", [[], ["nonsense"]])
def test_another_command_is_refused_with_the_ones_there_are(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "mha_viz", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "COMMAND" in done.stderr or "doctor" in done.stderr
