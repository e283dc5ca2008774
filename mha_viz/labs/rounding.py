"""What rounding does to a BERT: how far its maps and its sentences' embeddings drift, what it weighs, how long a pass takes."""

from __future__ import annotations

import io
import statistics
from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from mha_viz.analysis.sentences import SENTENCES
from mha_viz.arrays import FloatArray
from mha_viz.labs.losses import pooled
from mha_viz.labs.results import Row
from mha_viz.labs.timing import timed
from mha_viz.labs.worth import packaged_bert
from mha_viz.models.huggingface import HuggingFaceModel
from mha_viz.models.huggingface.changed import Changed, part_of
from mha_viz.tokens import TokenSequence

#: Words of the text that is timed, and their numbers.
LENGTH, _WORDS = 128, (2_000, 20_000)
#: What the bytes of a model are counted for.
GROUPS = ("embeddings", "qk", "vo", "ffn", "rest")


class Reading(NamedTuple):
    """One sentence, read.

    Attributes:
        weights: (layer, head, query, key), float64.
        embedding: (d_model,), the mean of the tokens, float64.
    """

    weights: FloatArray
    embedding: FloatArray


class Base(NamedTuple):
    """The model as it is, in float32, and how it reads.

    Attributes:
        model: not changed by anything here.
        plain: a copy of it, unchanged.
        sequences: the sentences.
        readings: of the sentences.
    """

    model: HuggingFaceModel
    plain: Changed
    sequences: list[TokenSequence]
    readings: list[Reading]


def base(sentences: int) -> Base:
    """The packaged BERT and the first of the built-in sentences that are no pairs.

    Raises:
        ModelError: it is not there.
    """
    model = packaged_bert()
    assert isinstance(model, HuggingFaceModel)
    sequences = [model.tokenize(item.text) for item in SENTENCES if not item.pair][:sentences]
    plain = model.changed()
    return Base(model, plain, sequences, [reading(plain, tokens) for tokens in sequences])


def reading(changed: Changed, tokens: TokenSequence) -> Reading:
    """A sentence read by a changed model."""
    passed = changed.read(torch.tensor([tokens.ids]))
    weights = torch.stack([of_layer[0].double() for of_layer in passed.weights])
    return Reading(weights.numpy(), pooled(passed.output[0].double(), tokens).numpy())


def drift(before: Sequence[Reading], after: Sequence[Reading]) -> Row:
    """What changed, over all sentences.

    Returns:
        of each layer "apart" (largest difference of two weights), "sums" (how far the sum of a row after is off 1 at most) and
        "changed" (share of rows whose largest weight is at another key); of each sentence "cosines" (of its two embeddings).
    """
    pairs = list(zip(before, after, strict=True))
    apart = np.max([np.abs(new.weights - old.weights).max(axis=(1, 2, 3)) for old, new in pairs], axis=0)
    sums = np.max([np.abs(new.weights.sum(axis=-1) - 1).max(axis=(1, 2)) for _, new in pairs], axis=0)
    moved = [new.weights.argmax(axis=-1) != old.weights.argmax(axis=-1) for old, new in pairs]  # (layer, head, query)
    changed = np.concatenate([one.reshape(len(one), -1) for one in moved], axis=1).mean(axis=1)
    cosines = [_cosine(old.embedding, new.embedding) for old, new in pairs]
    return {
        "apart": [_digits(value) for value in apart.tolist()],
        "sums": [_digits(value) for value in sums.tolist()],
        "changed": [_digits(value) for value in changed.tolist()],
        "cosines": [round(value, 7) for value in cosines],
    }


def drift_of(found: Base, changed: Changed) -> Generator[float, None, Row]:
    """As ``drift``, of a changed copy; yields how far it is."""
    after = []
    for number, tokens in enumerate(found.sequences):
        after.append(reading(changed, tokens))
        yield (number + 1) / len(found.sequences)
    return drift(found.readings, after)


def times(plain: Callable[[], object], changed: Callable[[], object], rounds: int) -> Generator[float, None, Row]:
    """Both passes in every round; the ratio of each round, its median and what half of the rounds lie within."""
    taken = yield from timed((plain, changed), rounds)
    before, after = ([one.work for one in own] for own in taken)
    ratios = [new / max(old, 1e-9) for old, new in zip(before, after, strict=True)]
    low, middle, high = np.quantile(ratios, (0.25, 0.5, 0.75)).tolist()
    row: Row = {"ms": _digits(1000 * statistics.median(after)), "plain_ms": _digits(1000 * statistics.median(before))}
    return row | {"ratio": _digits(middle), "ratio_half": [_digits(low), _digits(high)], "rounds": len(ratios)}


def text_to_time() -> torch.Tensor:
    """One text of random words, (1, LENGTH)."""
    return torch.randint(*_WORDS, (1, LENGTH), generator=torch.Generator().manual_seed(0))


def bytes_of(network: nn.Module) -> dict[str, int]:
    """Bytes of the numbers of a BERT, by GROUPS; scales and offsets of quantised ones count."""
    found = dict.fromkeys(GROUPS, 0)
    for name, value in network.state_dict().items():
        found[part_of(name)] += _held(value)
    return found


def file_bytes(network: nn.Module) -> int:
    """The size of the file that ``torch.save`` makes of its numbers, written in memory."""
    written = io.BytesIO()
    torch.save(network.state_dict(), written)
    return written.tell()


def _held(value: Any) -> int:
    if isinstance(value, tuple):  # a quantised matrix with its bias
        return sum(map(_held, value))
    if not isinstance(value, torch.Tensor):
        return 0
    if is_traceable_wrapper_subclass(value):  # made of plain tensors, as torchao's are
        names = value.__tensor_flatten__()[0]
        return sum(_held(getattr(value, name)) for name in names)
    if value.is_quantized and value.qscheme() == torch.per_channel_affine:
        scales, offsets = value.q_per_channel_scales(), value.q_per_channel_zero_points()
        return value.numel() + _held(scales) + _held(offsets)
    return value.numel() * value.element_size()


def _cosine(one: FloatArray, other: FloatArray) -> float:
    return float(one @ other / np.sqrt((one @ one) * (other @ other)))


def _digits(value: float) -> float:
    return float(f"{value:.4g}")
