"""Figures that tutorials quote without a source: what of each can be computed, and what was published or measured instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mha_viz.labs.budget import published
from mha_viz.labs.options import Options, one_of
from mha_viz.labs.pitfalls import sources_tried
from mha_viz.labs.pitfalls.base import Told, Trial, claimed, right
from mha_viz.labs.results import summaries, where
from mha_viz.labs.stored import stored
from mha_viz.labs.texts_told import gain_of_heads, in_points

#: The figures, and those of them that say something of a number of heads: published and measured values stand beside them.
FIGURES = ("glue", "interleaved", "masks", "speed", "found", "imdb", "sixteen")
OF_HEADS = ("glue", "imdb", "sixteen")
#: Differences below this are rounding, in float64.
ROUNDING = 1e-9


@dataclass(frozen=True)
class SourcesOptions(Options):
    """Which figure."""

    figure: str = one_of("glue", *FIGURES)


CASES = tuple(SourcesOptions(figure=name) for name in FIGURES)


def try_it(options: SourcesOptions) -> Trial:
    """The chosen figure."""
    if options.figure in OF_HEADS:
        return _of_heads(options.figure)
    return {"interleaved": _interleaved, "masks": _masks, "speed": _speed, "found": _found}[options.figure]()


def _of_heads(figure: str) -> Trial:
    """Nothing to run: no study, model, data or number of runs is named. What is known instead, published and measured."""
    scores = published().scores
    bleu = dict(zip(scores.heads, scores.bleu, strict=True))
    measured = _measured()
    values: dict[str, Any] = {
        "best": max(bleu.values()),
        "one": bleu[1],
        "ahead": max(bleu.values()) - bleu[1],
        "eight": bleu[8],
        "sixteen": bleu[16],
        **measured["told"],
    }
    return Trial(
        claim=Told(f"pitfalls.sources.{figure}.claim"),
        outcome="unknown",
        verdict=Told(f"pitfalls.sources.{figure}.verdict", values),
        instead=Told(f"pitfalls.sources.{figure}.instead"),
        found={
            "heads": list(scores.heads),
            "bleu": list(scores.bleu),
            "perplexity": list(scores.perplexity),
            "measured": measured["points"],
            "measured_first": figure == "imdb",
        },
    )


def _measured() -> dict[str, Any]:
    """The lab on movie snippets: shares of texts that are sorted rightly by nets of equal size, by their number of heads."""
    rows = where(stored("texts").rows, data="movies")
    gain = gain_of_heads(rows)
    assert gain is not None  # the stored result has several numbers of heads
    few, many, difference = gain
    nets = summaries(where(rows, kind="net"), "heads", "final")
    told = {
        "few": few,
        "many": many,
        "seeds": difference.n,
        "gain": in_points(difference.mean),
        "half": 100 * (difference.half or 0.0),
        "few_right": 100 * next(one.mean for one in nets if one.by == few),
        "many_right": 100 * next(one.mean for one in nets if one.by == many),
    }
    return {"told": told, "points": [[one.by, list(one.values), one.half] for one in nets]}


def _interleaved() -> Trial:
    """Both ways to cut a projection into heads, with one set of matrices put in the other's order."""
    found = sources_tried.both_layouts()
    same = found["output"] < ROUNDING and found["maps"] < ROUNDING
    return Trial(
        claim=Told("pitfalls.sources.interleaved.claim"),
        outcome="false" if same else "unknown",
        verdict=Told(
            f"pitfalls.sources.interleaved.{'same' if same else 'other'}",
            {"output": found["output"], "maps": found["maps"]},
        ),
        instead=Told("pitfalls.sources.interleaved.instead"),
        code=(claimed(sources_tried.interleaved), right(sources_tried.contiguous)),
        found=found,
    )


def _masks() -> Trial:
    """No text, model or score is named; what a window does to far tokens can be computed."""
    found = sources_tried.reach()
    blind = found["beyond"] == 0
    return Trial(
        claim=Told("pitfalls.sources.masks.claim"),
        outcome="unknown",
        verdict=Told(
            f"pitfalls.sources.masks.{'blind' if blind else 'sees'}",
            {"window": found["window"], "beyond": found["beyond"], "whole": found["whole"]},
        ),
        instead=Told("pitfalls.sources.masks.instead"),
        code=(claimed(sources_tried.windowed),),
        found=found,
    )


def _speed() -> Trial:
    """Whether the module with a LayerNorm on its scores can be trained on texts at all."""
    rows = sources_tried.lengths()
    fine = [row for row in rows if row[1] == "runs" and row[2] == "finite"]
    able = len(fine) == len(rows)
    values = {
        "n": len(rows),
        "runs": sum(row[1] == "runs" for row in rows),
        "width": sources_tried.WIDTH,
        "finite": sum(row[2] == "finite" for row in rows),
    }
    return Trial(
        claim=Told("pitfalls.sources.speed.claim"),
        outcome="unknown" if able else "false",
        verdict=Told(f"pitfalls.sources.speed.{'able' if able else 'unable'}", values),
        instead=Told("pitfalls.sources.speed.instead"),
        code=(claimed(sources_tried.normed_scores),),
        found={"table": rows},
    )


def _found() -> Trial:
    """Both checks on modules with a planted fault, each of them wrong for a known reason."""
    rows = sources_tried.faults_found()
    share = sum(found for _, found in rows) / len(rows)
    values = {"n": len(rows), "found": sum(found for _, found in rows), "share": share}
    held = share >= 0.9
    return Trial(
        claim=Told("pitfalls.sources.found.claim"),
        outcome="holds" if held else "false",
        verdict=Told(f"pitfalls.sources.found.{'most' if held else 'few'}", values),
        instead=Told("pitfalls.sources.found.instead"),
        code=(claimed(sources_tried.shape_kept), claimed(sources_tried.gradients_calm)),
        found={"faults": [[name, found] for name, found in rows]},
    )
