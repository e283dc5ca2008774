"""How many heads? Chosen as it should be: divisors of d_model only, several seeds, a validation split that chooses and a test
split that is used once, for the count that was chosen.

Each seed has first weights of its own, and training, validation and test cases of its own; the nets of one seed share them,
whatever their number of heads. Told answers are noisy, as people's labels are, in all three splits. What decides is in
``choosing``.

Mixed precision is PyTorch's autocast: the net and its loss are computed forwards within it, the backward pass and Adam outside.
The numbers that are learnt stay float32. bfloat16 has the range of float32, so its gradients need no scaling.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from mha_viz.labs.choosing import choose
from mha_viz.labs.lookups import BATCH, KINDS, Cases, LookupNet, Training, best_possible, cases, make_net, score_of
from mha_viz.labs.nets import n_parameters
from mha_viz.labs.plans import SweepOptions
from mha_viz.labs.results import Row, Step, Steps

#: Cases to learn from, to choose by, and to tell at the end how good the chosen count is.
N_TRAINING, N_VALIDATION, N_TEST = 2_048, 512, 2_048


class Splits(NamedTuple):
    """The cases of one seed; no case stands in two of them."""

    training: Cases
    validation: Cases
    test: Cases


def splits(task: str, seed: int, noise: float) -> Splits:
    """All cases of a seed, drawn together and cut."""
    generator = torch.Generator().manual_seed(20_000 + seed)
    drawn = _noisy(cases(task, N_TRAINING + N_VALIDATION + N_TEST, generator), noise, generator)
    sizes = [N_TRAINING, N_VALIDATION, N_TEST]
    parts = [torch.split(part, sizes) for part in drawn if part is not None]
    return Splits(*(Cases(*(part[place] for part in parts)) for place in range(3)))


def _noisy(given: Cases, noise: float, generator: torch.Generator) -> Cases:
    """Numbers are told with Gaussian noise of this deviation; this share of classes is told at random."""
    answers = given.answers
    if answers.dtype.is_floating_point:
        return given._replace(told=answers + noise * torch.randn(answers.shape, generator=generator))
    errs = torch.rand(answers.shape, generator=generator) < noise
    return given._replace(told=torch.where(errs, torch.randint(KINDS, answers.shape, generator=generator), answers))


def ceiling(task: str, n_heads: int, noise: float) -> float:
    """The score that no net can be expected to pass, since noise cannot be foreseen; with few heads see ``lookups``."""
    if task == "values":
        return best_possible(n_heads) / (1 + noise**2)
    return 1 - noise * (1 - 1 / KINDS)


class SplitTraining(Training):
    """A training on a fixed number of cases, looked at on the validation split.

    Args:
        net: what is trained.
        split: its cases.
        seed: of their order.
        steps: how many in all.
        kind: "float32" or "bfloat16".
    """

    def __init__(self, net: LookupNet, split: Splits, seed: int, steps: int, kind: str) -> None:
        super().__init__(net, seed, steps)
        self.split, self.kind, self.held_out = split, kind, split.validation

    def batch(self) -> Cases:
        """Training cases by lot."""
        lot = torch.randint(N_TRAINING, (BATCH,), generator=self._generator)
        return Cases(*(part[lot] for part in self.split.training if part is not None))

    def precision(self) -> AbstractContextManager[object]:
        """Autocast for "bfloat16"."""
        return torch.autocast("cpu", torch.bfloat16) if self.kind == "bfloat16" else nullcontext()

    def tested(self) -> float:
        """The score on the test split."""
        with torch.inference_mode(), self.precision():
            return score_of(self.net(self.split.test)[0], self.split.test)


class _Kinds(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes the operations that PyTorch really runs, below autocast, by the type of what they give.

    What only looks at numbers in another shape computes nothing and is left out.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.found: dict[str, dict[str, int]] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = func(*args, **(kwargs or {}))
        first = given[0] if isinstance(given, tuple) else given
        name = func.overloadpacket.__name__
        if isinstance(first, torch.Tensor) and first.is_floating_point() and not _looks(name, first, args):
            name = name.strip("_")
            counts = self.found.setdefault(str(first.dtype).removeprefix("torch."), {})
            counts[name] = counts.get(name, 0) + 1
        return given


def _looks(name: str, given: torch.Tensor, args: tuple[Any, ...]) -> bool:
    """Whether a result is an argument's own memory, and nothing was written into it."""
    memories = [part.untyped_storage().data_ptr() for part in args if isinstance(part, torch.Tensor)]
    return given.untyped_storage().data_ptr() in memories and not name.endswith("_")


def operations(training: SplitTraining) -> dict[str, dict[str, int]]:
    """What one forward pass and its loss run: type of the result -> operation of PyTorch -> how often. Trains nothing."""
    given = training.batch()
    with _Kinds() as kinds, training.precision():
        said, attended = training.net(given)
        training.loss(said, attended, given)
    return kinds.found


def run(options: SweepOptions) -> Steps:
    """A row for each net: its score on the validation split. The last row of a task and precision has "tested" as well: the
    scores of the chosen count's nets on the test split, if one could be chosen."""
    for place, task in enumerate(options.tasks):
        begun, share = place / len(options.tasks), 1 / len(options.tasks)
        for step in _one_task(task, options):
            yield step._replace(share=begun + share * step.share)


def _one_task(task: str, options: SweepOptions) -> Steps:
    """All precisions side by side, so that whatever else the computer does is the same for them."""
    _warm_up(task, options)
    sweeps = [_Sweep(task, kind, options) for kind in dict.fromkeys(options.precisions)]
    counts, seeds = sorted(set(options.heads)), options.seeds
    for place, n_heads in enumerate(counts):
        going = [sweep for sweep in sweeps if not sweep.ended]
        runs = [(seed, sweep) for seed in range(seeds) for sweep in going]
        for number, (seed, sweep) in enumerate(runs):
            done = (place + number / len(runs)) / len(counts)
            for step in sweep.train(n_heads, seed):
                yield step._replace(share=done + step.share / len(runs) / len(counts))
    yield Step(1.0)


def _warm_up(task: str, options: SweepOptions) -> None:
    """What PyTorch loads and sets up with its first steps is no part of any net's time."""
    for kind in options.precisions:
        steps = min(options.steps, 20)
        for _ in SplitTraining(make_net(task, 1, 0), splits(task, 0, options.noise), 0, steps, kind).run():
            pass


class _Sweep:
    """One task in one precision."""

    def __init__(self, task: str, kind: str, options: SweepOptions) -> None:
        self.task, self.kind, self.options = task, kind, options
        self.ended = False
        self._scores: dict[int, dict[int, float]] = {}
        self._trained: dict[tuple[int, int], SplitTraining] = {}

    def train(self, n_heads: int, seed: int) -> Iterator[Step]:
        """One net; looks at the scores once it is the last of its count."""
        options = self.options
        net = make_net(self.task, n_heads, seed)
        training = SplitTraining(net, splits(self.task, seed, options.noise), seed, options.steps, self.kind)
        row: Row = {"task": self.task, "precision": self.kind, "heads": n_heads, "seed": seed}
        begun = time.process_time()
        for share in training.run():
            yield Step(share, live=row | {"step": training.at[-1], "score": training.curve[-1]})
        seconds = time.process_time() - begun
        self._trained[n_heads, seed] = training
        self._scores.setdefault(n_heads, {})[seed] = training.curve[-1]
        row |= {"score": training.curve[-1], "seconds": round(seconds, 3), "parameters": n_parameters(net)}
        row["best"] = round(ceiling(self.task, n_heads, options.noise), 5)
        if seed == 0 and n_heads == min(options.heads):
            row["operations"] = operations(training)
        if seed == options.seeds - 1:
            row |= self._look(n_heads)
        yield Step(1.0, row)

    def _look(self, n_heads: int) -> Row:
        """After a count's last seed: whether that was all, and if so the test of the chosen count."""
        options = self.options
        found = choose(self._scores, options.heads, margin=options.margin, patience=options.patience)
        self.ended = found is not None and (found.stopped or n_heads == max(options.heads))
        if found is None or not self.ended or found.chosen is None:
            return {}
        tests = [self._trained[found.chosen, seed].tested() for seed in range(options.seeds)]
        return {"tested": {"heads": found.chosen, "scores": [round(score, 5) for score in tests]}}
