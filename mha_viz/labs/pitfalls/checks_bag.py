"""A classifier without positions or without a mask: what the order of the words and padding do to its answer."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from mha_viz.labs.pitfalls.bag import D_MODEL, PAD, Classifier, text_of
from mha_viz.labs.pitfalls.base import Told, Trial, claimed, right
from mha_viz.labs.texts_net import positions_of

#: Differences below this are rounding, in float64.
ROUNDING = 1e-12
#: Orders that are tried besides that of the text, and numbers of paddings.
N_ORDERS, PADS = 8, (0, 1, 2, 5, 10, 20, 50, 100, 200)


def classify(net: Classifier, ids: Tensor) -> Tensor:
    """As told: (batch, token) to (batch, class)."""
    output, _ = net.attention(net.embedding(ids))
    return net.answer(output.mean(dim=1))


def with_positions(net: Classifier, ids: Tensor) -> Tensor:
    """The same weights, on vectors that say where they stand."""
    x = net.embedding(ids) + positions_of(ids.shape[1], D_MODEL)
    output, _ = net.attention(x)
    return net.answer(output.mean(dim=1))


def with_mask(net: Classifier, ids: Tensor) -> Tensor:
    """The same weights; padding is no key and not in the mean."""
    real = ids != PAD
    output, _ = net.attention(net.embedding(ids), visible=real[:, None, None])
    pooled = (output * real[..., None]).sum(dim=1) / real.sum(dim=1, keepdim=True)
    return net.answer(pooled)


def order(n_words: int) -> Trial:
    """The first logit of one text with its words in several orders."""
    ids, draw = text_of(n_words), torch.Generator().manual_seed(1)
    orders = [ids] + [ids[:, torch.randperm(n_words, generator=draw)] for _ in range(N_ORDERS)]
    told, better = _logits(classify, orders), _logits(with_positions, orders)
    moved, should = _span(told), _span(better)
    blind = moved < ROUNDING
    return Trial(
        claim=Told("pitfalls.checks.order.claim"),
        outcome="false" if blind else "holds",
        verdict=Told(
            "pitfalls.checks.order.blind" if blind else "pitfalls.checks.order.sees",
            {"n": N_ORDERS, "words": n_words, "difference": moved, "positions": should},
        ),
        instead=Told("pitfalls.checks.order.instead"),
        code=(claimed(classify), right(with_positions)),
        found={"at": list(range(N_ORDERS + 1)), "told": _plain(told), "right": _plain(better)},
    )


def padding(n_words: int) -> Trial:
    """The first logit of one text with more and more padding after it."""
    ids = text_of(n_words)
    texts = [torch.cat([ids, torch.zeros(1, n, dtype=ids.dtype)], dim=1) for n in PADS]
    told, better = _logits(classify, texts), _logits(with_mask, texts)
    moved, should = float((told[-1] - told[0]).abs().max()), float((better[-1] - better[0]).abs().max())
    same = moved < ROUNDING
    return Trial(
        claim=Told("pitfalls.checks.padding.claim"),
        outcome="holds" if same else "false",
        verdict=Told(
            "pitfalls.checks.padding.same" if same else "pitfalls.checks.padding.moves",
            {
                "n": PADS[-1],
                "first": float(told[0, 0]),
                "last": float(told[-1, 0]),
                "difference": moved,
                "masked": should,
            },
        ),
        instead=Told("pitfalls.checks.padding.instead"),
        code=(claimed(classify), right(with_mask)),
        found={"pads": PADS[-1], "at": list(PADS), "told": _plain(told), "right": _plain(better)},
    )


def _logits(way: Callable[[Classifier, Tensor], Tensor], texts: list[Tensor]) -> Tensor:
    """(text, class), by one and the same untrained net."""
    net = Classifier()
    with torch.inference_mode():
        return torch.cat([way(net, ids) for ids in texts])


def _span(logits: Tensor) -> float:
    """The largest difference of any text's logits from the first one's."""
    return float((logits - logits[0]).abs().max())


def _plain(logits: Tensor) -> list[float]:
    found: list[float] = logits[:, 0].tolist()
    return found
