"""Real text: what each number of heads reaches at equal parameters, how it is learnt, and what it costs."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import streamlit as st

from mha_viz.figures.trials import Course, Level, Points, courses, scores
from mha_viz.labs.plans import SWITCH, TEXTS, TextOptions
from mha_viz.labs.results import LabResult, Row, Summary, half_interval, summaries, where
from mha_viz.labs.texts_data import KNOWN, LONGEST
from mha_viz.labs.texts_told import gain_of_heads, gain_of_words, in_points, mean_course
from mha_viz.ui import heatmaps, labs, shuffled_view, views
from mha_viz.words import say

#: Divisors of the nets' d_model, 64.
HEADS = (1, 2, 4, 8, 16, 32)
#: Seconds of a training of 8 epochs and 1 layer on a usual computer, and of each layer more. Long texts: from a few of its steps.
_SECONDS = {"movies": (25, 15), "sms": (10, 6), "imdb": (1_300, 1_200)}
_FORMATS = {
    "parameters": "localized",
    "accuracy": "%.4f",
    "half": "%.4f",
    "train": "%.4f",
    "best": "%.1f",
    "seconds": "%.2f",
}
#: The least gain that tutorials promise, as a share.
PROMISED = 0.02


def _whole(name: str, most: int, first: int) -> int:
    title = say(f"texts.{name}")
    return int(st.number_input(title, 1, most, first, key=f"texts_{name}", width=110, persist_state="session"))


def render() -> None:
    """The options, what the trainings gave, and the order of the words."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        data = views.pick("texts_data", say("texts.data"), TEXTS, TEXTS[0], _name)
        heads = st.multiselect(
            say("texts.heads"), HEADS, default=(1, 8), key="texts_heads", width=220, persist_state="session"
        )
        layers, seeds, epochs = _whole("layers", 4, 1), _whole("seeds", 20, 3), _whole("epochs", 50, 8)
        positions = st.toggle(
            say("texts.positions"),
            value=True,
            key="texts_positions",
            help=say("texts.positions.help"),
            persist_state="session",
        )
    if data == "imdb":
        st.caption(say("texts.imdb", n=LONGEST))
    if not heads:
        st.info(say("texts.no_heads"), icon=":material/info:")
        return
    options = TextOptions(
        data=(data,),
        heads=tuple(sorted(heads)),
        layers=layers,
        seeds=seeds,
        epochs=epochs,
        positions=SWITCH[not positions],
    )
    labs.show("texts", options, functools.partial(_draw, data), _about(options))
    with st.expander(say("texts.how"), icon=":material/construction:"):
        st.markdown(say("texts.how.told", known=f"{KNOWN:,}", longest=LONGEST))
    st.subheader(say("texts.shuffled"), anchor=False)
    shuffled_view.render(data, layers)


def _name(data: str) -> str:
    return say(f"texts.data.{data}")


def _n_heads(n: int) -> str:
    return say("texts.n_heads.one") if n == 1 else say("texts.n_heads.many", n=n)


def _about(options: TextOptions) -> str:
    first, more = _SECONDS[options.data[0]]
    one = (first + more * (options.layers - 1)) * options.epochs / 8
    n = options.seeds * len(options.heads)
    return say("texts.about", n=n, minutes=max(1, round(n * one / 60)))


def _draw(data: str, result: LabResult) -> None:
    """``data``: what the page shows of results that have several data sets."""
    live = [result.live] if result.live else []
    rows = where([*result.rows, *live], data=data)
    if not rows:
        tried = ", ".join(_name(name) for name in TEXTS if where(result.rows, data=name))
        st.info(say("texts.untried", data=_name(data), tried=tried), icon=":material/info:")
        return
    nets = where(rows, kind="net")
    done = [row for row in nets if "final" in row]
    words = where(rows, kind="words")
    finished = [*done, *words]
    heads, counted = gain_of_heads(finished), gain_of_words(finished)
    told = [_verdict(*heads)] if heads is not None else []
    st.markdown(" ".join([*told, _against(counted)] if counted is not None else told))
    left, right = st.columns(2)
    with left:
        _accuracies(done, words, sorted({row["heads"] for row in nets}.union(result.options.get("heads", ()))))
    with right:
        _courses([row for row in nets if row.get("accuracy")])
    if done:
        _table(done, words)


def _accuracies(nets: Sequence[Row], words: Sequence[Row], heads: Sequence[int]) -> None:
    """Final accuracy by number of heads, beside counts of words; ``heads`` have a place before they have a value."""
    found = {one.by: one for one in summaries(nets, "heads", "final")}
    values = [found[n].values if n in found else () for n in heads]
    points = Points(say("texts.nets"), values, [found[n].half if n in found else None for n in heads])
    levels = [Level(say("texts.words"), float(np.mean([row["final"] for row in words])))] if words else []
    places = [str(n) for n in heads]
    figure = scores([points], places, say("texts.by_heads"), say("texts.accuracy"), levels=levels)
    heatmaps.show(figure, "texts_scores", say("texts.scores.alt"))
    n_seeds = max((one.n for one in found.values()), default=0)
    if n_seeds:
        st.caption(say("texts.scores", n=n_seeds) if n_seeds > 1 else say("texts.scores.one"))


def _courses(nets: Sequence[Row]) -> None:
    """Validation against training, the mean of the seeds of each number of heads; one at work, while there is no other."""
    groups = {heads: where(nets, heads=heads) for heads in sorted({row["heads"] for row in nets})}
    measure = st.session_state.get("texts_measure", "accuracy")
    runs = []
    for heads, all_rows in groups.items():
        rows = [row for row in all_rows if "final" in row] or all_rows
        for prefix in ("", "train_"):
            values = mean_course(rows, prefix + measure)
            runs.append(Course(_n_heads(heads), range(1, len(values) + 1), values, dashed=bool(prefix)))
    heatmaps.show(courses(runs, say("texts.epoch"), say(f"texts.{measure}")), "texts_courses", say("texts.courses.alt"))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(say("texts.courses"))
        st.segmented_control(
            say("texts.measure"),
            ("accuracy", "loss"),
            default="accuracy",
            required=True,
            key="texts_measure",
            format_func=lambda name: say(f"texts.{name}"),
            label_visibility="collapsed",
            persist_state="session",
        )


def _verdict(low: int, high: int, gain: Summary) -> str:
    """Whether more heads are worth something beyond the noise."""
    if gain.half is None:
        return say("texts.verdict.one", low=low, high=high, mean=in_points(gain.mean))
    least, most = gain.mean - gain.half, gain.mean + gain.half
    sentence = say(
        "texts.verdict.differs" if gain.differs else "texts.verdict.same",
        low=low,
        high=high,
        mean=in_points(gain.mean),
        least=in_points(least),
        most=in_points(most),
        n=gain.n,
    )
    promise = "out" if most < PROMISED else "met" if least >= PROMISED else "in"
    return f"{sentence} {say(f'texts.promise.{promise}')}"


def _against(gain: Summary) -> str:
    """What counting words gains on the nets."""
    if gain.half is None:
        return say("texts.words.one", mean=in_points(gain.mean))
    least, most = in_points(gain.mean - gain.half), in_points(gain.mean + gain.half)
    return say("texts.words.several", mean=in_points(gain.mean), least=least, most=most)


def _table(nets: Sequence[Row], words: Sequence[Row]) -> None:
    """The numbers, one line for each number of heads, and what they are compared with and made of."""
    lines = [_line(where(nets, heads=heads)) for heads in sorted({row["heads"] for row in nets})]
    columns = {say(f"texts.column.{name}"): [line[name] for line in lines] for name in lines[0]}
    formats = {
        say(f"texts.column.{name}"): st.column_config.NumberColumn(format=form, help=say(f"texts.column.{name}.help"))
        for name, form in _FORMATS.items()
    }
    st.dataframe(columns, column_config=formats, hide_index=True, width="stretch")
    st.caption(" ".join([*_compared(nets, words), _facts(nets)]))


def _compared(nets: Sequence[Row], words: Sequence[Row]) -> list[str]:
    """What counting words and no work at all reach on the same texts."""
    told = []
    if words:
        values = [row["final"] for row in words]
        half = half_interval(values)
        interval = "" if half is None else f" ± {half:.4f}"
        told.append(say("texts.words.reach", value=f"{np.mean(values):.4f}", interval=interval))
    return [*told, say("texts.commonest", value=f"{np.mean([row['commonest'] for row in nets]):.4f}")]


def _facts(nets: Sequence[Row]) -> str:
    first, counts = nets[0], {row["parameters"] for row in nets}
    told = say(
        "texts.facts",
        data=_name(first["data"]),
        n_train=f"{first['n_train']:,}",
        n_validation=f"{first['n_validation']:,}",
        layers=first["layers"],
        positions=say(f"texts.positions.{first['positions']}"),
        d_model=first["d_model"],
    )
    return f"{told} {say('texts.equal', n=f'{counts.pop():,}')}" if len(counts) == 1 else told


def _line(rows: Sequence[Row]) -> dict[str, object]:
    found = summaries(rows, "heads", "final")[0]
    return {
        "what": _n_heads(found.by),
        "d_k": rows[0]["d_model"] // found.by,
        "parameters": rows[0]["parameters"],
        "accuracy": found.mean,
        "half": found.half,
        "train": float(np.mean([row["train_accuracy"][-1] for row in rows])),
        "best": float(np.mean([row["best_epoch"] for row in rows])),
        "seconds": float(np.mean([np.mean(row["epoch_seconds"]) for row in rows])),
    }
