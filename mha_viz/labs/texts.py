"""Real text: nets that differ in nothing but their number of heads, trained on the same texts, beside counts of words.

For every seed the texts are split anew, and all numbers of heads are trained on that split, from the same seed and with the same
batches; so their differences can be taken seed by seed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Self

import numpy as np
import torch
from torch.nn import functional

from mha_viz.labs.nets import n_parameters
from mha_viz.labs.plans import TextOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.labs.texts_base import baseline
from mha_viz.labs.texts_data import Labelled, Split, commonest_share, ids_of, read, split, vocabulary
from mha_viz.labs.texts_net import D_MODEL, TextNet, make_net, padded

#: Texts of a step; texts of a step without gradients; steps whose texts are sorted by their length together.
BATCH, READ, BUCKET = 64, 256, 32
#: Steps between two looks at how far a training is.
EVERY = 4
#: Largest rate of learning.
RATE = 0.002


class Encoded:
    """Texts as a net reads them.

    Args:
        ids: of each text.
        labels: (text,), 0.0 or 1.0.
    """

    def __init__(self, ids: list[list[int]], labels: torch.Tensor) -> None:
        self.ids, self.labels = ids, labels

    @classmethod
    def of(cls, texts: Sequence[Labelled], known: Mapping[str, int]) -> Self:
        """From the texts themselves."""
        return cls([ids_of(one.text, known) for one in texts], torch.tensor([float(one.label) for one in texts]))

    def batch(self, places: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
        """Ids, (text, token), and labels of these texts."""
        return padded([self.ids[place] for place in places]), self.labels[torch.tensor(places)]

    def batches(self, draw: np.random.Generator) -> list[list[int]]:
        """All texts once, in batches of texts of like length, in random order."""
        order = draw.permutation(len(self.ids)).tolist()
        found = []
        for start in range(0, len(order), BATCH * BUCKET):
            alike = sorted(order[start : start + BATCH * BUCKET], key=lambda place: len(self.ids[place]))
            found += [alike[at : at + BATCH] for at in range(0, len(alike), BATCH)]
        return [found[place] for place in draw.permutation(len(found))]

    def part(self, places: Sequence[int]) -> Encoded:
        """These texts alone."""
        return Encoded([self.ids[place] for place in places], self.labels[torch.tensor(places)])

    def logits(self, net: TextNet) -> torch.Tensor:
        """(text,), without dropout."""
        order = sorted(range(len(self.ids)), key=lambda place: len(self.ids[place]))
        logits = torch.empty(len(order), dtype=net.answer.weight.dtype)
        net.eval()
        with torch.inference_mode():
            for start in range(0, len(order), READ):
                places = order[start : start + READ]
                logits[torch.tensor(places)] = net(self.batch(places)[0])
        net.train()
        return logits


class Training:
    """One net on one split.

    Args:
        net: what is trained.
        parts: what it is trained on and what it is measured on.
        seed: of the order of the texts and of what drops out.
        epochs: how many in all.

    Attributes:
        train, validation: the encoded parts.
        course: lists with one value an epoch: accuracy and loss of both parts, and seconds of the processor. Of the training part
            as many texts are measured as the other has, and like these without dropout.
    """

    def __init__(self, net: TextNet, parts: Split, seed: int, epochs: int) -> None:
        known = vocabulary(parts.train)
        self.net, self.epochs, self.known = net, epochs, known
        self.train, self.validation = Encoded.of(parts.train, known), Encoded.of(parts.validation, known)
        self.course: dict[str, list[float]] = {
            name: [] for name in ("train_accuracy", "train_loss", "accuracy", "loss", "epoch_seconds")
        }
        self._draw, self._seed = np.random.default_rng(seed), seed
        # Always the same ones; the parts are sorted by label.
        measured = self._draw.permutation(len(self.train.ids))[: len(self.validation.ids)]
        self._measured = self.train.part(measured.tolist())

    def run(self) -> Iterator[float]:
        """Trains; yields the share that is done every few steps."""
        optimizer = torch.optim.Adam(self.net.parameters(), lr=RATE, fused=True)
        steps = -(-len(self.train.ids) // BATCH) * self.epochs
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
        done = 0
        for epoch in range(self.epochs):
            begun = time.process_time()
            batches = self.train.batches(self._draw)
            for number, places in enumerate(batches):
                with torch.random.fork_rng(devices=[]):
                    # Other labs of this process, or a pause between two steps, change nothing of what drops out.
                    torch.manual_seed(1_000_003 * self._seed + done)
                    self._step(optimizer, places)
                schedule.step()
                done += 1
                if number % EVERY == 0:
                    yield (epoch + number / len(batches)) / self.epochs
            self._measure(time.process_time() - begun)
            yield (epoch + 1) / self.epochs

    def _step(self, optimizer: torch.optim.Optimizer, places: Sequence[int]) -> None:
        ids, labels = self.train.batch(places)
        optimizer.zero_grad()
        torch.autograd.backward(functional.binary_cross_entropy_with_logits(self.net(ids), labels))
        optimizer.step()

    def _measure(self, seconds: float) -> None:
        """One more value for each list of the course."""
        for part, name in ((self._measured, "train_"), (self.validation, "")):
            logits = part.logits(self.net)
            loss = functional.binary_cross_entropy_with_logits(logits, part.labels)
            self.course[f"{name}accuracy"].append(round(accuracy_of(logits, part.labels), 4))
            self.course[f"{name}loss"].append(round(float(loss), 4))
        self.course["epoch_seconds"].append(round(seconds, 2))


def accuracy_of(logits: torch.Tensor, labels: torch.Tensor) -> float:
    """The share that is sorted right."""
    return float(((logits > 0) == (labels > 0.5)).double().mean())


def run(options: TextOptions) -> Steps:
    """Every data set with every seed: the counts of words first, then every number of heads; a row each."""
    texts = {data: read(data) for data in options.data}
    settings = [(data, seed) for seed in range(options.seeds) for data in options.data]
    total, done = len(settings) * (1 + len(options.heads)), 0
    for data, seed in settings:
        parts = split(texts[data], seed, options.examples)
        facts: Row = {"data": data, "seed": seed, "n_train": len(parts.train), "n_validation": len(parts.validation)}
        facts["commonest"] = round(commonest_share(parts.validation), 4)
        begun = time.process_time()
        train, validation = baseline(parts)
        scores: Row = {"train": round(train, 4), "final": round(validation, 4)}
        done += 1
        yield Step(
            done / total, facts | {"kind": "words"} | scores | {"seconds": round(time.process_time() - begun, 2)}
        )
        for n_heads in options.heads:
            for step in _one_net(facts | {"kind": "net", "heads": n_heads}, parts, options):
                yield step._replace(share=(done + step.share) / total)
            done += 1


def _one_net(facts: Row, parts: Split, options: TextOptions) -> Iterator[Step]:
    """Trains one net; the last step has its row."""
    net = make_net(facts["heads"], options.layers, facts["seed"], positions=options.positions == "on")
    row = facts | {"layers": options.layers, "positions": options.positions}
    row |= {"d_model": D_MODEL, "parameters": n_parameters(net)}
    training = Training(net, parts, facts["seed"], options.epochs)
    for share in training.run():
        yield Step(share, live=row | {name: list(values) for name, values in training.course.items()})
    course = training.course
    row |= {"best_epoch": 1 + int(np.argmax(course["accuracy"])), "final": course["accuracy"][-1]}
    yield Step(1.0, row | course)
