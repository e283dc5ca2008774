"""Model folders of every kind that somebody may offer, made from the tiny BERT: real files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file, save_file


def copy(source: Path, folder: Path) -> Path:
    shutil.copytree(source, folder)
    return folder


def edit_config(folder: Path, **entries: object) -> Path:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | entries))
    return folder


def only_pickle(folder: Path) -> Path:
    tensors = {name: torch.from_numpy(array) for name, array in load_file(folder / "model.safetensors").items()}
    torch.save(tensors, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    return folder


def truncated(folder: Path, n_bytes: int = 10_000) -> Path:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-n_bytes])
    return folder


def remote_code(folder: Path) -> Path:
    return edit_config(folder, auto_map={"AutoModel": "modeling.Evil"})


def no_tokenizer(folder: Path) -> Path:
    for file in folder.glob("tokenizer*"):
        file.unlink()
    return folder


def adapter(folder: Path) -> Path:
    (folder / "config.json").rename(folder / "adapter_config.json")
    (folder / "model.safetensors").rename(folder / "adapter_model.safetensors")
    return folder


def sharded(folder: Path) -> Path:
    """Two parts and an index, as transformers writes them."""
    tensors = load_file(folder / "model.safetensors")
    names = sorted(tensors)
    parts = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
    for file, kept in parts.items():
        save_file({name: tensors[name] for name in kept}, folder / file)
    weight_map = {name: file for file, kept in parts.items() for name in kept}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    (folder / "model.safetensors").unlink()
    return folder


def padded(folder: Path, n_bytes: int = 1_000_000) -> Path:
    """More bytes, so that a download takes a while."""
    tensors = load_file(folder / "model.safetensors")
    noise = np.random.default_rng(0).integers(0, 256, n_bytes, dtype=np.uint8)
    save_file(tensors | {"padding": noise}, folder / "model.safetensors")
    return folder


def tripled(folder: Path) -> Path:
    """Other weights, so that heads read elsewhere."""
    tensors = load_file(folder / "model.safetensors")
    save_file({name: 3 * array for name, array in tensors.items()}, folder / "model.safetensors", {"format": "pt"})
    return folder


def edit_tokenizer(folder: Path, **entries: object) -> Path:
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(config | entries))
    return folder


#: What makes a model unfit, and the sentence for it, wherever the model is.
UNFIT: list[tuple[Callable[[Path], Path], str]] = [
    (only_pickle, "error.hub_no_safetensors"),
    (remote_code, "error.remote_code"),
    (no_tokenizer, "error.hub_no_tokenizer"),
    (adapter, "error.hub_adapter"),
    (lambda folder: edit_config(folder, model_type="mamba", num_attention_heads=None), "error.not_attention"),
    (lambda folder: edit_config(folder, hidden_size=1_000_000), "error.config_limit"),
]
