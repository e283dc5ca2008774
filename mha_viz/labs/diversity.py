"""What a regulariser did, seed by seed against none: to the score, and to how far the heads are apart. Without torch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mha_viz.labs.pairs import Verdict, difference, verdict
from mha_viz.labs.results import Row, Summary, where


class Effect(NamedTuple):
    """One kind at one strength.

    Attributes:
        kind, strength: of the regulariser.
        score, maps, outputs: what it has more than none, over the seeds that both have: score, mean distance by map and by
            output.
    """

    kind: str
    strength: float
    score: Summary
    maps: Summary
    outputs: Summary

    def apart(self, by: str) -> Summary:
        """Its change of the distances ``by`` "map" or "output"."""
        return self.maps if by == "map" else self.outputs


def effects(rows: Sequence[Row]) -> list[Effect]:
    """Every kind at every strength that has a seed in common with none, in the order of the rows.

    Args:
        rows: of one task and one number of heads.
    """
    settings = dict.fromkeys((row["kind"], row["strength"]) for row in rows if row["kind"] != "none")
    found = []
    for kind, strength in settings:
        changes = [_change(rows, kind, strength, name) for name in ("score", "map_diversity", "output_diversity")]
        score, maps, outputs = changes
        if score is not None and maps is not None and outputs is not None:
            found.append(Effect(kind, strength, score, maps, outputs))
    return found


def _change(rows: Iterable[Row], kind: str, strength: float, name: str) -> Summary | None:
    renamed = [row | {"score": row[name]} for row in rows]
    return difference(renamed, {"kind": kind, "strength": strength}, {"kind": "none"})


class Tally(NamedTuple):
    """Whether more diversity gives a better score.

    Attributes:
        n: regularisers that were tried.
        diverse: those that move the heads apart beyond the noise.
        better, worse: of these, the ones that score better or worse than none beyond the noise.
        known: False if one seed tells nothing of the noise.
    """

    n: int
    diverse: int
    better: int
    worse: int
    known: bool


def tally(found: Sequence[Effect], by: str) -> Tally:
    """Counted over the effects; ``by`` "map" or "output" is the distance that tells diversity."""
    diverse = [one for one in found if verdict(one.apart(by)) == "more"]
    scores: list[Verdict] = [verdict(one.score) for one in diverse]
    known = all(verdict(one.score) != "few" for one in found)
    return Tally(len(found), len(diverse), scores.count("more"), scores.count("less"), known)


def best_of_none(rows: Sequence[Row]) -> float:
    """The mean score without a regulariser; NaN if there is none."""
    scores = [float(row["score"]) for row in where(rows, kind="none")]
    return sum(scores) / len(scores) if scores else float("nan")
