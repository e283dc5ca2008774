"""Models on this computer, whole, partial and spoilt; nothing here asks a network."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

import mha_viz
from mha_viz.models.hub import local, names
from mha_viz.settings import Settings
from tests.models import hub_models
from tests.models.hub_place import COMMIT, ID, OTHER, find, in_folder

ROOT = Path(__file__).resolve().parents[2]


def test_a_whole_model_in_the_cache_is_found_with_its_numbers(tmp_path, tiny_folder, put):
    snapshot = put()
    found = find(tmp_path)
    assert found is not None
    tensors = load_file(tiny_folder / "model.safetensors")
    assert (found.name, found.revision, found.folder) == ("org/tiny", COMMIT, snapshot)
    assert found.weights == (snapshot / "model.safetensors",)
    assert found.n_bytes == (tiny_folder / "model.safetensors").stat().st_size
    assert found.parameters == sum(tensor.numel() for tensor in tensors.values())
    assert found.architecture.spec == mha_viz.ModelSpec("org/tiny", 3, 2, 16, 32)


def test_the_parameters_are_those_of_the_model_itself(tmp_path, tiny_folder, put):
    from transformers import AutoModel

    put()
    model = AutoModel.from_pretrained(tiny_folder, local_files_only=True)
    found = find(tmp_path)
    assert found is not None
    assert found.parameters == sum(parameter.numel() for parameter in model.parameters())


def test_versions_are_told_apart(tmp_path, put):
    first, second = put(), put(OTHER, "v2")
    for revision, folder in ((None, first), ("main", first), ("v2", second), (OTHER, second), (COMMIT, first)):
        found = find(tmp_path, revision)
        assert found is not None
        assert found.folder == folder
    for revision in ("v3", "c" * 40):
        assert find(tmp_path, revision) is None


def test_a_model_fetched_by_its_commit_alone_is_found_without_a_version(tmp_path, put):
    put(OTHER, None)
    assert find(tmp_path, "main") is None
    found = find(tmp_path)
    assert found is not None
    assert found.revision == OTHER


def test_a_main_that_is_not_complete_does_not_hide_what_is(tmp_path, put):
    (put() / "model.safetensors").unlink()
    put(OTHER, None)
    found = find(tmp_path)
    assert found is not None
    assert found.revision == OTHER


def test_a_model_is_found_in_a_cache_older_than_its_owners_name(tmp_path, put):
    snapshot = put(name="bert-base-uncased")
    for text in ("bert-base-uncased", "google-bert/bert-base-uncased"):
        found = find(tmp_path, name=names.parse(text, Settings()))
        assert found is not None
        assert (found.name, found.folder) == ("google-bert/bert-base-uncased", snapshot)


def test_the_caches_place_is_the_clients(tmp_path, put):
    """HF_HUB_CACHE is read by the client when it starts; so a process of its own."""
    put()
    code = (
        "from mha_viz.models.hub import local, names; from mha_viz.settings import Settings; import sys;"
        "print(local.find(names.parse('org/tiny', Settings()), None, Settings()).revision);"
        "print([name for name in sys.modules if name in ('torch', 'transformers', 'httpx2', 'huggingface_hub.hf_api')])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        env={"HF_HUB_CACHE": str(tmp_path / "cache"), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n")[:2] == [COMMIT, "[]"]


@pytest.mark.parametrize("lost", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_part_of_a_model_is_not_a_model(tmp_path, put, lost):
    (put() / lost).unlink()
    assert find(tmp_path) is None


def test_a_link_to_a_blob_that_is_gone_is_a_missing_file(tmp_path, put):
    snapshot = put()
    (snapshot / "model.safetensors").unlink()
    (snapshot / "model.safetensors").symlink_to("../../blobs/gone")
    assert find(tmp_path) is None


def test_a_pickle_in_the_cache_is_no_model_and_may_be_followed_by_safetensors(tmp_path, put):
    hub_models.only_pickle(put())
    assert find(tmp_path) is None


@pytest.mark.parametrize("revision", ["../../../etc", "..", "a/../b"])
def test_a_version_never_leads_out_of_the_cache(tmp_path, put, revision):
    put()
    with pytest.raises(mha_viz.InputError):
        find(tmp_path, revision)


def test_a_folder_is_found_with_its_numbers(tmp_path, tiny_folder, put):
    folder = hub_models.copy(tiny_folder, tmp_path / "model")
    put()
    from_cache, found = find(tmp_path), in_folder(folder)
    assert found is not None
    assert from_cache is not None
    assert (found.name, found.revision, found.folder) == ("folder:model", "", folder.resolve())
    assert (found.n_bytes, found.parameters) == (from_cache.n_bytes, from_cache.parameters)


def test_weights_in_several_files_are_one_model(tmp_path, tiny_folder):
    whole = in_folder(hub_models.copy(tiny_folder, tmp_path / "whole"))
    folder = hub_models.sharded(hub_models.copy(tiny_folder, tmp_path / "parts"))
    found = in_folder(folder)
    assert found is not None
    assert whole is not None
    assert [path.name for path in found.weights] == [f"model-0000{part}-of-00002.safetensors" for part in (1, 2)]
    assert found.parameters == whole.parameters
    assert found.n_bytes == sum(path.stat().st_size for path in found.weights)
    (folder / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(mha_viz.ModelError, match="model-00002") as caught:
        in_folder(folder)
    assert caught.value.key == "error.hub_part_missing"


KINDS = [
    *hub_models.UNFIT,
    (lambda folder: hub_models.edit_config(folder, is_encoder_decoder=True), "error.encoder_decoder"),
    (lambda folder: hub_models.edit_config(folder, num_attention_heads=3), "error.config_numbers"),
]


@pytest.mark.parametrize(("make", "key"), KINDS, ids=[key for _, key in KINDS])
def test_what_is_no_model_for_this_app_says_what_it_is(tmp_path, tiny_folder, make, key):
    with pytest.raises(mha_viz.ModelError, match="folder:model") as caught:
        in_folder(make(hub_models.copy(tiny_folder, tmp_path / "model")))
    assert caught.value.key == key


def test_the_largest_size_is_kept_to(tmp_path, put):
    put()
    with pytest.raises(mha_viz.ModelError, match=r"0\.00 GB") as caught:
        local.find(ID, None, Settings(largest=1_000), cache_dir=tmp_path / "cache")
    assert caught.value.key == "error.hub_too_large"


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_file_that_is_a_link_out_of_the_allowed_folders_is_not_opened(tmp_path, tiny_folder, file):
    folder = hub_models.copy(tiny_folder, tmp_path / "allowed" / "model")
    (folder / file).rename(tmp_path / file)
    (folder / file).symlink_to(tmp_path / file)
    with pytest.raises(mha_viz.ModelError) as caught:
        in_folder(folder)
    assert (caught.value.key, caught.value.values["file"]) == ("error.hub_link_outside", file)


def test_all_models_of_this_computer_are_listed_and_those_that_cannot_be_used_say_why(tmp_path, tiny_folder, put):
    put()
    hub_models.truncated(put(name="org/cut"))
    (put(name="org/partial") / "model.safetensors").unlink()
    put(name="gpt2")
    (tmp_path / "cache" / "models--a--b--c--d").mkdir()
    (tmp_path / "cache" / "datasets--x").mkdir()
    root = tmp_path / "folders"
    hub_models.copy(tiny_folder, root / "one")
    hub_models.only_pickle(hub_models.copy(tiny_folder, root / "two"))
    listed = local.cached(Settings(folders=(root.resolve(),)), cache_dir=tmp_path / "cache")
    told = {line.name: (line.revision, line.problem and line.problem.key) for line in listed}
    assert told == {
        "folder:one": ("", None),
        "folder:two": ("", "error.hub_no_safetensors"),
        "org/tiny": (COMMIT, None),
        "org/cut": ("", "error.hub_damaged"),
        "openai-community/gpt2": (COMMIT, None),
    }
    size = (tiny_folder / "model.safetensors").stat().st_size
    assert {line.n_bytes for line in listed if line.problem is None} == {size}
    shutil.rmtree(tmp_path / "cache")
    assert local.cached(Settings(), cache_dir=tmp_path / "cache") == []


def test_no_pickle_is_ever_opened(tmp_path, tiny_folder):
    """One that would tell if it were."""

    class Evil:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "opened",))

    folder = hub_models.copy(tiny_folder, tmp_path / "model")
    torch.save(Evil(), folder / "pytorch_model.bin")
    assert in_folder(folder) is not None
    (folder / "model.safetensors").unlink()
    with pytest.raises(mha_viz.ModelError):
        in_folder(folder)
    assert not (tmp_path / "opened").exists()


def test_the_room_imports_neither_torch_nor_transformers_nor_the_client():
    files = sorted(path.stem for path in (ROOT / "mha_viz" / "models" / "hub").glob("*.py") if path.stem != "client")
    code = f"import importlib, sys; [importlib.import_module(f'mha_viz.models.hub.{{name}}') for name in {files}]"
    report = "print(*[name for name in ('torch', 'transformers', 'huggingface_hub', 'httpx2') if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{code}\n{report}"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
