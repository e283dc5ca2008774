"""A model of transformers as a source of traces."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

import torch

from mha_viz.controls import Controls, HeadId
from mha_viz.errors import ModelError
from mha_viz.models.base import AttentionModel
from mha_viz.models.devices import find_device, find_dtype
from mha_viz.models.editing import Piece
from mha_viz.models.hub.architecture import Architecture, architecture_of, read_config
from mha_viz.models.huggingface.changed import Changed
from mha_viz.models.huggingface.eager import eager_twin, eager_weights
from mha_viz.models.huggingface.flow import Recorder
from mha_viz.models.huggingface.kernel import PROBE
from mha_viz.models.huggingface.loading import load_network, load_tokenizer
from mha_viz.models.huggingface.proof import TOLERANCE, prove
from mha_viz.models.huggingface.pruned import Pruned
from mha_viz.models.huggingface.tokenizing import Tokenizer
from mha_viz.models.passed import MOST_ANSWERS, Forwarded, Reference, Said
from mha_viz.models.place import Place
from mha_viz.models.probe import Probe
from mha_viz.tokens import TokenSequence
from mha_viz.words import say


class HuggingFaceModel(AttentionModel):
    """A model loaded from a folder with config.json, tokenizer files and safetensors; proven against eager attention.

    Args:
        folder: where the files are; nothing is fetched.
        name: what people call it.
        place: where to run, and in what precision.
        revision: the commit the files are of; "" if they are of none.

    Attributes:
        architecture: what its config.json says.

    Raises:
        ModelError: the folder does not hold a model that can be read, run and proven; there is no such device.
    """

    def __init__(self, folder: Path, name: str, place: Place | None = None, revision: str = "") -> None:
        place = place or Place()
        self.device, self.dtype = find_device(place), find_dtype(place)
        self.architecture: Architecture = architecture_of(read_config(folder / "config.json", name), name)
        self.spec = self.architecture.spec
        self.revision = revision
        self._tokenizer = Tokenizer(load_tokenizer(folder, name), self.spec)
        self.padding_token = self._tokenizer.padding
        self.special_names = self._tokenizer.special_names
        network, answers = load_network(folder, self.architecture, self.dtype)
        self._network = network.to(self.device)
        self.says = self.architecture.says if answers else "nothing"
        self.mask_token = self._tokenizer.mask
        self._n_words = int(self._network.get_input_embeddings().num_embeddings)
        self._reads_segments = _reads_segments(self._network)
        self._twin: Any = None
        self._recorder: Recorder | None = None
        self._twin_made = threading.Lock()
        tokens = self.tokenize(say("proof.text"), cut=True)
        new_probe = partial(Probe, self.spec, tokens, Controls(), self.device, self.dtype)
        self._merges, self._products = prove(self._network, self.spec, self._inputs(tokens), new_probe)

    def tokenize(
        self, text: str, pair: str | None = None, *, cut: bool = False, read_special: bool = False
    ) -> TokenSequence:
        """As AttentionModel."""
        return self._tokenizer.tokenize(text, pair, cut=cut, read_special=read_special)

    def answer_name(self, number: int) -> str:
        """As AttentionModel."""
        if self.says == "nothing":
            return super().answer_name(number)
        labels = self.architecture.labels
        if self.says == "classes":
            return labels[number] if number < len(labels) else str(number)
        return self._tokenizer.word(number)

    def pruned(self, heads: Collection[HeadId]) -> Pruned:
        """A copy whose matrices lack these heads; this model stays as it is.

        Raises:
            InputError: there is no such head, or the architecture does not keep four matrices a layer.
        """
        return Pruned(self._network, self.spec, self._products, heads)

    def changed(self) -> Changed:
        """A copy whose modules may be rounded or quantised; this model stays as it is."""
        return Changed(self._network)

    def _pieces(self, word: str, tokens: TokenSequence, position: int) -> list[Piece]:
        first = position == 0 or tokens.special[position - 1]
        return self._tokenizer.pieces(word, tokens.ids[position], first=first, located=tokens.located)

    def _forward(self, tokens: TokenSequence, probe: Probe) -> Forwarded:
        inputs = self._inputs(tokens)
        if probe.watched is not None and self._products:
            recorder = self._recording()
            with recorder.watching(probe):
                output = recorder.twin.base_model(**inputs, **{PROBE: probe}).last_hidden_state
            return Forwarded(output[0], None)
        asked = self._asked(tokens)
        if not asked and self.says != "classes":
            output = self._network.base_model(**inputs, **{PROBE: probe}).last_hidden_state
            return Forwarded(output[0], None)
        result = self._network(**inputs, **{PROBE: probe}, output_hidden_states=True)
        logits = result.logits[0, list(asked)] if asked else result.logits
        return Forwarded(result.hidden_states[-1][0], Said(self.says, asked, logits))

    def _asked(self, tokens: TokenSequence) -> tuple[int, ...]:
        """Positions whose answer is kept: masked words, or the last token of a model that goes on writing."""
        if self.says != "tokens":
            return ()
        if self.spec.causal:
            return (sum(not padding for padding in tokens.padding) - 1,)
        mask_id = None if self.mask_token is None else self.mask_token[1]
        return tuple(at for at, number in enumerate(tokens.ids) if number == mask_id)[:MOST_ANSWERS]

    def _inputs(self, tokens: TokenSequence) -> dict[str, torch.Tensor]:
        if max(tokens.ids) >= self._n_words:
            raise ModelError("error.vocabulary", name=self.spec.name, got=max(tokens.ids), last=self._n_words - 1)
        inputs = {"input_ids": self._row(tokens.ids)}
        if self._reads_segments:
            inputs["token_type_ids"] = self._row(tokens.segment_ids)
        if any(tokens.padding):
            inputs["attention_mask"] = 1 - self._row(tokens.padding)
        return inputs

    def _reference(self, tokens: TokenSequence, visible: torch.Tensor | None) -> Reference:
        with self._twin_made:
            if self._twin is None:
                self._twin = eager_twin(self._network)
        inputs = self._inputs(tokens)
        if (
            visible is not None
        ):  # eager takes a mask of its own only as numbers that are added, (batch, head, query, key)
            hidden = torch.zeros(visible.shape, dtype=self.dtype, device=self.device)
            hidden.masked_fill_(~visible.to(self.device), torch.finfo(self.dtype).min)
            inputs["attention_mask"] = hidden[None, None]
        weights, output = eager_weights(self._twin, inputs)
        if weights is None:
            raise ModelError("error.no_weights", name=self.spec.name)
        return Reference("check.eager", weights, output, TOLERANCE[self.dtype])

    def _merge(self, layer: int, head_output: torch.Tensor) -> torch.Tensor:
        return self._merges[layer](head_output)

    def _matrices(self, layer: int) -> dict[str, torch.Tensor | None]:
        width = self.spec.d_model
        named = list(zip("QKVO", self._products[layer], strict=True))
        matrices: dict[str, torch.Tensor | None] = {f"W_{letter}": product.matrix(width) for letter, product in named}
        return matrices | {f"b_{letter}": product.bias(width) for letter, product in named}

    def _recording(self) -> Recorder:
        """The twin that tells what its projections read, made when it is first asked for."""
        with self._twin_made:
            if self._recorder is None:
                self._recorder = Recorder(self._network, self._products)
            return self._recorder

    @property
    def _training(self) -> bool:
        return bool(self._network.training)

    def _row(self, numbers: tuple[int, ...]) -> torch.Tensor:
        """(1, token)."""
        return torch.tensor([numbers], dtype=torch.long, device=self.device)


def _reads_segments(network: Any) -> bool:
    """Whether the model tells two texts apart by numbers of their own; RoBERTa has the entry, and room for one number only."""
    named = "token_type_ids" in inspect.signature(network.base_model.forward).parameters
    return named and getattr(network.config, "type_vocab_size", 0) > 1
