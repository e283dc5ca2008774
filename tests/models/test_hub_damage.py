"""Weight files and indexes that are not what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

import mha_viz
from tests.models import hub_models
from tests.models.hub_place import find, in_folder


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def head_only(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50])


def huge_head(path: Path) -> None:
    path.write_bytes(b"\xff" * 8 + path.read_bytes()[8:])


def other_head(path: Path) -> None:
    body = path.read_bytes()
    path.write_bytes(body[:8] + b"[" + body[9:])


def login_page(path: Path) -> None:
    path.write_bytes(b"<html>Welcome to the hotel. Please sign in to use the network.</html>")


SPOIL = [cut, lengthen, empty, head_only, huge_head, other_head, login_page]


@pytest.mark.parametrize("spoil", SPOIL)
def test_damaged_weights_in_the_cache_are_to_be_fetched_again(tmp_path, put, spoil):
    spoil(put() / "model.safetensors")
    with pytest.raises(mha_viz.ModelError, match=r"org/tiny.*model\.safetensors.*Fetch it again") as caught:
        find(tmp_path)
    assert caught.value.key == "error.hub_damaged"


@pytest.mark.parametrize("spoil", SPOIL)
def test_damaged_weights_in_a_folder_are_to_be_copied_again(tmp_path, tiny_folder, spoil):
    folder = hub_models.copy(tiny_folder, tmp_path / "model")
    spoil(folder / "model.safetensors")
    with pytest.raises(mha_viz.ModelError, match="Copy it there again") as caught:
        in_folder(folder)
    assert caught.value.key == "error.hub_damaged_folder"


BAD_INDEX = ["{", "[]", "{}", '{"weight_map": {}}', '{"weight_map": {"a": 1}}', "\xff"]
BAD_INDEX += [
    f'{{"weight_map": {{"a": "{file}"}}}}' for file in ("../x.safetensors", "/etc/x.safetensors", "model.bin")
]


@pytest.mark.parametrize("index", BAD_INDEX)
def test_an_index_that_leads_elsewhere_is_refused(tmp_path, tiny_folder, index):
    folder = hub_models.sharded(hub_models.copy(tiny_folder, tmp_path / "parts"))
    (folder / "model.safetensors.index.json").write_text(index, encoding="latin-1")
    with pytest.raises(mha_viz.ModelError) as caught:
        in_folder(folder)
    assert caught.value.key == "error.hub_index"
