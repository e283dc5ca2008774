"""A net with many heads teaches one with few: the look-ups again.

truth    the student learns the true answers, as any net does.
answers  it learns what a trained teacher says instead: its numbers, or how likely it finds each class, softened by a temperature
         (Hinton, Vinyals, Dean 2015).
maps     also where the teacher looks: each head of the student is to have the mean weights of a group of the teacher's heads.

Student and teacher are as large but for their number of heads, the students of one seed begin alike and see the same cases.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import torch
from torch.nn import functional

from mha_viz.attention import Attended
from mha_viz.errors import InputError
from mha_viz.labs.lookups import Cases, LookupNet, Training, best_possible, make_net
from mha_viz.labs.nets import n_parameters
from mha_viz.labs.plans import DistilOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.spec import divisors

#: How much the maps count beside the answers.
_MAPS = 1.0


def soft_loss(student: torch.Tensor, teacher: torch.Tensor, temperature: float) -> torch.Tensor:
    """Kullback-Leibler divergence in nats of the student's softened classes from the teacher's, times the temperature squared.

    The factor keeps the gradients as large as at temperature 1.

    Args:
        student, teacher: (case, slot, class), before softmax.
        temperature: both are divided by it.
    """
    said = functional.log_softmax(student / temperature, dim=-1).flatten(0, 1)
    wanted = functional.log_softmax(teacher / temperature, dim=-1).flatten(0, 1)
    return functional.kl_div(said, wanted, reduction="batchmean", log_target=True) * temperature**2


def grouped_maps(weights: torch.Tensor, order: torch.Tensor, n_groups: int) -> torch.Tensor:
    """(case, group, query, key): the mean weights of groups of heads, equally large, taken in this order."""
    return weights[:, order].view(len(weights), n_groups, -1, *weights.shape[2:]).mean(dim=2)


def map_loss(student: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Squared distance of two maps, (case, head, query, key): summed over keys, mean over the rest."""
    return ((student - wanted) ** 2).sum(dim=-1).mean()


class Distilling(Training):
    """A student's training; as ``Training``, but for the loss.

    Args:
        net: the student.
        seed, steps: as for ``Training``.
        teacher: trained.
        maps: whether its maps are learnt too.
        temperature: of ``soft_loss``.
    """

    def __init__(
        self, net: LookupNet, seed: int, steps: int, teacher: Training, *, maps: bool, temperature: float
    ) -> None:
        super().__init__(net, seed, steps)
        self._teacher, self._maps, self._temperature = teacher.net, maps, temperature
        # Heads that look at the same slot stand in one group, so that the mean of their maps still says where to look.
        self._order = teacher.slot_weights().argmax(dim=1).argsort(stable=True)

    def loss(self, said: torch.Tensor, attended: Attended, given: Cases) -> torch.Tensor:
        """From what the teacher says of the same cases; the true answers are not used."""
        with torch.no_grad():
            wanted, looked = self._teacher(given)
        soft = self.net.task == "classes"
        loss = soft_loss(said, wanted, self._temperature) if soft else functional.mse_loss(said, wanted)
        if self._maps:
            n_groups = attended.weights.shape[1]
            loss = loss + _MAPS * map_loss(attended.weights, grouped_maps(looked.weights, self._order, n_groups))
        return loss


def _trainings(options: DistilOptions, task: str, seed: int) -> Iterator[tuple[str, int, Training]]:
    """The teacher, then its students; each is to be run before the next is asked for."""
    teacher = Training(make_net(task, options.teacher, seed), seed, options.steps)
    yield "teacher", options.teacher, teacher
    for n_heads in options.heads:
        for aim in options.aims:
            net = make_net(task, n_heads, 100 + seed)
            if aim == "truth":
                yield aim, n_heads, Training(net, 100 + seed, options.steps)
            else:
                maps, temperature = aim == "maps", options.temperature
                yield (
                    aim,
                    n_heads,
                    Distilling(net, 100 + seed, options.steps, teacher, maps=maps, temperature=temperature),
                )


def run(options: DistilOptions) -> Steps:
    """A teacher and its students for every task and seed; a row each.

    Raises:
        InputError: a number of heads that does not divide the teacher's.
    """
    for n_heads in options.heads:
        if options.teacher % n_heads:
            allowed = ", ".join(map(str, divisors(options.teacher)))
            raise InputError("error.lab_student", got=n_heads, n_heads=options.teacher, allowed=allowed)
    settings = [(seed, task) for seed in range(options.seeds) for task in options.tasks]
    done, n_rows = 0, len(settings) * (1 + len(options.heads) * len(options.aims))
    for seed, task in settings:
        for aim, n_heads, training in _trainings(options, task, seed):
            begun = time.monotonic()
            row: Row = {"task": task, "aim": aim, "heads": n_heads, "seed": seed}
            row["parameters"] = n_parameters(training.net)
            for share in training.run():
                live = row | {"at": list(training.at), "curve": list(training.curve)}
                yield Step((done + share) / n_rows, live=live)
            row |= {"score": training.curve[-1], "best": best_possible(n_heads) if task == "values" else None}
            row |= {"seconds": round(time.monotonic() - begun, 2)}
            row |= {"at": training.at, "curve": [round(score, 3) for score in training.curve]}
            done += 1
            yield Step(done / n_rows, row)
