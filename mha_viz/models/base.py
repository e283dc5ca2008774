"""What every model source offers, and what they share: limits, running, recording."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
import torch

from mha_viz.arrays import FloatArray
from mha_viz.checks import Agreement, Conditions
from mha_viz.controls import Controls, has_key, visible_in
from mha_viz.edits import Edits
from mha_viz.errors import InputError, ModelError, RecordError
from mha_viz.masks import visible_cells
from mha_viz.models.devices import device_name, wait_for
from mha_viz.models.editing import Piece, edited
from mha_viz.models.passed import Forwarded, Reference
from mha_viz.models.probe import Probe
from mha_viz.spec import ModelSpec
from mha_viz.tokens import TokenSequence
from mha_viz.trace import AttentionTrace, HeadVectors, LayerTrace


class AttentionModel(ABC):
    """A model that can be asked where its heads read.

    Safe to share between threads: a call changes nothing on the model.

    Attributes:
        spec: layers, heads, widths, limits.
        device, dtype: where and in what precision it runs.
        revision: the commit its files are of; "" if they are of none.
        padding_token: what ``pad`` fills up with, and its number.
        says: what its output layer gives, as in Architecture: "tokens", "classes" or "nothing".
        mask_token: what stands for a masked word, and its number; None for a model that has no such token.
        special_names: special tokens that ``read_special`` finds in a text.
    """

    spec: ModelSpec
    device: torch.device
    dtype: torch.dtype
    revision: str = ""
    padding_token: tuple[str, int] = ("[PAD]", 0)
    says: str = "nothing"
    mask_token: tuple[str, int] | None = None
    special_names: tuple[str, ...] = ()

    @abstractmethod
    def tokenize(
        self, text: str, pair: str | None = None, *, cut: bool = False, read_special: bool = False
    ) -> TokenSequence:
        """The tokens the model reads for a sentence, or for two.

        Args:
            text: the sentence.
            pair: a second one.
            cut: read the first part of a text that is too long, instead of refusing it.
            read_special: let "[MASK]", "[SEP]" and the like in the text be the model's special tokens; otherwise they stay text.

        Raises:
            InputError: nothing to read.
            TooLongError: more characters or tokens than the model reads, and ``cut`` is False.
        """

    @abstractmethod
    def _pieces(self, word: str, tokens: TokenSequence, position: int) -> Sequence[Piece]:
        """What the model reads for a word put in place of a token; [] for characters that it skips."""

    @abstractmethod
    def _forward(self, tokens: TokenSequence, probe: Probe) -> Forwarded:
        """Runs the model with ``probe`` in its attention."""

    @abstractmethod
    def _reference(self, tokens: TokenSequence, visible: torch.Tensor | None) -> Reference:
        """The run without controls, by code that is not this project's; ``visible``, (query, key), is a mask to apply there."""

    @abstractmethod
    def _merge(self, layer: int, head_output: torch.Tensor) -> torch.Tensor:
        """(token, d_model) concatenated heads of a layer to (token, d_model) after W_O."""

    @abstractmethod
    def _matrices(self, layer: int) -> Mapping[str, torch.Tensor | None]:
        """W_Q, W_K, W_V, W_O and b_Q, b_K, b_V, b_O of a layer, as LayerTrace has them; {} where there are none."""

    @property
    @abstractmethod
    def _training(self) -> bool:
        """Whether dropout is active."""

    def pad(self, tokens: TokenSequence, length: int) -> TokenSequence:
        """The sequence filled up to ``length`` tokens, as in a batch with longer ones; padding is never a key."""
        return tokens.padded(length, *self.padding_token)

    def edited(self, tokens: TokenSequence, edits: Edits) -> TokenSequence:
        """The sequence with tokens masked, replaced, swapped or left out; ``text`` stays what was typed.

        A word that is put may become several tokens; then all after it move on, and they count as one word.

        Args:
            tokens: as ``tokenize`` gave it.
            edits: what to change; the positions of a step count in what the steps before it left.

        Raises:
            InputError: no token at such a position; a special token, which must stay; no mask token; nothing left.
            TooLongError: more tokens than the model reads.
        """
        return edited(tokens, edits, self.spec, self.mask_token, self._pieces)

    def answer_name(self, number: int) -> str:
        """What an entry of an answer's logits stands for: a token of the vocabulary, or a class.

        Raises:
            ModelError: the model has no output layer.
        """
        raise ModelError("error.no_answers", name=self.spec.name)

    def run(self, tokens: TokenSequence, controls: Controls | None = None) -> AttentionTrace:
        """Every head's weights for one sequence.

        Raises:
            InputError: the controls name a layer or head that the model does not have.
            ModelError: the model did not record each of its layers.
        """
        controls = controls or Controls()
        forwarded, probe, conditions = self._record(tokens, controls, watched=None)
        visible = visible_in(self.spec, tokens, controls)
        return AttentionTrace(
            spec=self.spec,
            query_tokens=tokens,
            key_tokens=tokens,
            controls=controls,
            weights=probe.weights().numpy(),
            visible=visible,
            no_key=np.logical_not(has_key(visible)),
            output=_numpy(forwarded.output),
            conditions=conditions,
            answer=forwarded.answer,
            vectors=_head_vectors(probe),
        )

    def forward(
        self, tokens: TokenSequence, controls: Controls | None = None, gates: torch.Tensor | None = None
    ) -> Forwarded:
        """The output alone of a run, for work that needs many runs or gradients.

        Args:
            tokens: the sequence.
            controls: what to change.
            gates: float (layer, head), what each head's output is multiplied by, on top of the controls; the result is
                differentiable in them and in nothing else. None for all 1 and no gradients.

        Raises:
            InputError, ModelError: as ``run``.
            RecordError: the gates are not (layer, head).
        """
        controls = controls or Controls()
        self._check(tokens, controls)
        if gates is not None and gates.shape != (self.spec.n_layers, self.spec.n_heads):
            raise RecordError("error.shape", what="gates", got=tuple(gates.shape), expected=self.spec.shape)
        with torch.inference_mode() if gates is None else torch.enable_grad():
            probe = Probe(self.spec, tokens, controls, self.device, self.dtype, gates=gates)
            forwarded = self._forward(tokens, probe)
        probe.expect_every_layer()
        return forwarded

    def output_matrices(self) -> tuple[FloatArray, ...] | None:
        """W_O of each layer, (d_model, d_model): the heads' outputs side by side @ W_O are the layer's output, less its bias.

        Returns:
            None for a model that has no such matrix.
        """
        found = [self._matrices(layer).get("W_O") for layer in range(self.spec.n_layers)]
        there = [_own(matrix) for matrix in found if matrix is not None]
        return tuple(there) if len(there) == self.spec.n_layers else None

    def agreement(self, tokens: TokenSequence, controls: Controls | None = None) -> Agreement:
        """A run held against one by code that is not this project's: Hugging Face's eager attention, or PyTorch's module.

        Of the controls only a mask that acts everywhere can act there too, and only where it leaves every query a key;
        everything else is left out on both sides.

        Raises:
            ModelError: the reference returns no weights.
        """
        wanted = controls or Controls()
        common = Controls(mask=wanted.mask) if wanted == Controls(mask=wanted.mask) else Controls()
        if not has_key(visible_in(self.spec, tokens, common)).all():
            common = Controls()
        trace = self.run(tokens, common)
        visible = None
        if common.mask is not None:
            visible = torch.tensor(visible_cells(tokens, common.mask, causal=self.spec.causal))
        reference = self._reference(tokens, visible)
        apart = np.abs(trace.weights - reference.weights.numpy())
        layer, head = np.unravel_index(int(apart.max(axis=(2, 3)).argmax()), apart.shape[:2])
        return Agreement(
            reference=reference.name,
            weights=float(apart.max()),
            layer=int(layer),
            head=int(head),
            output=float(np.abs(trace.output - reference.output.numpy()).max()),
            tolerance=reference.tolerance,
            masked=common.mask is not None,
        )

    def inspect_layer(self, tokens: TokenSequence, controls: Controls | None, layer: int) -> LayerTrace:
        """One layer of a run, with query, key, value, raw scores and outputs.

        Raises:
            InputError: there is no such layer, or as ``run``.
        """
        if not 0 <= layer < self.spec.n_layers:
            raise InputError("error.no_such_layer", got=layer, name=self.spec.name, last=self.spec.n_layers - 1)
        controls = controls or Controls()
        _, probe, _ = self._record(tokens, controls, watched=layer)
        kept: Mapping[str, torch.Tensor] = probe.kept
        with torch.inference_mode():
            joined = kept["head_output"].transpose(0, 1).reshape(tokens.n_tokens, self.spec.d_model)
            output = self._merge(layer, joined)  # (token, d_model)
        matrices = self._matrices(layer) if "x" in kept else {}
        return LayerTrace(
            spec=self.spec,
            query_tokens=tokens,
            key_tokens=tokens,
            controls=controls,
            layer=layer,
            weights=probe.weights()[layer].numpy(),
            visible=visible_in(self.spec, tokens, controls)[layer].copy(),
            output=_numpy(output),
            dtype=str(self.dtype).removeprefix("torch."),
            scale=probe.scale,
            **{name: _numpy(tensor) for name, tensor in kept.items()},
            **{name: _own(tensor) for name, tensor in matrices.items() if tensor is not None},
        )

    def _record(
        self, tokens: TokenSequence, controls: Controls, watched: int | None
    ) -> tuple[Forwarded, Probe, Conditions]:
        self._check(tokens, controls)
        started = time.perf_counter()
        with torch.inference_mode():
            probe = Probe(self.spec, tokens, controls, self.device, self.dtype, watched)
            forwarded = self._forward(tokens, probe)
            wait_for(self.device)
        conditions = Conditions(
            device=str(self.device),
            device_name=device_name(self.device),
            dtype=str(self.dtype).removeprefix("torch."),
            training=self._training,
            seconds=time.perf_counter() - started,
        )
        return forwarded, probe, conditions

    def _check(self, tokens: TokenSequence, controls: Controls) -> None:
        controls.check_against(self.spec)
        if tokens.n_tokens > self.spec.max_tokens:
            raise InputError("error.sequence_too_long", got=tokens.n_tokens, limit=self.spec.max_tokens)


def _head_vectors(probe: Probe) -> HeadVectors:
    kinds = zip(*probe.vectors, strict=True)  # queries of all layers, keys of all layers, ...
    return HeadVectors(*(tuple(_numpy(of_layer[0]) for of_layer in kind) for kind in kinds))


def _numpy(tensor: torch.Tensor) -> FloatArray:
    return tensor.detach().float().cpu().contiguous().numpy()


def _own(tensor: torch.Tensor) -> FloatArray:
    """A copy: a record outlives what is done to the model's weights later."""
    return np.array(tensor.detach().float().cpu().numpy(), order="C")
