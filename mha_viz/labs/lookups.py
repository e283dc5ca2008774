"""Several look-ups at once: a task on which a number of heads is worth something for a provable reason.

Each of N tokens is the sum of the vector of its key (a different one for each) and that of a value. One query token names m
keys in ordered slots; the answer is the m values in their order. Everything the answer gets to know of the values passes through
the weights of the query token: h heads give h weighted sums of them.

values   each value is a vector of independent Gaussian numbers. m of them cannot be told from h sums: the best estimate explains
         R^2 = min(h, m) / m of their variance.
classes  each value is one of 8, and a small network reads the answer. One sum of few values can be taken apart, so there is no
         such line, and one head does better than it seems it should.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

from mha_viz.attention import Attended
from mha_viz.labs.case import best_possible as best_possible
from mha_viz.labs.nets import HeadsAttention, n_parameters
from mha_viz.labs.plans import D_MODEL, LookupOptions
from mha_viz.labs.plans import HELD_OUT as HELD_OUT
from mha_viz.labs.plans import KINDS as KINDS
from mha_viz.labs.plans import N_SLOTS as N_SLOTS
from mha_viz.labs.plans import N_TOKENS as N_TOKENS
from mha_viz.labs.plans import WIDTH as WIDTH
from mha_viz.labs.results import Row, Step, Steps

#: Width of the hidden layer that reads classes off.
HIDDEN = 64
#: Cases of a step of training, and steps between two points of a curve.
BATCH, EVERY = 128, 20
#: Largest rate of learning of each task.
_RATES = {"values": 0.02, "classes": 0.005}


class Cases(NamedTuple):
    """Cases of the task.

    Attributes:
        values: (case, token, WIDTH) Gaussian, or (case, token) whole numbers below KINDS.
        asked: (case, slot), which token each slot asks for, all different; token t has key t.
        told: as ``answers``, what somebody who errs says that they are; None where nobody errs.
    """

    values: torch.Tensor
    asked: torch.Tensor
    told: torch.Tensor | None = None

    @property
    def answers(self) -> torch.Tensor:
        """(case, slot, WIDTH) or (case, slot): the values that are asked for, as they are told."""
        if self.told is not None:
            return self.told
        index = self.asked if self.values.dim() == 2 else self.asked[..., None].expand(-1, -1, WIDTH)
        return self.values.gather(1, index)


def cases(task: str, n: int, generator: torch.Generator) -> Cases:
    """``n`` random cases."""
    shape = (n, N_TOKENS)
    if task == "values":
        values = torch.randn(*shape, WIDTH, generator=generator)
    else:
        values = torch.randint(KINDS, shape, generator=generator)
    asked = torch.rand(shape, generator=generator).argsort(dim=1)[:, :N_SLOTS]
    return Cases(values, asked)


class LookupNet(nn.Module):
    """Token vectors, one layer of attention for the query token alone, and what reads the answer off."""

    def __init__(self, task: str, attention: HeadsAttention) -> None:
        super().__init__()
        self.task, self.attention = task, attention
        self.keys = nn.Parameter(torch.randn(N_TOKENS, D_MODEL))
        self.slots = nn.Parameter(torch.randn(N_SLOTS, N_TOKENS, D_MODEL) / N_SLOTS**0.5)
        if task == "values":
            self.values: nn.Module = nn.Linear(WIDTH, D_MODEL, bias=False)
            self.answer: nn.Module = nn.Linear(D_MODEL, N_SLOTS * WIDTH)
        else:
            self.values = nn.Embedding(KINDS, D_MODEL)
            self.answer = nn.Sequential(nn.Linear(D_MODEL, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, N_SLOTS * KINDS))

    def reads(self, given: Cases) -> tuple[torch.Tensor, torch.Tensor]:
        """The vectors of the query token, (case, 1, d_model), and of the tokens, (case, token, d_model)."""
        tokens = self.keys + self.values(given.values)
        return self.slots[torch.arange(N_SLOTS), given.asked].sum(dim=1, keepdim=True), tokens

    def forward(
        self, given: Cases, gates: torch.Tensor | None = None, uniform: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, Attended]:
        """The answers, (case, slot, WIDTH or KINDS), and what the kernel computed, weights (case, head, 1, token)."""
        query, tokens = self.reads(given)
        output, attended = self.attention(query, tokens, gates=gates, uniform=uniform)
        return self.answer(output[:, 0]).unflatten(1, (N_SLOTS, -1)), attended


def make_net(task: str, n_heads: int, seed: int, *, n_kv: int | None = None, one_query: bool = False) -> LookupNet:
    """An untrained net; equal seeds make equal ones."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LookupNet(task, HeadsAttention(D_MODEL, n_heads, n_kv=n_kv, one_query=one_query))


def loss_of(said: torch.Tensor, given: Cases) -> torch.Tensor:
    """Mean squared error, or cross entropy in nats."""
    answers = given.answers
    if answers.dim() == 2:
        return functional.cross_entropy(said.flatten(0, 1), answers.flatten())
    return functional.mse_loss(said, answers)


def score_of(said: torch.Tensor, given: Cases) -> float:
    """R^2 of all values, or the share of right answers."""
    answers = given.answers
    if answers.dim() == 2:
        return float((said.argmax(dim=-1) == answers).float().mean())
    error, spread = ((said - answers) ** 2).sum(), ((answers - answers.mean(dim=0)) ** 2).sum()
    return float(1 - error / spread)


class Training:
    """One net and its training, step by step.

    Args:
        net: what is trained.
        seed: of the cases.
        steps: how many in all.
        faster: by how much the rate of learning is higher than usual.

    Attributes:
        at, curve: steps and scores on the held-out cases.
        held_out: those cases, the same for every seed.
    """

    def __init__(self, net: LookupNet, seed: int, steps: int, *, faster: float = 1.0) -> None:
        self.net, self.steps, self.rate = net, steps, faster * _RATES[net.task]
        self.at: list[int] = []
        self.curve: list[float] = []
        self._generator = torch.Generator().manual_seed(1_000 + seed)
        self.held_out = cases(net.task, HELD_OUT, torch.Generator().manual_seed(7))

    def loss(self, said: torch.Tensor, attended: Attended, given: Cases) -> torch.Tensor:
        """What is made small; a training with another aim has its own."""
        return loss_of(said, given)

    def batch(self) -> Cases:
        """The cases of the next step: new ones each time; a training with a fixed number of cases has its own."""
        return cases(self.net.task, BATCH, self._generator)

    def precision(self) -> AbstractContextManager[object]:
        """What the net and its loss are computed in, forwards; float32."""
        return nullcontext()

    def optimizer(self) -> torch.optim.Optimizer:
        """What makes the steps."""
        return torch.optim.Adam(self.net.parameters(), lr=self.rate)

    def schedule(self, optimizer: torch.optim.Optimizer) -> torch.optim.lr_scheduler.LRScheduler:
        """How the rate of learning goes on: up to its largest and down again."""
        return torch.optim.lr_scheduler.OneCycleLR(optimizer, self.rate, total_steps=self.steps)

    def run(self) -> Iterator[float]:
        """Trains; yields the share that is done at every point of the curve."""
        optimizer = self.optimizer()
        schedule = self.schedule(optimizer)
        for step in range(1, self.steps + 1):
            given = self.batch()
            with self.precision():
                said, attended = self.net(given)
                loss = self.loss(said, attended, given)
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            optimizer.step()
            schedule.step()
            if step % EVERY == 0 or step == self.steps:
                self.at.append(step)
                self.curve.append(round(self.score(), 5))
                yield step / self.steps

    def score(self, gates: torch.Tensor | None = None, uniform: torch.Tensor | None = None) -> float:
        """On the held-out cases."""
        with torch.inference_mode(), self.precision():
            return score_of(self.net(self.held_out, gates, uniform)[0], self.held_out)

    def slot_weights(self) -> torch.Tensor:
        """(head, slot): the mean weight of each head on the token that each slot asks for, over the held-out cases."""
        with torch.inference_mode():
            weights = self.net(self.held_out)[1].weights[:, :, 0]  # (case, head, token)
        asked = self.held_out.asked[:, None].expand(-1, weights.shape[1], -1)
        return weights.gather(2, asked).mean(dim=0)


def run(options: LookupOptions) -> Steps:
    """Every task with every number of heads and every seed; a row each."""
    settings = [(t, h, seed) for seed in range(options.seeds) for t in options.tasks for h in options.heads]
    for number, (task, n_heads, seed) in enumerate(settings):
        begun = time.process_time()  # of the processor: other work on the computer does not count
        training = Training(make_net(task, n_heads, seed), seed, options.steps)
        row: Row = {"task": task, "heads": n_heads, "seed": seed, "parameters": n_parameters(training.net)}
        for share in training.run():
            live = row | {"at": list(training.at), "curve": list(training.curve)}
            yield Step((number + share) / len(settings), live=live)
        row |= {"score": training.curve[-1], "best": best_possible(n_heads) if task == "values" else None}
        row |= {"seconds": round(time.process_time() - begun, 2), "at": training.at, "curve": training.curve}
        row["slots"] = [[round(weight, 4) for weight in head] for head in training.slot_weights().tolist()]
        yield Step((number + 1) / len(settings), row)
