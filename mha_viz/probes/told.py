"""What came of a probe, in sentences."""

from __future__ import annotations

import math

from mha_viz.probes.records import ContextWord, MarginClaim, MeaningClaim, MetricClaim, OffsetClaim, Outcome, PairClaim
from mha_viz.words import say


def sentences(outcome: Outcome) -> list[str]:
    """One sentence each: what was found, how it compares with luck, what fell short, where it was published."""
    if outcome.verdict == "untried":
        return [outcome.reason]
    told = [_found(outcome), *_luck(outcome)]
    told += [say(f"probe.short.{short}") for short in outcome.shortfalls]
    told += [_context(number, words) for number, words in enumerate(outcome.contexts, start=1) if words]
    if outcome.probe.published_elsewhere(outcome.model):
        told.append(say("probe.elsewhere", published=outcome.probe.model, model=outcome.model))
    return told


def summary(outcomes: tuple[Outcome, ...] | list[Outcome]) -> str:
    """How many hold, do not hold, and could not be tried."""
    counts = {verdict: sum(one.verdict == verdict for one in outcomes) for verdict in ("holds", "not", "untried")}
    return say("probe.summary", holds=counts["holds"], fails=counts["not"], untried=counts["untried"])


def _found(outcome: Outcome) -> str:
    claim, model = outcome.probe.claim, outcome.model
    numbers = {"measured": _number(outcome.measured), "expected": _number(outcome.expected), "model": model}
    if isinstance(claim, MeaningClaim):
        return say("probe.found.meaning", word=claim.word.text, **numbers)
    if isinstance(claim, MetricClaim) and claim.layers is not None:
        layers = ", ".join(f"L{layer}" for layer in claim.layers)
        return say("probe.found.layers", layers=layers, metric=say(f"metric.{claim.metric}"), **numbers)
    best = outcome.strongest[0]
    where = {"head": best.head, "others": len(outcome.strongest) - 1}
    if isinstance(claim, PairClaim):
        keys = ", ".join(map(str, claim.keys))
        weight = {"query": claim.query, "keys": keys, "weight": f"{best.value:.3f}", "rank": best.rank}
        return say("probe.found.pair", **weight, **where, **numbers)
    if isinstance(claim, MarginClaim):
        return say("probe.found.margin", query=claim.query, key=claim.key, **where, **numbers)
    if isinstance(claim, OffsetClaim):
        return say("probe.found.offset", offset=f"{claim.offset:+d}", **where, **numbers)
    times = "–" if math.isnan(best.times) else _number(best.times)
    return say("probe.found.metric", metric=say(f"metric.{claim.metric}"), times=times, **where, **numbers)


def _luck(outcome: Outcome) -> list[str]:
    told, heads = [], outcome.n_heads
    if outcome.luck is not None:
        key = "probe.luck.margin" if isinstance(outcome.probe.claim, MarginClaim) else "probe.luck.pairs"
        told.append(say(key, rank=outcome.luck.rank, n=outcome.luck.n, heads=heads))
    if outcome.same_offset is not None and outcome.same_offset.n > 1:
        told.append(say("probe.luck.same_offset", rank=outcome.same_offset.rank, n=outcome.same_offset.n))
    return told


def _context(number: int, words: tuple[ContextWord, ...]) -> str:
    listed = ", ".join(f"{word} {weight:.3f}" for word, weight in words)
    return say("probe.context", number=number, words=listed)


def _number(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")
