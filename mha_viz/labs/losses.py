"""What a head can matter for: losses, one number of a run each, that gradients and ablations are measured on.

masked   a word is masked; cross entropy of the word that stood there (models that fill gaps)
class    cross entropy of the class that the model itself finds most likely (models that classify)
pair     1 - cosine of the mean-pooled embeddings of two sentences, read one after the other (any model)
even     1 - cosine of the mean-pooled embedding of a sentence and that of the same sentence with every head's weights made even,
         which is held fixed (any model): how far it matters where the heads look. A copy of the embedding itself would not do in
         its place: the loss would be 0, its smallest value, and so would every gradient. Here it is 0 only where looking
         evenly changes nothing, as in a sentence of one token.
turned   1 - cosine of the mean-pooled embedding of a sentence and what it is with nothing changed (any model). For heads taken
         out only: at the full model it is 0, its smallest value, and so is its gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch.nn import functional

from mha_viz.analysis.sentences import Item
from mha_viz.controls import Controls, HeadId
from mha_viz.edits import Edits, MaskToken
from mha_viz.errors import InputError
from mha_viz.models.base import AttentionModel
from mha_viz.models.passed import MOST_ANSWERS, Forwarded, Said
from mha_viz.tokens import TokenSequence

#: "importance.loss.NAME" in the table of words says what each is.
LOSSES = ("masked", "class", "pair", "even", "turned")
#: Those of them whose gradient at the full model is 0 whatever the heads do.
FLAT = frozenset({"turned"})


@dataclass(frozen=True)
class Sample:
    """One case: what is read, and the loss of what comes out.

    Attributes:
        loss: one of LOSSES.
        read: the sequences that the model reads, one after the other.
        measure: the outputs of these to the loss, a tensor of one number.
        position: the masked word, if one is.
    """

    loss: str
    read: tuple[TokenSequence, ...]
    measure: Callable[[Sequence[Forwarded]], torch.Tensor]
    position: int | None = None

    def run(self, model: AttentionModel, controls: Controls, gates: torch.Tensor | None = None) -> list[Forwarded]:
        """The outputs that ``measure`` takes."""
        return [model.forward(tokens, controls, gates) for tokens in self.read]


def losses_of(model: AttentionModel) -> tuple[str, ...]:
    """The losses that can be measured on a model, the one that suits it best first."""
    own = []
    if model.says == "tokens" and model.mask_token is not None and not model.spec.causal:
        own = ["masked"]
    elif model.says == "classes":
        own = ["class"]
    return (*own, "pair", "even", "turned")


def samples_of(
    model: AttentionModel, items: Sequence[Item], loss: str, *, most_words: int | None = None
) -> list[Sample]:
    """Samples from sentences.

    Args:
        model: the model.
        items: sentences; for "pair" each must have two. Elsewhere a second sentence is read together with the first.
        loss: one of ``losses_of(model)``.
        most_words: of "masked": how many tokens of each sentence are masked, one a sample, evenly spread; None for all.

    Raises:
        InputError: a loss that the model does not have, a pair without a second sentence, nothing to measure.
    """
    if loss not in losses_of(model):
        raise InputError("error.loss", got=loss, name=model.spec.name, allowed=", ".join(losses_of(model)))
    if loss == "pair" and not all(item.pair for item in items):
        raise InputError("error.loss_pair")
    samples: list[Sample] = []
    for item in items:
        if loss == "pair":
            samples.append(pair_sample(model.tokenize(item.text, cut=True), model.tokenize(item.pair or "", cut=True)))
            continue
        tokens = model.tokenize(item.text, item.pair, cut=True)
        if loss == "masked":
            samples += [masked_sample(model, tokens, at) for at in _spread(_maskable(model, tokens), most_words)]
        else:
            make = {"class": class_sample, "even": even_sample, "turned": turned_sample}[loss]
            samples.append(make(model, tokens))
    if not samples:
        raise InputError("error.loss_nothing")
    return samples


def masked_sample(model: AttentionModel, tokens: TokenSequence, position: int) -> Sample:
    """The token at ``position`` masked; cross entropy in nats of the token that stood there.

    Raises:
        InputError: as ``AttentionModel.edited``; the model fills no gaps, or the text has as many as are answered already.
    """
    if "masked" not in losses_of(model):
        raise InputError("error.loss", got="masked", name=model.spec.name, allowed=", ".join(losses_of(model)))
    read = model.edited(tokens, Edits((MaskToken(position),)))
    target = torch.tensor([tokens.ids[position]], device=model.device)
    asked = [at for at, number in enumerate(read.ids) if number == cast(tuple[str, int], model.mask_token)[1]]
    if asked.index(position) >= MOST_ANSWERS:
        raise InputError("error.loss_masks", limit=MOST_ANSWERS)

    def measure(passed: Sequence[Forwarded]) -> torch.Tensor:
        said = cast(Said, passed[0].said)
        return functional.cross_entropy(said.logits[said.positions.index(position)][None].float(), target)

    return Sample("masked", (read,), measure, position)


def class_sample(model: AttentionModel, tokens: TokenSequence) -> Sample:
    """Cross entropy in nats of the class that the model finds most likely when nothing is changed.

    Raises:
        InputError: the model does not classify, or knows one class only.
    """
    said = model.forward(tokens).said
    if said is None or said.kind != "classes" or said.logits.shape[-1] < 2:
        raise InputError("error.loss", got="class", name=model.spec.name, allowed=", ".join(LOSSES[2:]))
    target = said.logits.argmax(dim=-1).clone()
    return Sample(
        "class", (tokens,), lambda passed: functional.cross_entropy(cast(Said, passed[0].said).logits.float(), target)
    )


def pair_sample(first: TokenSequence, second: TokenSequence) -> Sample:
    """1 - cosine of the mean-pooled embeddings of two sentences."""
    return Sample(
        "pair",
        (first, second),
        lambda passed: _apart(pooled(passed[0].output, first), pooled(passed[1].output, second)),
    )


def even_sample(model: AttentionModel, tokens: TokenSequence) -> Sample:
    """1 - cosine of the mean-pooled embedding and that with every head's weights made even, held fixed."""
    layers, heads = model.spec.shape
    every = frozenset(HeadId(layer, head) for layer in range(layers) for head in range(heads))
    fixed = pooled(model.forward(tokens, Controls(uniform=every)).output, tokens).clone()
    return Sample("even", (tokens,), lambda passed: _apart(pooled(passed[0].output, tokens), fixed))


def turned_sample(model: AttentionModel, tokens: TokenSequence) -> Sample:
    """1 - cosine of the mean-pooled embedding and what it is with nothing changed, held fixed. Its gradient there is 0."""
    fixed = pooled(model.forward(tokens).output, tokens).clone()
    return Sample("turned", (tokens,), lambda passed: _apart(pooled(passed[0].output, tokens), fixed))


def pooled(output: torch.Tensor, tokens: TokenSequence) -> torch.Tensor:
    """(d_model,): the mean of the last hidden states, special tokens included, padding left out."""
    real = [at for at, padding in enumerate(tokens.padding) if not padding]
    return output[real].float().mean(dim=0)


def _apart(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """1 - cosine; 1 where one of them is 0."""
    return 1 - functional.cosine_similarity(one, other, dim=0)


def _maskable(model: AttentionModel, tokens: TokenSequence) -> list[int]:
    """Tokens of the text that the model knows and that are not masked already."""
    mask = model.mask_token
    return [
        at
        for at, number in enumerate(tokens.ids)
        if not (tokens.special[at] or tokens.unknown[at]) and (mask is None or number != mask[1])
    ]


def _spread(positions: list[int], most: int | None) -> list[int]:
    """At most so many of them, evenly spread."""
    if most is None or len(positions) <= most:
        return positions
    return [positions[(2 * turn + 1) * len(positions) // (2 * most)] for turn in range(most)]
