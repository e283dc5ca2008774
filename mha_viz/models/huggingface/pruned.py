"""A network without some of its heads: smaller matrices in its attention, everything else shared with the whole network."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import torch
from torch import nn

from mha_viz.attention import Attended, attend
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.models.huggingface.eager import twin_of
from mha_viz.models.huggingface.flow import Products
from mha_viz.models.huggingface.kernel import PROBE
from mha_viz.models.pruning import narrowed, places_kept
from mha_viz.spec import ModelSpec


class Pruned:
    """A network whose matrices lack heads. It records nothing: for its output, its size and its speed.

    Args:
        network: what it is made of; not changed.
        spec: of the network.
        products: W_Q, W_K, W_V and W_O of each layer.
        heads: which go; all of a layer may, which then adds the bias of its W_O alone.

    Attributes:
        network: its modules; those outside attention share their weights with the network given.
        heads: which are gone.

    Raises:
        InputError: there is no such head; the matrices of a layer cannot be cut.
    """

    def __init__(self, network: Any, spec: ModelSpec, products: list[Products], heads: Collection[HeadId]) -> None:
        self.heads = frozenset(HeadId(*head) for head in heads)
        Controls(silenced=self.heads).check_against(spec)
        if not _can_be_cut(products):
            raise InputError("error.prune_layout", name=spec.name)
        self.network: nn.Module = twin_of(network).base_model
        prefix = _prefix(network)
        self._kept: list[list[int]] = []
        for layer, found in enumerate(products):
            gone = {head.head for head in self.heads if head.layer == layer}
            self._kept.append([head for head in range(spec.n_heads) if head not in gone])
            if gone:
                places = places_kept(spec.n_heads, spec.d_k, gone)
                self._cut([product.name.removeprefix(prefix) for product in found], places)

    def output(self, ids: torch.Tensor, gates: torch.Tensor | None = None) -> torch.Tensor:
        """The last hidden states.

        Args:
            ids: whole numbers (batch, token), without padding; one segment.
            gates: (layer, head), on the network's device, what the outputs of heads are multiplied by; those of heads that are
                gone do not count. None for all 1.

        Returns:
            (batch, token, d_model), without gradients.
        """
        of_layers = None if gates is None else [row[kept] for row, kept in zip(gates, self._kept, strict=True)]
        ids = ids.to(next(self.network.parameters()).device)
        with torch.inference_mode():
            passed: torch.Tensor = self.network(input_ids=ids, **{PROBE: _Plain(of_layers)}).last_hidden_state
        return passed

    def _cut(self, names: list[str], places: torch.Tensor) -> None:
        """Names of W_Q, W_K, W_V and W_O within the network, and what stays of them."""
        for name in names:
            module = self.network.get_submodule(name)
            assert isinstance(module, nn.Linear)
            self._put(name, narrowed(module, places, columns=name == names[-1]))
        if not len(places):
            self._put(_parent(names[0]), _NoHeads())

    def _put(self, name: str, module: nn.Module) -> None:
        setattr(self.network.get_submodule(_parent(name)), name.rpartition(".")[2], module)


class _Plain:
    """What a call carries into its attention in place of a ``Probe``: the kernel alone."""

    def __init__(self, gates: list[torch.Tensor] | None) -> None:
        self._gates = gates
        self.calls = 0

    def attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        scale: float,
        visible: torch.Tensor | None = None,
    ) -> Attended:
        """As ``Probe.attend``, of any number of heads."""
        gates = None if self._gates is None else self._gates[self.calls]
        self.calls += 1
        return attend(query, key, value, scale=scale, visible=visible, gates=gates)


class _NoHeads(nn.Module):
    """In place of a layer's W_Q, W_K, W_V and what is done with them: nothing, of width 0, for W_O to add its bias to."""

    def forward(self, x: torch.Tensor, *others: Any, **carried: Any) -> tuple[torch.Tensor, None]:
        carried[PROBE].calls += 1
        return x.new_zeros(*x.shape[:-1], 0), None


def _can_be_cut(products: list[Products]) -> bool:
    """Whether each layer has four matrices of its own, the first three in one module and W_O outside it, as in BERT."""
    for query, key, value, output in products:
        four = (query, key, value, output)
        if not all(isinstance(one.module, nn.Linear) and one.turned and one.first == 0 for one in four):
            return False
        around = {_parent(one.name) for one in (query, key, value)}
        if len(around) != 1 or output.name.startswith(f"{around.pop()}."):
            return False
    names = [one.name for layer in products for one in layer]
    return bool(names) and len(set(names)) == len(names)


def _prefix(network: Any) -> str:
    """What the names of the inner network's modules begin with in the whole one."""
    return "" if network.base_model is network else f"{network.base_model_prefix}."


def _parent(name: str) -> str:
    return name.rpartition(".")[0]
