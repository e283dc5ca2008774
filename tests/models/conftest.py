"""The models that these tests share, each opened once, and Hugging Face's own eager runs of the same files."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import settings

import mha_viz
from mha_viz.models import packaged
from mha_viz.models.base import AttentionModel
from mha_viz.models.hub import cache
from mha_viz.settings import settings as settings_of_app
from mha_viz.tokens import TokenSequence
from tests.models import families, hub_models, tiny
from tests.models.hub_place import COMMIT, NAME, Place
from tests.models.hub_server import HubServer

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# Short sequences gain nothing from a second thread, and idle ones take time from whatever else runs.
torch.set_num_threads(1)


class Eager:
    """Hugging Face's eager BERT, loaded from the same files, without any of this project's code."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModel

        self.model = AutoModel.from_pretrained(folder, attn_implementation="eager", local_files_only=True).eval()

    def run(self, tokens: TokenSequence, mask: torch.Tensor | None = None, **options) -> tuple[np.ndarray, np.ndarray]:
        """Weights (layer, head, query, key) and last hidden state; ``mask`` is additive, (query, key)."""
        inputs = {"input_ids": torch.tensor([tokens.ids]), "token_type_ids": torch.tensor([tokens.segment_ids])}
        if mask is not None:
            inputs["attention_mask"] = mask[None, None]
        elif any(tokens.padding):
            inputs["attention_mask"] = 1 - torch.tensor([tokens.padding]).long()
        with torch.inference_mode():
            output = self.model(**inputs, output_attentions=True, **options)
        return torch.stack(output.attentions)[:, 0].numpy(), output.last_hidden_state[0].numpy()


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.save(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def tiny_model(tiny_folder: Path) -> AttentionModel:
    from mha_viz.models.huggingface import HuggingFaceModel

    return HuggingFaceModel(tiny_folder, "tiny")


@pytest.fixture(scope="session")
def family(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], AttentionModel]:
    """A tiny model of each architecture by its name, made and opened once."""
    from mha_viz.models.huggingface import HuggingFaceModel

    @functools.cache
    def opened(name: str) -> AttentionModel:
        folder = families.save(tmp_path_factory.mktemp("family"), name)
        return HuggingFaceModel(folder, name)

    return opened


@pytest.fixture(scope="session")
def hub_model(tmp_path_factory: pytest.TempPathFactory) -> AttentionModel:
    """A model opened as a person would, from a folder that may be opened."""
    allowed = tmp_path_factory.mktemp("allowed")
    families.save(allowed / "mine", "bert masked")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("MHA_VIZ_FOLDERS", str(allowed))
        settings_of_app.cache_clear()
        opened = mha_viz.open_model("hub", model="folder:mine")
    settings_of_app.cache_clear()
    return opened


@pytest.fixture(scope="session")
def minilm() -> AttentionModel:
    return mha_viz.open_model("minilm")


@pytest.fixture
def eager_tiny(tiny_folder: Path) -> Eager:
    return Eager(tiny_folder)


@pytest.fixture(scope="module")
def eager_minilm() -> Eager:
    """Shared by a file: whoever edits its weights puts them back."""
    return Eager(packaged.model_folder())


@pytest.fixture
def direct(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No proxy stands between the Hub's client and this computer, and no connection is kept from test to test."""
    from huggingface_hub.utils._http import close_session

    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "*")
    close_session()
    yield
    close_session()


@pytest.fixture
def hub(direct: None, tiny_folder: Path) -> Iterator[HubServer]:
    """A Hub that has org/tiny."""
    with HubServer({"org/tiny": tiny_folder}) as server:
        yield server


@pytest.fixture(scope="session")
def big(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of one megabyte."""
    return hub_models.padded(hub_models.copy(tiny_folder, tmp_path_factory.mktemp("big") / "model"))


@pytest.fixture
def place(direct: None, big: Path, tmp_path: Path) -> Iterator[Place]:
    with HubServer({NAME.text: big}) as server:
        place = Place(server, tmp_path / "cache")
        yield place
        place.downloads.close()


@pytest.fixture
def put(tmp_path: Path, tiny_folder: Path) -> Callable[..., Path]:
    """Puts a copy of the tiny model into the Hub's cache, as the client lays it out."""

    def into_cache(commit: str = COMMIT, ref: str | None = "main", name: str = "org/tiny") -> Path:
        storage = cache.storage(tmp_path / "cache", name)
        snapshot = hub_models.copy(tiny_folder, storage / "snapshots" / commit)
        if ref:
            (storage / "refs").mkdir(exist_ok=True)
            (storage / "refs" / ref).write_text(commit)
        return snapshot

    return into_cache
