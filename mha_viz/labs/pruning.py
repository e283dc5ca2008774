"""What heads can be removed from, and what is asked of it then: how good it still is, how large, how fast."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from typing import NamedTuple

import torch
from safetensors.torch import save
from torch import nn
from torch.nn import functional

from mha_viz.analysis.sentences import SENTENCES
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.labs.lookups import N_TOKENS, Cases, LookupNet, best_possible, cases, score_of
from mha_viz.labs.losses import pooled
from mha_viz.models.huggingface import HuggingFaceModel
from mha_viz.models.pruning import narrowed, places_kept
from mha_viz.spec import ModelSpec

#: Tokens of the texts that MiniLM is timed on, and the numbers of its words.
LENGTH, _WORDS = 128, (2_000, 20_000)


class Passes(NamedTuple):
    """The same input, three times: each gives the output.

    Attributes:
        full: with all heads.
        silenced: all heads are computed, and the outputs of some multiplied by 0.
        pruned: the matrices lack those heads.
    """

    full: Callable[[], torch.Tensor]
    silenced: Callable[[], torch.Tensor]
    pruned: Callable[[], torch.Tensor]


class Subject(ABC):
    """What heads are removed from.

    Attributes:
        spec: layers and heads.
        length: tokens of the texts that it is timed on.
    """

    spec: ModelSpec
    length: int

    @abstractmethod
    def network(self, heads: Collection[HeadId]) -> nn.Module:
        """A copy without these heads; nothing else has changed.

        Raises:
            InputError: there is no such head, or heads cannot be removed from it.
        """

    @abstractmethod
    def quality(self, heads: Collection[HeadId]) -> float:
        """What is left without these heads, with no training afterwards: 1 at best."""

    @abstractmethod
    def passes(self, heads: Collection[HeadId], batch: int) -> Passes:
        """Runs of ``batch`` texts, to be timed."""

    def best(self, left: int) -> float | None:
        """The quality that nothing with so many heads can pass; None where that is not known."""
        return None

    def gates(self, heads: Collection[HeadId]) -> torch.Tensor:
        """(layer, head): 0 for these, 1 for the others."""
        gates = torch.ones(self.spec.shape)
        for head in heads:
            gates[head] = 0.0
        return gates


class NetSubject(Subject):
    """A trained look-up net; its quality is the score on held-out cases."""

    length = N_TOKENS

    def __init__(self, net: LookupNet, held_out: Cases) -> None:
        self.net, self.held_out = net, held_out
        self.spec = spec_of(net)

    def network(self, heads: Collection[HeadId]) -> nn.Module:
        """As Subject."""
        return without_heads(self.net, heads)

    def quality(self, heads: Collection[HeadId]) -> float:
        """R^2, or the share of right answers."""
        with torch.inference_mode():
            return score_of(without_heads(self.net, heads)(self.held_out)[0], self.held_out)

    def best(self, left: int) -> float | None:
        """As Subject."""
        return best_possible(left) if self.net.task == "values" else None

    def passes(self, heads: Collection[HeadId], batch: int) -> Passes:
        """As Subject; a text is a case."""
        given = cases(self.net.task, batch, torch.Generator().manual_seed(0))
        gates, smaller = self.gates(heads)[0], without_heads(self.net, heads)
        return Passes(lambda: self.net(given)[0], lambda: self.net(given, gates)[0], lambda: smaller(given)[0])


class BertSubject(Subject):
    """A model of transformers; its quality is the mean cosine of sentences' embeddings to those of the whole model.

    Args:
        model: stays as it is.
    """

    length = LENGTH

    def __init__(self, model: HuggingFaceModel) -> None:
        self.model, self.spec = model, model.spec
        self._read = [model.tokenize(item.text) for item in SENTENCES if not item.pair]
        self._whole = self._embeddings(())

    def network(self, heads: Collection[HeadId]) -> nn.Module:
        """As Subject."""
        return self.model.pruned(heads).network

    def quality(self, heads: Collection[HeadId]) -> float:
        """Over the built-in sentences that are no pairs, one at a time."""
        pairs = zip(self._embeddings(heads), self._whole, strict=True)
        cosines = [float(functional.cosine_similarity(*pair, dim=0)) for pair in pairs]
        return sum(cosines) / len(cosines)

    def passes(self, heads: Collection[HeadId], batch: int) -> Passes:
        """As Subject; the texts are random words."""
        ids = torch.randint(*_WORDS, (batch, LENGTH), generator=torch.Generator().manual_seed(0))
        full, smaller, gates = self.model.pruned(()), self.model.pruned(heads), self.gates(heads)
        return Passes(lambda: full.output(ids), lambda: full.output(ids, gates), lambda: smaller.output(ids))

    def _embeddings(self, heads: Collection[HeadId]) -> list[torch.Tensor]:
        smaller = self.model.pruned(heads)
        return [pooled(smaller.output(torch.tensor([read.ids]))[0], read).double() for read in self._read]


def spec_of(net: LookupNet) -> ModelSpec:
    """Its one layer."""
    attention = net.attention
    return ModelSpec(net.task, 1, attention.n_heads, attention.n_heads * attention.d_k, N_TOKENS)


def without_heads(net: LookupNet, heads: Collection[HeadId]) -> LookupNet:
    """A copy of a net whose matrices lack these heads; all of them may go.

    Raises:
        InputError: there is no such head, or heads share their matrices.
    """
    attention = net.attention
    Controls(silenced=frozenset(heads)).check_against(spec_of(net))
    wide = attention.n_heads * attention.d_k
    if attention.n_kv != attention.n_heads or attention.query.out_features != wide:
        raise InputError("error.prune_shared")
    made = copy.deepcopy(net)
    gone = {head for _, head in heads}
    places = places_kept(attention.n_heads, attention.d_k, gone)
    own = made.attention
    own.query, own.key, own.value = (narrowed(matrix, places) for matrix in (own.query, own.key, own.value))
    own.out = narrowed(own.out, places, columns=True)
    own.n_heads = own.n_kv = attention.n_heads - len(gone)
    return made


def n_bytes(network: nn.Module) -> int:
    """The size of its safetensors file, written in memory."""
    return len(save({name: tensor.contiguous() for name, tensor in network.state_dict().items()}))
