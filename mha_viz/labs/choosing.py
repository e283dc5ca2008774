"""From scores to a choice: which number of heads, if any, and how sure that is. Free of any task; without torch.

Candidates are tried from few to many, each with the same seeds. Two are compared by the differences between their scores at
equal seeds: what a seed does to both falls out. The 95% confidence interval of the mean difference (Student's t) is the noise.

The interval is honest where each seed has cases of its own. Seeds that only begin the training anew on one and the same data,
or splits of one data set that overlap, make it too narrow (Nadeau and Bengio 2003).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mha_viz.labs.results import Row, half_interval

#: candidate -> seed -> score; higher is better.
Scores = Mapping[int, Mapping[int, float]]


class Difference(NamedTuple):
    """What one candidate scores more than another, over equal seeds.

    Attributes:
        more, less: the candidates; scores of ``more`` less those of ``less``.
        values: one a seed that both have, in the order of the seeds.
        mean: of the values.
        half: half of its 95% confidence interval; None for fewer than two seeds.
    """

    more: int
    less: int
    values: tuple[float, ...]
    mean: float
    half: float | None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its lower and upper end, where there is one."""
        return None if self.half is None else (self.mean - self.half, self.mean + self.half)

    def shown(self, margin: float) -> bool:
        """Whether it is shown to be larger than ``margin``: the whole interval is. One seed shows nothing."""
        return self.half is not None and self.mean - self.half > margin


class Choice(NamedTuple):
    """What scores allow to say.

    Attributes:
        n_seeds: how many scores each candidate has.
        tried: the candidates with scores of all seeds, from few heads to many.
        untried: those that were left out.
        best: the candidate with the highest mean.
        chosen: the smallest of those that are within the noise of the best; None where nothing can be said: one seed, or one
            candidate.
        tied: those within the noise of the best, itself among them.
        worse: the others.
        steps: what each candidate after the first scores more than the best before it.
        behind: what the best scores more than each of the others.
        stopped: whether more heads were not tried because they gained less than the noise.
        naive: the candidate with the highest score of each seed, the smaller of equal ones.
    """

    n_seeds: int
    tried: tuple[int, ...]
    untried: tuple[int, ...]
    best: int
    chosen: int | None
    tied: tuple[int, ...]
    worse: tuple[int, ...]
    steps: tuple[Difference, ...]
    behind: tuple[Difference, ...]
    stopped: bool
    naive: tuple[tuple[int, int], ...]

    @property
    def is_clear(self) -> bool:
        """Whether the best stands alone: all others are shown to be worse."""
        return self.chosen is not None and len(self.tied) == 1


def scores_of(rows: Iterable[Row]) -> dict[int, dict[int, float]]:
    """The scores of rows that hold "heads", "seed" and "score"."""
    found: dict[int, dict[int, float]] = {}
    for row in rows:
        found.setdefault(int(row["heads"]), {})[int(row["seed"])] = float(row["score"])
    return found


def difference(scores: Scores, more: int, less: int) -> Difference:
    """Of two candidates, over the seeds that both have.

    Raises:
        ValueError: they have no seed in common; a mistake of the programmer.
    """
    seeds = sorted(set(scores[more]) & set(scores[less]))
    if not seeds:
        raise ValueError(more, less)
    values = tuple(scores[more][seed] - scores[less][seed] for seed in seeds)
    return Difference(more, less, values, float(np.mean(values)), half_interval(values))


def complete(scores: Scores) -> tuple[int, ...]:
    """The candidates that have a score of every seed of the first one, from few heads to many."""
    if not scores:
        return ()
    first = set(scores[min(scores)])
    return tuple(sorted(heads for heads in scores if first and first <= set(scores[heads])))


def has_stopped(steps: Sequence[Difference], margin: float, patience: int) -> bool:
    """Whether the last ``patience`` candidates were not shown to gain more than ``margin`` on the best before them."""
    last = steps[-patience:]
    return len(last) == patience and not any(step.shown(margin) for step in last)


def choose(scores: Scores, candidates: Sequence[int], *, margin: float = 0.0, patience: int = 1) -> Choice | None:
    """Looks at the candidates that have all their scores.

    Args:
        scores: of the candidates that have been tried.
        candidates: all that were to be tried.
        margin: what a gain must be larger than to be worth more heads.
        patience: after how many candidates in a row without a gain no more are tried. With one seed nothing counts as a gain or
            as none, so all are tried.

    Returns:
        None if there is none with all its scores.
    """
    tried = complete(scores)
    if not tried:
        return None
    seeds = sorted(scores[tried[0]])
    means = {heads: float(np.mean([scores[heads][seed] for seed in seeds])) for heads in tried}
    steps = tuple(difference(scores, heads, _best(means, tried[:place])) for place, heads in enumerate(tried) if place)
    best = _best(means, tried)
    behind = tuple(difference(scores, best, heads) for heads in tried if heads != best)
    worse = tuple(one.less for one in behind if one.shown(margin))
    tied = tuple(heads for heads in tried if heads not in worse)
    untried = tuple(sorted(set(candidates) - set(tried)))
    decides = len(seeds) > 1 and len(tried) > 1
    return Choice(
        n_seeds=len(seeds),
        tried=tried,
        untried=untried,
        best=best,
        chosen=min(tied) if decides else None,
        tied=tied,
        worse=worse,
        steps=steps,
        behind=behind,
        stopped=decides and bool(untried) and has_stopped(steps, margin, patience),
        naive=tuple((seed, max(tried, key=lambda heads: scores[heads][seed])) for seed in seeds),
    )


def _best(means: Mapping[int, float], among: Sequence[int]) -> int:
    """The highest mean; of equal ones the smaller."""
    return max(among, key=lambda heads: means[heads])
