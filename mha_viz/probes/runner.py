"""Probes tried on a model: whether what is claimed holds, in which heads, how strongly, and how much of it is luck.

What cannot be tried here is "untried" with its reason, and never counts against the model: a claim about a head of another
model, a word that the vocabulary does not have, a toy whose heads were set by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mha_viz.analysis.align import align
from mha_viz.analysis.work import Work, finished
from mha_viz.arrays import FloatArray
from mha_viz.errors import MhaVizError
from mha_viz.metrics import METRICS
from mha_viz.probes import measure
from mha_viz.probes.places import ByWords, Group, Word, by_words, find_word
from mha_viz.probes.records import (
    MarginClaim,
    MeaningClaim,
    MetricClaim,
    OffsetClaim,
    Outcome,
    PairClaim,
    Probe,
    Strength,
)
from mha_viz.trace import AttentionTrace
from mha_viz.words import say

#: Runs the model on a sentence, or on two that are read together.
Run = Callable[[str, str | None], AttentionTrace]
#: Of the words of a sentence more than this share unknown: the model does not read it.
MOST_UNKNOWN = 0.2
#: A metric must be at least this many times what even attention gives, as types of heads must.
TIMES_EVEN = 2.0


@dataclass(frozen=True)
class Subject:
    """The model that probes are tried on.

    Attributes:
        name: what people call it; held against the models that probes were published for.
        toy: whether its heads were set by hand or drawn at random: it has learnt no language.
    """

    name: str
    toy: bool = False


class _Untried(Exception):  # noqa: N818 - not an error: what it says becomes part of the result
    """Why a probe cannot be tried here, in words."""


def try_probes(probes: Sequence[Probe], run: Run, subject: Subject) -> Work[tuple[Outcome, ...]]:
    """One probe after the other, with how far it is.

    Args:
        probes: what to try.
        run: runs the model, without any controls.
        subject: what the model is.
    """
    outcomes = []
    for done, probe in enumerate(probes, start=1):
        outcomes.append(try_probe(probe, run, subject))
        yield done / len(probes)
    return tuple(outcomes)


def all_outcomes(probes: Sequence[Probe], run: Run, subject: Subject) -> tuple[Outcome, ...]:
    """``try_probes`` in one go."""
    return finished(try_probes(probes, run, subject))


def try_probe(probe: Probe, run: Run, subject: Subject) -> Outcome:
    """What comes of one probe. Errors of the model or of the sentence make it untried, with what they say."""
    try:
        _check_subject(probe, subject)
        return _tried(probe, run, subject)
    except _Untried as why:
        return Outcome(probe, subject.name, "untried", reason=str(why))
    except MhaVizError as error:
        return Outcome(probe, subject.name, "untried", reason=say("probe.untried.error", error=error))


def _tried(probe: Probe, run: Run, subject: Subject) -> Outcome:
    claim = probe.claim
    if isinstance(claim, PairClaim):
        return _pair(probe, claim, run, subject)
    if isinstance(claim, MarginClaim):
        return _margin(probe, claim, run, subject)
    if isinstance(claim, MeaningClaim):
        return _meaning(probe, claim, run, subject)
    if isinstance(claim, OffsetClaim):
        return _offset(probe, claim, run, subject)
    return _metric(probe, claim, run, subject)


def _check_subject(probe: Probe, subject: Subject) -> None:
    if subject.toy:
        raise _Untried(say("probe.untried.toy", model=subject.name))
    claim = probe.claim
    numbered = getattr(claim, "head", None) is not None or getattr(claim, "layers", None) is not None
    if numbered and probe.published_elsewhere(subject.name):
        raise _Untried(say("probe.untried.other_model", published=probe.model, model=subject.name))


def _groups(trace: AttentionTrace, words: Sequence[Word]) -> list[Group]:
    """Where the words stand among the tokens of a run."""
    tokens, groups = trace.query_tokens, []
    for word in words:
        group = find_word(tokens, word)
        if group is None:
            raise _Untried(say("probe.untried.missing", word=word.text, model=trace.spec.name))
        if any(tokens.unknown[at] for at in group):
            raise _Untried(say("probe.untried.unknown", word=word.text, model=trace.spec.name))
        groups.append(group)
    _check_known(trace)
    return groups


def _check_known(trace: AttentionTrace) -> None:
    share = trace.query_tokens.unknown_share
    if share > MOST_UNKNOWN:
        raise _Untried(say("probe.untried.unknown_share", share=f"{100 * share:.0f} %", model=trace.spec.name))


def _by_words(trace: AttentionTrace, words: Sequence[Word]) -> ByWords:
    return by_words(trace, _groups(trace, words))


def _pair(probe: Probe, claim: PairClaim, run: Run, subject: Subject) -> Outcome:
    trace = run(probe.sentence, probe.pair)
    rival = [] if claim.over is None else [claim.over]
    reading, (query, *others) = _by_words(trace, [claim.query, *claim.keys, *rival])
    keys = others[: len(claim.keys)]
    numbers = measure.pair_numbers(reading, query, keys)
    if claim.head is not None:
        _check_head(claim, trace)
    heads = measure.ordered(numbers.weight, numbers.times, numbers.times, numbers.rank)
    heads = [strength for strength in heads if claim.head in (None, strength.head)]
    if not heads:
        raise _Untried(say("probe.untried.hidden", query=claim.query, key=claim.keys[0], model=trace.spec.name))
    best = heads[0]
    bests = measure.best_times(reading, claim.head)
    luck = measure.luck_of(bests, best.times, query, keys)
    short = [
        ("below", best.times < claim.times - measure.ROUNDING),
        ("common", claim.among is not None and luck.rank > max(claim.among * luck.n, 1)),
        ("not_top", claim.top and not measure.is_top(reading, best.head, query, keys)),
    ]
    if claim.over is not None:
        against = measure.pair_numbers(reading, query, others[len(claim.keys) :]).times
        against = against if claim.head is None else against[claim.head]
        short.append(("rival", bool(np.nanmax(against, initial=0.0) > best.times)))
    same_offset = measure.luck_at_offset(bests, best.times, query, keys[0]) if len(keys) == 1 else None
    return _outcome(
        probe,
        subject,
        [name for name, missed in short if missed],
        measured=best.times,
        expected=claim.times,
        strongest=_reaching(heads, lambda strength: strength.times >= claim.times - measure.ROUNDING),
        luck=luck,
        same_offset=same_offset,
        n_heads=len(heads),
    )


def _check_head(claim: PairClaim, trace: AttentionTrace) -> None:
    head, spec = claim.head, trace.spec
    if head is not None and not (head.layer < spec.n_layers and head.head < spec.n_heads):
        values = {"layers": spec.n_layers - 1, "heads": spec.n_heads - 1}
        raise _Untried(say("probe.untried.no_head", head=head, model=spec.name, **values))


def _margin(probe: Probe, claim: MarginClaim, run: Run, subject: Subject) -> Outcome:
    here, (query, key) = _by_words(run(probe.sentence, probe.pair), [claim.query, claim.key])
    there, (query_there, key_there) = _by_words(run(claim.other, None), [claim.other_query or claim.query, claim.key])
    first, second = measure.pair_numbers(here, query, [key]), measure.pair_numbers(there, query_there, [key_there])
    more = first.weight - second.weight
    heads = measure.ordered(more, first.times, more, first.rank)
    if not heads:
        raise _Untried(say("probe.untried.hidden", query=claim.query, key=claim.key, model=here.spec.name))
    # The claim's own pair is left out of the others, so that it may also be one that the alignment does not see.
    alignment = align(here.query_tokens, there.query_tokens)
    common = [(pair.a, pair.b) for pair in alignment.common]
    of_a, of_b = (np.array(places, dtype=int) for places in zip(*common, strict=True))
    bests = np.full((here.n_tokens, here.n_tokens), np.nan)
    moved = here.weights[:, :, of_a][..., of_a].astype(np.float64) - there.weights[:, :, of_b][..., of_b]
    both = here.visible[:, :, of_a][..., of_a] & there.visible[:, :, of_b][..., of_b]
    bests[np.ix_(of_a, of_a)] = np.where(both, moved, -np.inf).max(axis=(0, 1))
    words = measure.word_places(here)
    bests[~(words[:, None] & words & ~np.eye(len(words), dtype=bool)) | np.isneginf(bests)] = np.nan
    luck = measure.luck_of(bests, heads[0].value, query, [key])
    short = [
        ("below", heads[0].value < claim.margin - measure.ROUNDING),
        ("common", claim.among is not None and luck.rank > max(claim.among * luck.n, 1)),
    ]
    return _outcome(
        probe,
        subject,
        [name for name, missed in short if missed],
        measured=heads[0].value,
        expected=claim.margin,
        strongest=_reaching(heads, lambda strength: strength.value >= claim.margin - measure.ROUNDING),
        luck=luck,
        n_heads=len(heads),
    )


def _meaning(probe: Probe, claim: MeaningClaim, run: Run, subject: Subject) -> Outcome:
    traces = [run(text, None) for text in (probe.sentence, claim.other, claim.same)]
    groups = [_groups(trace, [claim.word])[0] for trace in traces]
    here, other, same = (measure.word_output(trace, group) for trace, group in zip(traces, groups, strict=True))
    more = measure.cosine(here, same) - measure.cosine(here, other)
    if np.isnan(more):
        raise _Untried(say("probe.untried.no_output", model=subject.name))
    contexts = []
    for trace, group in zip(traces[:2], groups, strict=False):
        reading, (place,) = by_words(trace, [group])
        contexts.append(measure.context_of(reading, place))
    short = [] if more > claim.margin else ["below"]
    return _outcome(probe, subject, short, measured=more, expected=claim.margin, contexts=tuple(contexts))


def _offset(probe: Probe, claim: OffsetClaim, run: Run, subject: Subject) -> Outcome:
    trace = run(probe.sentence, probe.pair)
    _check_known(trace)
    shares = measure.at_offset(trace, claim.offset)
    heads = measure.ordered(shares, np.full(shares.shape, np.nan), shares)
    if not heads:
        raise _Untried(say("probe.untried.no_offset", offset=f"{claim.offset:+d}", model=trace.spec.name))
    return _of_shares(probe, subject, heads, claim.share, [])


def _metric(probe: Probe, claim: MetricClaim, run: Run, subject: Subject) -> Outcome:
    trace = run(probe.sentence, probe.pair)
    _check_known(trace)
    values, even = METRICS[claim.metric].compute(trace), METRICS[claim.metric].even(trace)
    if not np.isfinite(values).any():
        raise _Untried(say("probe.untried.no_metric", metric=say(f"metric.{claim.metric}"), model=trace.spec.name))
    if claim.layers is not None:
        return _layers(probe, claim, values, subject)
    times = np.divide(values, even, out=np.full(values.shape, np.nan), where=even > 0)
    heads = measure.ordered(values, times, values)
    short = ["even"] if heads[0].times < TIMES_EVEN - measure.ROUNDING else []
    return _of_shares(probe, subject, heads, claim.share, short)


def _layers(probe: Probe, claim: MetricClaim, values: FloatArray, subject: Subject) -> Outcome:
    """The mean over heads of each layer named; the smallest of them decides."""
    layers = list(claim.layers or ())
    if max(layers) >= len(values):
        raise _Untried(say("probe.untried.no_layer", layer=max(layers), model=subject.name, last=len(values) - 1))
    least = float(values[layers].mean(axis=1).min())
    short = ["below"] if least < claim.share - measure.ROUNDING else []
    return _outcome(probe, subject, short, measured=least, expected=claim.share)


def _of_shares(probe: Probe, subject: Subject, heads: list[Strength], share: float, short: list[str]) -> Outcome:
    if heads[0].value < share - measure.ROUNDING:
        short = ["below", *short]
    strongest = _reaching(heads, lambda strength: strength.value >= share - measure.ROUNDING)
    best = heads[0].value
    return _outcome(probe, subject, short, measured=best, expected=share, strongest=strongest, n_heads=len(heads))


def _reaching(heads: Sequence[Strength], enough: Callable[[Strength], bool]) -> tuple[Strength, ...]:
    """The best head, and all others that reach what is expected."""
    return (heads[0], *(strength for strength in heads[1:] if enough(strength)))


def _outcome(probe: Probe, subject: Subject, short: Sequence[str], **numbers: object) -> Outcome:
    verdict = "not" if short else "holds"
    return Outcome(probe, subject.name, verdict, shortfalls=tuple(short), **numbers)  # type: ignore[arg-type]
