"""Whether a net that sorts texts knows the order of their words: the words of every text are shuffled.

Attention weighs sums, and the mean of all tokens is taken: without positions every logit is a function of which words there are,
and how many of each (a bag of words). With positions it is not.
"""

from __future__ import annotations

import numpy as np
import torch

from mha_viz.labs.plans import SWITCH, ShuffledOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.labs.texts import Encoded, Training, accuracy_of
from mha_viz.labs.texts_data import ids_of, read, split
from mha_viz.labs.texts_net import TextNet, make_net
from mha_viz.words import say

#: Two texts of the same words with opposite meanings, for data sets whose label 1 is "positive".
PAIR = ("texts.pair.first", "texts.pair.second")
OPINIONS = ("movies", "imdb")


def run(options: ShuffledOptions) -> Steps:
    """A net with positions and one without for every seed; a row each."""
    texts = read(options.data)
    settings = [(seed, positions) for seed in range(options.seeds) for positions in SWITCH]
    for number, (seed, positions) in enumerate(settings):
        net = make_net(options.heads, options.layers, seed, positions=positions == "on")
        training = Training(net, split(texts, seed, options.examples), seed, options.epochs)
        row: Row = {"data": options.data, "heads": options.heads, "layers": options.layers, "seed": seed}
        row |= {"positions": positions}
        for share in training.run():
            yield Step((number + share) / len(settings), live=row)
        row |= compared(net, training.validation, seed)
        if options.data in OPINIONS:
            pair = [say(key) for key in PAIR]
            ids = [ids_of(text, training.known) for text in pair]
            chances = _exact(net, Encoded(ids, torch.zeros(len(ids)))).sigmoid()
            row |= {"pair": pair, "pair_positive": [round(chance, 4) for chance in chances.tolist()]}
        yield Step((number + 1) / len(settings), row)


def compared(net: TextNet, texts: Encoded, seed: int) -> Row:
    """What shuffling changes.

    Returns:
        "n" texts; "difference", the largest of two logits of a text; "changed", the share of texts that are sorted otherwise;
        "accuracy" as written and "accuracy_shuffled".
    """
    draw = np.random.default_rng(seed)
    mixed = Encoded([draw.permutation(ids).tolist() for ids in texts.ids], texts.labels)
    before, after = _exact(net, texts), _exact(net, mixed)
    return {
        "n": len(texts.ids),
        "difference": float(f"{float((before - after).abs().max()):.3g}"),
        "changed": round(float(((before > 0) != (after > 0)).double().mean()), 4),
        "accuracy": round(accuracy_of(before, texts.labels), 4),
        "accuracy_shuffled": round(accuracy_of(after, texts.labels), 4),
    }


def _exact(net: TextNet, texts: Encoded) -> torch.Tensor:
    """Logits in double precision, so that sums in another order differ by 1e-15 and not by 1e-7."""
    net.double()
    logits = texts.logits(net)
    net.float()
    return logits
