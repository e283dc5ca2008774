"""Which heads matter, in four ways and how far those agree; what is left when the least important ones are removed for good."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from mha_viz.analysis.agreement import rank_agreement
from mha_viz.figures.bars import Bars, bars
from mha_viz.figures.trials import Level, Points, scores
from mha_viz.figures.worth import RANKED, ranked_panel
from mha_viz.labs.plans import SUBJECTS, PrunedOptions, WorthOptions
from mha_viz.labs.results import LabResult, Row, half_interval, summaries, where
from mha_viz.ui import heatmaps, labs
from mha_viz.ui.page_views import MATTER_PARTS
from mha_viz.words import say

#: The measures in the order in which they are drawn, and which are compared.
_METHODS = ("weight", "gradient", "zero", "uniform")
_PAIRS = (("weight", "zero"), ("gradient", "zero"), ("gradient", "uniform"), ("zero", "uniform"))
_ORDERS = ("gradient", "zero", "random")
#: How alike two orders are, from which rank correlation on; "matter.alike.NAME".
_ALIKE = ((0.9, "same"), (0.7, "much"), (0.4, "partly"), (-0.4, "hardly"), (-2.0, "against"))
#: Seconds on a usual computer for one net and for MiniLM.
_SECONDS = {"importance": (4, 40), "removing": (6, 120)}
#: Names along the axis of a curve; the share of the score that is as good as all of it.
_MOST_TICKS, _ENOUGH = 10, 0.9
#: A head that has at least this mean weight on a slot is said to read it.
_READS = 0.5


def render() -> None:
    """The choice of a model and of what to see."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = _choice("part", MATTER_PARTS)
        model = _choice("model", SUBJECTS)
        seeds = 1
        if model != "minilm" or part == "removing":
            seeds = int(
                st.number_input(say("matter.seeds"), 1, 20, 1, key="matter_seeds", width=130, persist_state="session")
            )
    one, bert = _SECONDS[part]
    about = say("matter.about", seconds=bert if model == "minilm" else one * seeds)
    if part == "importance":
        labs.show("worth", WorthOptions(models=(model,), seeds=seeds), partial(_draw_worth, model), about)
    else:
        labs.show("pruned", PrunedOptions(models=(model,), seeds=seeds), partial(_draw_pruned, model), about)


def _choice(name: str, options: Sequence[str]) -> str:
    return str(
        st.segmented_control(
            say(f"matter.{name}"),
            options,
            key=f"matter_{name}",
            required=True,
            format_func=lambda option: say(f"matter.{name}.{option}"),
            persist_state="session",
        )
    )


def _rows(result: LabResult, model: str) -> list[Row]:
    """Those of a model, or of the first one that there is."""
    return where(result.rows, model=model) or where(
        result.rows, model=result.rows[0]["model"] if result.rows else model
    )


def _draw_worth(model: str, result: LabResult) -> None:
    rows = _rows(result, model)
    if not rows:
        return
    seeds = sorted({row["seed"] for row in rows})
    if len(rows[0]["values"]) > 1:
        _panels(rows)
        _agreements(rows, seeds)
        return
    left, right = st.columns([5, 3], gap="medium")
    with right:
        seed = _seed(seeds)
        _agreements(rows, seeds)
    with left:
        _net_bars(where(rows, seed=seed))


def _values(rows: Sequence[Row], seed: int, method: str) -> np.ndarray:
    """(layer, head) of one measure."""
    return np.array(where(rows, seed=seed, method=method)[0]["values"], dtype=np.float64)


def _share(values: np.ndarray) -> np.ndarray:
    """In percent of all heads together."""
    return 100 * values / max(float(values.sum()), 1e-30)


def _panels(rows: Sequence[Row]) -> None:
    """A matrix of layers and heads for each measure, all in one scale."""
    found = {row["method"]: _share(np.array(row["values"])) for row in rows}
    highest = max(float(shares.max()) for shares in found.values())
    for column, method in zip(st.columns(len(_METHODS), gap="small"), _METHODS, strict=True):
        if method not in found:
            continue
        with column:
            title = say(f"importance.method.{method}")
            st.markdown(f"**{title}**")
            heatmaps.show(ranked_panel(found[method], highest), f"matter_{method}", say("importance.alt", method=title))
    loss = where(rows, method="zero")[0]
    better = int((np.array(loss["signed"]) < 0).sum())
    total = np.array(loss["values"]).size
    samples = loss["samples"]
    named = say(f"importance.loss.{loss['loss']}")
    told = say("matter.panels", ranked=RANKED, highest=f"{highest:.1f}", loss=named, samples=samples)
    st.caption(told + " " + say("matter.better", n=better, total=total, samples=samples))


def _seed(seeds: Sequence[int]) -> int:
    """Whose heads are drawn; heads of one number have nothing in common in two nets."""
    if len(seeds) == 1:
        return seeds[0]
    chosen = st.segmented_control(say("matter.seed"), seeds, key="matter_seed", default=seeds[0], required=True)
    return chosen if chosen in seeds else seeds[0]


def _net_bars(own: Sequence[Row]) -> None:
    """A group of bars for each head of one net."""
    seed, methods = own[0]["seed"], [method for method in _METHODS if where(own, method=method)]
    series = [
        Bars(say(f"importance.method.{name}"), _share(_values(own, seed, name))[0].round(2).tolist())
        for name in methods
    ]
    figure = bars(series, [_head(*one) for one in enumerate(own[0]["slots"])], say("importance.share"))
    heatmaps.show(figure, "matter_bars", say("matter.bars.alt"))
    st.caption(say("matter.bars", score=f"{own[0]['score']:.3f}", least=f"{_READS:g}"))


def _head(number: int, slots: Sequence[float]) -> tuple[str, str]:
    """A head of a net and what it reads."""
    slot = int(np.argmax(slots))
    return f"H{number}", say("matter.slot", slot=slot) if slots[slot] >= _READS else "–"


def _agreements(rows: Sequence[Row], seeds: Sequence[int]) -> None:
    """The rank correlation of each two measures, over all heads of a model; of several nets their mean."""
    table = []
    for one, other in _PAIRS:
        there = [seed for seed in seeds if all(where(rows, seed=seed, method=name) for name in (one, other))]
        found = [rank_agreement(_values(rows, seed, one), _values(rows, seed, other)) for seed in there]
        if not found:
            continue
        pair = say("matter.pair", one=say(f"importance.method.{one}"), other=say(f"importance.method.{other}"))
        mean, half = float(np.mean(found)), half_interval(found)
        number = "–" if np.isnan(mean) else f"{mean:.2f}" + (f" ± {half:.2f}" if half is not None else "")
        table.append({say("matter.pair.title"): pair, say("matter.rank"): number, say("matter.words"): _alike(mean)})
    st.dataframe(table, hide_index=True, width="stretch")
    if naive := where(rows, method="weight"):
        st.caption(say("matter.weight", share=f"{np.mean(naive[0]['values']):.3g}"))
    st.caption(say("matter.agreement" if len(seeds) > 1 else "matter.agreement.one", n=len(seeds)))


def _alike(agreement: float) -> str:
    if np.isnan(agreement):
        return say("matter.alike.none")
    return say(f"matter.alike.{next(name for least, name in _ALIKE if agreement >= least)}")


def _draw_pruned(model: str, result: LabResult) -> None:
    rows = _rows(result, model)
    curves, speeds = where(rows, kind="curve"), where(rows, kind="speed")
    if curves:
        left, right = st.columns([1, 1], gap="medium")
        with left:
            _curves(curves)
        if speeds:
            with right:
                _times(speeds)
    if speeds:
        _sizes(speeds)
        st.info(say("matter.not_removing", apart=_at_most(max(row["apart"] for row in speeds))), icon=":material/info:")
    st.caption(say("matter.published"))


def _curves(rows: Sequence[Row]) -> None:
    """The score against the number of heads that are gone, an order beside another."""
    counts = rows[0]["removed"]
    series = []
    for order in _ORDERS:
        flat = [
            {"at": at, "score": score} for row in where(rows, order=order) for at, score in enumerate(row["scores"])
        ]
        found = summaries(flat, "at", "score")
        if found:
            name = say(f"matter.order.{order}")
            series.append(Points(name, [one.values for one in found], [one.half for one in found]))
    every = -(-len(counts) // _MOST_TICKS)
    places = [str(count) if at % every == 0 else "" for at, count in enumerate(counts)]
    known = any(value is not None for value in rows[0]["best"])
    levels = [Level(say("matter.best"), rows[0]["best"])] if known else []
    title = say(f"matter.score.{rows[0]['model']}")
    figure = scores(series, places, say("figure.removed"), title, levels=levels, span=(-0.05, 1.05))
    heatmaps.show(figure, "matter_curves", say("matter.curves.alt"))
    kept = [say("matter.kept.by", order=one.name, n=_kept(one, counts)) for one in series]
    told = say("matter.kept", share=f"{100 * _ENOUGH:.0f}", orders="; ".join(kept), total=counts[-1])
    st.caption(told + " " + say("matter.curves", n=len(where(rows, order="random"))))


def _kept(one: Points, counts: Sequence[int]) -> int:
    """How many heads can go while every mean up to there is at least _ENOUGH of the first one."""
    means = [float(np.mean(values)) for values in one.values]
    below = [at for at, mean in enumerate(means) if mean < _ENOUGH * means[0]]
    return counts[below[0] - 1] if below else counts[-1]


def _times(rows: Sequence[Row]) -> None:
    """Time of the silenced and of the pruned model as shares of the full one's."""
    places = [(say("matter.gone", n=row["removed"]), say("matter.batch", n=row["batch"])) for row in _by_batch(rows)]
    series = [Bars(say(f"matter.{kind}"), [row[f"{kind}_ratio"] for row in _by_batch(rows)]) for kind in _KINDS]
    heatmaps.show(
        bars(series, places, say("matter.time"), level=1.0, colours=(1, 2)), "matter_times", say("matter.times.alt")
    )
    most = _by_batch(rows)[-1]
    st.caption(
        say(
            "matter.times",
            n=most["removed"],
            total=most["heads"],
            batch=most["batch"],
            tokens=most["tokens"],
            silenced=f"{most['silenced_ratio']:.2f}",
            pruned=f"{most['pruned_ratio']:.2f}",
        )
    )


_KINDS = ("silenced", "pruned")


def _by_batch(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row["batch"], row["removed"]))


def _sizes(rows: Sequence[Row]) -> None:
    """Parameters, bytes and milliseconds, before and after."""
    table = [
        {
            say("matter.table.removed"): f"{row['removed']} / {row['heads']}",
            say("matter.table.batch"): row["batch"],
            say("matter.table.parameters"): f"{row['full_parameters']:,} → {row['parameters']:,}",
            say("matter.table.bytes"): f"{row['full_bytes'] / 1e6:,.3f} → {row['bytes'] / 1e6:,.3f}",
            say("matter.table.full"): f"{row['full_ms']:.4g}",
            say("matter.table.silenced"): f"{row['silenced_ms']:.4g}  (× {row['silenced_ratio']:.2f})",
            say("matter.table.pruned"): f"{row['pruned_ms']:.4g}  (× {row['pruned_ratio']:.2f})",
        }
        for row in _by_batch(rows)
    ]
    st.dataframe(table, hide_index=True, width="stretch")
    last = rows[-1]
    each = (last["full_parameters"] - last["parameters"]) // last["removed"]
    share = 100 * each * last["heads"] / last["full_parameters"]
    told = say("matter.sizes", each=f"{each:,}", heads=last["heads"], share=f"{share:.0f}")
    st.caption(told + " " + say("matter.rounds", rounds=min(row["rounds"] for row in rows), tokens=last["tokens"]))


def _at_most(value: float) -> str:
    """The least bound of one figure that holds."""
    power = 10.0 ** np.floor(np.log10(value)) if value > 0 else 1.0
    return f"{np.ceil(value / power - 1e-9) * power:.0e}"
