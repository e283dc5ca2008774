"""What a choice of a number of heads says, in sentences; every word of them follows from the scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mha_viz.labs.choosing import Choice, Difference, Scores
from mha_viz.labs.results import half_interval
from mha_viz.words import say


def count(heads: int) -> str:
    """ "1 head", "4 heads"."""
    return say("sweep.count.one") if heads == 1 else say("sweep.count.many", n=heads)


def counts(several: Sequence[int]) -> str:
    """ "1 head", "2 and 4 heads", "2, 4 and 8 heads"."""
    if len(several) == 1:
        return count(several[0])
    return say("sweep.list", first=listed(several[:-1]), last=several[-1])


def listed(several: Sequence[int]) -> str:
    """ "2, 4, 8"."""
    text = str(several[0])
    for heads in several[1:]:
        text = say("sweep.comma", first=text, last=heads)
    return text


def signed(value: float) -> str:
    """A difference, with its sign."""
    return f"{value:+.4f}".replace("-", "−")


def unsigned(value: float) -> str:
    """A number with a sign only if it is below zero."""
    return f"{value:.4f}".replace("-", "−")


def mean_text(values: Sequence[float]) -> str:
    """A mean with half of its interval, where there is one."""
    mean, half = f"{sum(values) / len(values):.4f}", half_interval(values)
    return mean if half is None else say("sweep.plus_minus", mean=mean, half=f"{half:.4f}")


def interval_text(one: Difference) -> str:
    """A mean difference with its interval in brackets, where there is one."""
    if one.interval is None:
        return signed(one.mean)
    low, high = one.interval
    return say("sweep.table.interval", mean=signed(one.mean), low=signed(low), high=signed(high))


def limit(margin: float) -> str:
    """What a difference has to pass to count."""
    return say("sweep.limit.margin") if margin else say("sweep.limit.noise")


def verdict(choice: Choice | None, margin: float) -> str:
    """In one line, without a full stop: what to take."""
    if choice is None:
        return say("sweep.head.none")
    if choice.n_seeds < 2:
        return say("sweep.head.seed")
    if choice.chosen is None:
        return say("sweep.head.first") if choice.untried else say("sweep.head.single")
    if choice.is_clear:
        return say("sweep.head.clear", chosen=count(choice.chosen))
    return say("sweep.head.tie", tied=counts(choice.tied), limit=limit(margin), chosen=count(choice.chosen))


def reasons(choice: Choice, scores: Scores, margin: float, patience: int, *, whole: bool) -> list[str]:
    """Why, what is tied, what is worse, and what was not tried.

    Args:
        choice: what the scores allow to say.
        scores: what was chosen from.
        margin: what a gain had to be larger than.
        patience: after how many counts without a gain the sweep stopped.
        whole: whether the sweep came to its end.
    """
    end = _end(choice, margin, patience, whole=whole)
    if choice.n_seeds < 2:
        return [say("sweep.why.seed"), end]
    best = mean_text(list(scores[choice.best].values()))
    told = [say("sweep.why.best", best=count(choice.best), mean=best, n=choice.n_seeds)]
    if choice.chosen is None:
        return [*told, end] if choice.untried else [*told, say("sweep.why.single")]
    tied = _behind([one for one in choice.behind if one.less in choice.tied])
    if tied:
        told.append(f"{say('sweep.why.tied', limit=limit(margin), found=tied)} {_open(choice)}")
    worse = _behind([one for one in choice.behind if one.less in choice.worse])
    if worse:
        told.append(say("sweep.why.worse", limit=limit(margin), found=worse))
    if choice.n_seeds == 2:
        told.append(say("sweep.why.two"))
    return [*told, end]


def _open(choice: Choice) -> str:
    """What a tie leaves open."""
    for one in choice.behind:
        if one.less == choice.chosen and one.interval is not None:
            names = {"best": count(choice.best), "chosen": count(one.less)}
            return say("sweep.why.hidden", most=f"{one.interval[1]:.4f}", **names)
    return say("sweep.why.same", chosen=count(choice.best))


def _behind(several: Sequence[Difference]) -> str:
    told = []
    for one in several:
        low, high = one.interval or (one.mean, one.mean)
        values = {"mean": f"{one.mean:.4f}", "low": unsigned(low), "high": unsigned(high)}
        told.append(say("sweep.why.behind", heads=count(one.less), **values))
    return " ".join(told)


def _end(choice: Choice, margin: float, patience: int, *, whole: bool) -> str:
    """Why no more counts were tried."""
    if not choice.untried:
        return say("sweep.why.all")
    if not (choice.stopped and whole):
        return say("sweep.why.untried", untried=counts(choice.untried))
    names = {"last": count(choice.tried[-1]), "untried": counts(choice.untried), "limit": limit(margin)}
    if patience == 1:
        return say("sweep.why.stopped", **names)
    return say("sweep.why.stopped_late", patience=patience, **names)


def naive(choice: Choice) -> str:
    """What one seed and the highest number would have picked."""
    picks = Counter(picked for _, picked in choice.naive)
    if choice.n_seeds == 1:
        return say("sweep.naive.one", heads=count(choice.naive[0][1]))
    if len(picks) == 1:
        return say("sweep.naive.same", n_seeds=choice.n_seeds, heads=count(choice.naive[0][1]))
    parts = [
        say("sweep.naive.times", heads=count(heads), n=n, n_seeds=choice.n_seeds) for heads, n in picks.most_common()
    ]
    found = parts[0]
    for part in parts[1:]:
        found = say("sweep.comma", first=found, last=part)
    return say("sweep.naive.lottery", found=found)
