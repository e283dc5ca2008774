"""The one object a call of a model carries into its attention function, and brings the weights back in.

It belongs to a single call. Nothing is kept on the model, in a global, in a hook or in a context variable, so one model
can serve any number of threads with different controls at once.
"""

from __future__ import annotations

from functools import partial

import torch

from mha_viz.attention import Attended, Buffers, attend, raw_scores
from mha_viz.controls import Controls
from mha_viz.errors import ModelError
from mha_viz.spec import ModelSpec
from mha_viz.tokens import TokenSequence


class Probe:
    """Applies the controls in each layer and records what every head does. Layers are numbered by the order of calls.

    Args:
        spec: the model.
        tokens: the sequence; a batch of one.
        controls: what to change.
        device, dtype: of the model.
        watched: a layer of which query, key, value, scores and head_output are kept too.
        gates: (layer, head), what each head's output is multiplied by besides the controls; then gradients flow into them,
            and no weights are recorded.

    Attributes:
        calls: layers so far.
        visible_to_model: of each layer, what the model itself lets be seen, before the controls; None for everything.
        vectors: query, key, value and head_output of each layer so far, (1, head, token, d_k) each.
        kept: of the watched layer.
        scale: of the watched layer: what its scores were multiplied by.
    """

    def __init__(
        self,
        spec: ModelSpec,
        tokens: TokenSequence,
        controls: Controls,
        device: torch.device,
        dtype: torch.dtype,
        watched: int | None = None,
        gates: torch.Tensor | None = None,
    ) -> None:
        self.spec = spec
        self.controls = controls
        self.n_tokens = tokens.n_tokens
        self.calls = 0
        self.watched = watched
        self.visible_to_model: list[torch.Tensor | None] = []
        self.vectors: list[tuple[torch.Tensor, ...]] = []
        self.kept: dict[str, torch.Tensor] = {}
        self.scale: float | None = None
        cells = (1, spec.n_heads, tokens.n_tokens, tokens.n_tokens)  # (batch, head, query, key)
        self._own_gates = gates
        if gates is None:  # gradients need memory of their own in each layer
            self._scratch = torch.empty(cells, device=device, dtype=dtype)
            self._weights = torch.empty((spec.n_layers, *cells), device=device, dtype=dtype)
            self._of_layer = self._weights.unbind()  # a view a layer
        self._mask = None
        if controls.mask is not None:
            self._mask = torch.tensor(controls.mask.visible(tokens), device=device)

    def attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        scale: float,
        visible: torch.Tensor | None = None,
    ) -> Attended:
        """One layer through the kernel.

        Args:
            query, key, value: (1, head, token, d_k).
            scale: 1 / sqrt(d_k).
            visible: bool, what the model itself hides (padding, its own causal mask); the controls' mask comes on top.

        Raises:
            ModelError: the model has more attention layers than its description says.
        """
        layer, self.calls = self.calls, self.calls + 1
        if layer >= self.spec.n_layers:
            raise ModelError("error.layers_recorded", name=self.spec.name, got=layer + 1, expected=self.spec.n_layers)
        attended = self._attend(layer, query, key, value, scale, visible)
        self.visible_to_model.append(visible)
        self.vectors.append((query, key, value, attended.head_output))
        if layer == self.watched:
            scores = raw_scores(query, key)
            head_output = attended.head_output
            kept = {"query": query, "key": key, "value": value, "scores": scores, "head_output": head_output}
            self.kept |= {name: tensor[0] for name, tensor in kept.items()}  # the batch of one
            self.scale = scale
        return attended

    def read(self, x: torch.Tensor) -> None:
        """Tells what the coming layer's projections read, (1, token, d_model); kept if that layer is watched."""
        if self.calls == self.watched:
            self.kept["x"] = x[0]

    @property
    def joined(self) -> torch.Tensor | None:
        """(token, d_model): the heads' outputs of the latest layer side by side, as W_O gets them."""
        return self._side_by_side(self.vectors[-1][-1]) if self.vectors else None

    @property
    def latest(self) -> tuple[torch.Tensor, ...]:
        """(token, d_model) each: query, key and value of the latest layer, the heads side by side."""
        return tuple(self._side_by_side(by_head) for by_head in self.vectors[-1][:3])

    def _side_by_side(self, by_head: torch.Tensor) -> torch.Tensor:
        """(1, head, token, d_k) to (token, d_model)."""
        return by_head[0].transpose(0, 1).reshape(self.n_tokens, -1)

    def expect_every_layer(self) -> None:
        """Raises ModelError if the model did not send every layer through the kernel."""
        if self.calls != self.spec.n_layers:
            raise ModelError("error.layers_recorded", name=self.spec.name, got=self.calls, expected=self.spec.n_layers)

    def weights(self) -> torch.Tensor:
        """float32 (layer, head, query, key), on the CPU.

        Raises:
            ModelError: the model did not send every layer through the kernel.
        """
        self.expect_every_layer()
        return self._weights[:, 0].float().cpu()

    def _attend(
        self,
        layer: int,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        scale: float,
        visible: torch.Tensor | None,
    ) -> Attended:
        """The kernel: once for all heads, or once for those the controls act in and once for the others."""
        gates = self._gates(layer, query)
        uniform = self._uniform(layer, query) if self.controls.uniform else None
        temperature, masked = 1.0, visible
        if self.controls.acts_in(layer):
            temperature = self.controls.temperature
            if self._mask is not None:
                masked = self._mask if visible is None else visible & self._mask
        kernel = partial(attend, query, key, value, scale=scale, gates=gates, uniform=uniform)
        buffers = Buffers(self._scratch, self._of_layer[layer]) if self._own_gates is None else None
        if self.controls.heads is None or not self.controls.acts_in(layer):
            return kernel(temperature=temperature, visible=masked, buffers=buffers)
        changed = kernel(temperature=temperature, visible=masked)
        others = kernel(visible=visible)
        chosen = torch.zeros(self.spec.n_heads, device=query.device, dtype=torch.bool)
        chosen[sorted(self.controls.heads)] = True
        both = (torch.where(chosen[:, None, None], *pair) for pair in zip(changed, others, strict=True))
        head_output, weights = both
        return Attended(head_output, buffers.weights.copy_(weights) if buffers else weights)

    def _gates(self, layer: int, like: torch.Tensor) -> torch.Tensor | None:
        """(head,) 0 for silenced heads, 1 or the gates given for the others; None where all are 1."""
        given = None if self._own_gates is None else self._own_gates[layer]
        silenced = [head.head for head in self.controls.silenced if head.layer == layer]
        if not silenced:
            return given
        gates = torch.ones(self.spec.n_heads, device=like.device, dtype=like.dtype)
        gates[silenced] = 0.0
        return gates if given is None else gates * given

    def _uniform(self, layer: int, like: torch.Tensor) -> torch.Tensor | None:
        """bool (head,); None where no head is made uniform."""
        uniform = [head.head for head in self.controls.uniform if head.layer == layer]
        if not uniform:
            return None
        chosen = torch.zeros(self.spec.n_heads, device=like.device, dtype=torch.bool)
        chosen[uniform] = True
        return chosen
