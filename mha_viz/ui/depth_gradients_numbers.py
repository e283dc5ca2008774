"""Of stacks: the gradient of the last layer against that of a stack of two, and the numbers of every kind."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha_viz.figures.charts import Line, lines
from mha_viz.labs.magnitudes import magnitude
from mha_viz.labs.plans_depth import STACK_KINDS
from mha_viz.labs.results import Row, Summary, summary_of, where
from mha_viz.ui import heatmaps
from mha_viz.words import say

#: What others are compared with: the shallowest stack of the theorem's comparison.
_FEWEST = 2
#: Kinds whose last layer's gradient the theorem is about.
_COMPARED = ("post", "pre")
_TABLE = 180  # pixels: four rows and the head


def last_matrix(rows: Sequence[Row]) -> str:
    """The matrix whose gradient is compared: W_2 of the FFN, W_O where there is none."""
    return "ffn2" if "ffn2" in rows[0] else "out"


def ratios(rows: Sequence[Row], kind: str) -> list[Summary]:
    """The last layer's gradient over weight, divided by that of the stack of two with the same seed, for each depth."""
    name = last_matrix(rows)
    base = {row["seed"]: row[name][-1] for row in where(rows, kind=kind, layers=_FEWEST)}
    found = []
    for depth in sorted({row["layers"] for row in rows if row["layers"] >= _FEWEST}):
        values = [
            row[name][-1] / base[row["seed"]]
            for row in where(rows, kind=kind, layers=depth)
            if base.get(row["seed"]) and row[name][-1] is not None
        ]
        if values:
            found.append(summary_of(depth, values))
    return found


def by_depth(rows: Sequence[Row], shown: int) -> None:
    """The last layer's gradient against depth, beside what theory says of stacks with FFN; the depth ``shown`` is told."""
    series, told = [], []
    for colour, kind in enumerate(STACK_KINDS):
        found = ratios(rows, kind) if kind in _COMPARED else []
        if found:
            at, means = [one.by for one in found], [one.mean for one in found]
            series.append(Line(say(f"stacks.kind.{kind}"), at, means, [one.half for one in found], colour=colour))
            told += [
                say("stacks.ratio", n=one.by, kind=say(f"stacks.kind.{kind}"), ratio=_with_half(one))
                for one in found
                if one.by == shown > _FEWEST
            ]
    if not series:
        st.info(say("stacks.no_two"), icon=":material/info:")
        return
    at = sorted({x for line in series for x in line.at})
    with_ffn = last_matrix(rows) == "ffn2"
    if with_ffn:
        theory = [(_FEWEST / x) ** 0.5 for x in at]
        series.append(Line(say("stacks.theory"), at, theory, formula=True, colour=-1))
    matrix = say(f"stacks.matrix.{last_matrix(rows)}")
    figure = lines(series, say("stacks.axis.layers"), say("stacks.axis.ratio"), log_x=True, span=(0.0, _top(series)))
    heatmaps.show(figure, "stacks_ratios", say("stacks.ratios.alt", matrix=matrix))
    caption = [say("stacks.ratios.caption", matrix=matrix), *told]
    if any(half is not None for line in series for half in line.halves or ()):
        caption.append(say("stacks.ratios.means"))
    st.caption(" ".join([*caption, say("stacks.ratios.theory")] if with_ffn else caption))


def _top(series: Sequence[Line]) -> float:
    return 1.1 * max(
        (value or 0.0) + (half or 0.0)
        for line in series
        for value, half in zip(line.values, line.halves or [0.0] * len(line.values), strict=True)
    )


def seeds_told(rows: Sequence[Row]) -> str:
    """What a point and a number of the table are made of."""
    counts = {len(where(rows, kind=kind)) for kind in STACK_KINDS} - {0}
    if counts == {1}:
        return say("stacks.one_seed")
    told = say("stacks.seeds", n=max(counts)) if len(counts) == 1 else say("stacks.seeds.some")
    return f"{told} {say('stacks.seeds.even')}" if any(n % 2 == 0 for n in counts) else told


def table(rows: Sequence[Row], shown: Sequence[Row]) -> None:
    """A line for each kind at the depth that is shown: diversity, first and last gradients, the ratio to the stack of two."""
    st.markdown(f"{say('stacks.table', n=shown[0]['layers'])} {seeds_told(shown)}")
    columns: dict[str, list[object]] = {}
    for kind in STACK_KINDS:
        of_kind = where(shown, kind=kind)
        if of_kind:
            for title, value in _numbers(rows, of_kind).items():
                columns.setdefault(title, []).append(value)
    st.dataframe(columns, hide_index=True, width="stretch", height=_TABLE)


def _numbers(rows: Sequence[Row], of_kind: Sequence[Row]) -> dict[str, object]:
    kind, depth = of_kind[0]["kind"], of_kind[0]["layers"]
    ratio = [one for one in ratios(rows, kind) if one.by == depth] if kind in _COMPARED else []
    line: dict[str, object] = {say("stacks.kind"): say(f"stacks.kind.{kind}")}
    line[say("stacks.axis.diversity")] = _middle(of_kind, "diversity", -1)
    for name in ("query", "value", last_matrix(of_kind)):
        matrix = say(f"stacks.matrix.{name}")
        line[say("stacks.first", matrix=matrix)] = _middle(of_kind, name, 0)
        line[say("stacks.last", matrix=matrix)] = _middle(of_kind, name, -1)
    line[say("stacks.axis.ratio")] = _with_half(ratio[0]) if ratio else ""
    line[say("stacks.loss")] = _middle(of_kind, "loss")
    line[say("lookup_parts.n_seeds")] = len(of_kind)
    return line


def _with_half(found: Summary) -> str:
    return f"{found.mean:.2f}" + ("" if found.half is None else f" ± {found.half:.2f}")


def _middle(rows: Sequence[Row], name: str, place: int | None = None) -> str:
    """The middle seed, and how far all reach; a seed without a number any more makes it none."""
    found = magnitude([row[name] if place is None else row[name][place] for row in rows])
    if found is None:
        return say("stacks.no_number")
    if len(rows) == 1:
        return digits(found.middle)
    return say("stacks.reach", middle=digits(found.middle), low=digits(found.low, 2), high=digits(found.high, 2))


def digits(value: float, n: int = 3) -> str:
    """A number with so many digits, without an exponent from 0.001 to a million."""
    text = f"{value:,.0f}" if 10**n <= abs(value) < 1e6 else f"{value:.{n}g}"
    return text.replace("-", "\u2212")
