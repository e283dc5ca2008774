"""Two runs side by side: A, which is held, and B, the present one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import streamlit as st

from mha_viz import figures
from mha_viz.analysis.align import Alignment, align_runs
from mha_viz.analysis.compare import HeadChanges, head_changes, head_difference, measure_sentence
from mha_viz.analysis.reading import Shown
from mha_viz.analysis.sizes import RankedHead, by_depth, rank_heads
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError, MhaVizError
from mha_viz.figures.labels import visible_text
from mha_viz.figures.overview import Caption, thumbnails
from mha_viz.metrics import METRICS
from mha_viz.trace import Reading
from mha_viz.ui import cache, focus, heatmaps, held, measures, notices, overview, picking, ranking, work
from mha_viz.ui import pictures as taken
from mha_viz.ui.choices import current_colour
from mha_viz.ui.plain import as_markdown, escaped, shortened
from mha_viz.ui.run import Run
from mha_viz.words import say

MATRIX_KEY, HEAD_KEY, METRIC_KEY = "change_matrix", "change_heatmap", "metric_change"
_TABLE, _RANKED = "changed_table", "_changed_order"
#: Heads of each model that are listed for a pair of words.
_LISTED = 10
#: Characters of a sentence that are shown.
_LONGEST = 90


class Two(NamedTuple):
    """Two runs, and how their tokens go together.

    Attributes:
        a, b: the runs.
        read_a, read_b: as they are read: by words where the models differ.
        alignment: of what is read.
    """

    a: Run
    b: Run
    read_a: Reading
    read_b: Reading
    alignment: Alignment

    @property
    def same_model(self) -> bool:
        """Whether head by head there is something to compare."""
        return self.a.trace.spec == self.b.trace.spec

    @property
    def key(self) -> str:
        """One string for both runs."""
        return repr([cache.view_key(one.choices, one.controls) for one in (self.a, self.b)])


def both(ran: Run) -> Two | None:
    """A and B; None if nothing is held or A cannot be run, and the page has said so."""
    if not held.query():
        st.info(say("compare.nothing_held"), icon=":material/bookmark_add:")
        return None
    try:
        with st.spinner(say("compare.running"), show_time=True):
            first = held.run()
    except MhaVizError as problem:
        notices.say_error(problem)
        st.caption(say("compare.a_failed"))
        return None
    pair = align_runs(first.trace, ran.trace)
    return Two(first, ran, pair.a, pair.b, pair.alignment)


def introduce(two: Two) -> None:
    """What A and B are, and how their tokens go together."""
    lines = "".join(
        f"<div><b>{name}</b> {escaped(_described(run))}</div>" for name, run in (("A", two.a), ("B", two.b))
    )
    st.html(f"<div class='mha-two'>{lines}</div>")
    parts = "".join(_token(pair.kind, pair.a, pair.b) for pair in two.alignment.lines)
    st.html(f"<div class='mha-aligned' role='list' aria-label='{escaped(say('compare.tokens'))}'>{parts}</div>")
    st.caption(two.alignment.sentence)


def _described(run: Run) -> str:
    """Model and sentence of a run, and that something was changed inside."""
    text = shortened(" / ".join(filter(None, (run.choices.text.first, run.choices.text.second))), _LONGEST)
    changed = run.controls != Controls() or run.choices.text.edits
    return say("compare.changed" if changed else "compare.plain", model=run.choices.name, text=text)


def _token(kind: str, a: str, b: str) -> str:
    """One aligned pair: what is only in A is struck out, what is only in B is underlined."""
    gone = f"<del>{escaped(visible_text(a))}</del>" if kind in ("deleted", "replaced") else ""
    new = f"<ins>{escaped(visible_text(b))}</ins>" if kind in ("inserted", "replaced") else ""
    text = gone + new or escaped(visible_text(b))
    return f"<span role='listitem' dir='auto' class='mha-{kind}'>{text}</span>"


def _heads(two: Two) -> None:
    """How much every head changed, and the chosen one cell by cell."""
    if not two.same_model:
        st.info(say("compare.other_model"), icon=":material/info:")
        return
    changes = work.result("changes", two.key, lambda: head_changes(two.read_a, two.read_b, alignment=two.alignment))
    if changes is None:
        return
    left, right = st.columns([5, 6], gap="small")
    with left:
        st.markdown(say("compare.matrix"))
        chosen = HeadId(two.b.choices.layer, two.b.choices.head)
        heatmaps.show(figures.change_matrix(changes, chosen=chosen), MATRIX_KEY, say("compare.matrix_alt"))
        st.caption(changes.sentence)
        _ranked(changes)
        st.caption(measure_sentence())
    with right:
        _one(two)


def _ranked(changes: HeadChanges) -> None:
    """Heads from the most to the least changed; a click on a row chooses one."""
    n_heads = changes.distance.shape[1]
    heads = [HeadId(*divmod(int(place), n_heads)) for place in changes.order]
    st.session_state[_RANKED] = heads
    columns = {
        say("compare.head"): list(map(str, heads)),
        say("changes.distance"): [float(changes.distance[head]) for head in heads],
        say("compare.cells"): [float(changes.cells[head]) for head in heads],
    }
    number = st.column_config.NumberColumn(format="%.4f")
    st.dataframe(
        columns,
        hide_index=True,
        width="stretch",
        height=248,
        key=_TABLE,
        on_select=_choose_row,
        selection_mode="single-row",
        column_config=dict.fromkeys(list(columns)[1:], number),
    )


def _choose_row() -> None:
    rows = st.session_state[_TABLE]["selection"]["rows"]
    heads = st.session_state.get(_RANKED, [])
    if rows and rows[0] < len(heads):
        picking.choose_head(heads[rows[0]])


def _one(two: Two) -> None:
    """The chosen head: B less A."""
    layer, head = two.b.choices.layer, two.b.choices.head
    st.markdown(say("compare.one", head=HeadId(layer, head)))
    difference = head_difference(two.read_a, two.read_b, layer, head, alignment=two.alignment)
    heatmaps.show(figures.change_heatmap(difference), HEAD_KEY, say("compare.one_alt", head=HeadId(layer, head)))
    st.caption(say("compare.one_what", largest=f"{difference.largest:.4f}"))
    heatmaps.say_pooled(figures.change_step(two.alignment))


def _overviews(two: Two) -> None:
    """All heads of both, each on its own canvas."""
    colour = current_colour()
    for column, name, run in zip(st.columns(2, gap="medium"), "ab", (two.a, two.b), strict=True):
        with column:
            st.markdown(say(f"compare.overview.{name}"))
            key = repr(("compared", colour))
            trace = run.trace
            pictures = cache.once(key, run.choices, run.controls, functools.partial(thumbnails, trace, colour))
            count = pictures.ends.size
            chosen = HeadId(min(two.b.choices.layer, trace.spec.n_layers - 1), two.b.choices.head % trace.spec.n_heads)
            overview.overview(
                pictures,
                Caption.none(count),
                np.arange(count),
                chosen,
                colour,
                f"overview_{name}",
                sorted_by_metric=False,
                measured=None,
            )
            make = functools.partial(figures.print_overview, trace, colour, pictures=pictures)
            taken.note(f"overview_{name}", say("compare.overview_of", run=name.upper()), make)
            heatmaps.say_pooled(pictures.step, largest=True)


def _numbers(two: Two) -> None:
    """One metric in both: head by head for one model, by depth for two."""
    ranking.choose_metric()
    metric = ranking.chosen_metric()
    if not two.same_model:
        depths = [by_depth(one.trace, metric.name, cache.output_matrices(one.choices)) for one in (two.a, two.b)]
        heatmaps.show(
            figures.depth_plot(depths[0], depths[1], ranking.title(metric)), METRIC_KEY, say("compare.depth_alt")
        )
        st.caption(say("compare.depth"))
        st.caption(measures.explained(metric))
        return
    of_a, of_b = (measures.of(one).values[metric.name] for one in (two.a, two.b))
    change = of_b - of_a
    end = float(np.nanmax(np.abs(change), initial=0.0)) or 1.0
    texts = [[measures.plain(metric, value) for value in row] for row in change]
    left, right = st.columns([4, 3], gap="medium")
    with left:
        chosen = HeadId(two.b.choices.layer, two.b.choices.head)
        title = say("compare.metric", metric=ranking.title(metric))
        figure = figures.metric_matrix(change, texts, title, low=-end, high=end, chosen=chosen)
        heatmaps.show(figure, METRIC_KEY, title)
        st.caption(measures.explained(metric))
    with right:
        _all_metrics(two, chosen)


def _all_metrics(two: Two, head: HeadId) -> None:
    """Every metric of the chosen head in A and B."""
    st.markdown(say("compare.metrics_of", head=head))
    values = [measures.of(one).values for one in (two.a, two.b)]
    a, b = ([float(of[name][head]) for name in METRICS] for of in values)
    columns = {
        say("overview.metric"): [say(f"metric.{name}") for name in METRICS],
        "A": a,
        "B": b,
        say("figure.change"): [after - before for before, after in zip(a, b, strict=True)],
    }
    number = st.column_config.NumberColumn(format="%.3f")
    formats = dict.fromkeys(list(columns)[1:], number)
    st.dataframe(columns, hide_index=True, width="stretch", height=420, column_config=formats)


def _pair(two: Two) -> None:
    """The heads of both that link two words most. The words are chosen in B, the present run."""
    with st.container(horizontal=True, vertical_alignment="center"):
        query, key = focus.choose(two.b), focus.choose(two.b, "key")
    if query is None or key is None:
        st.info(say("find.choose"), icon=":material/touch_app:")
        return
    places = [_place_of(two.read_b, position) for position in (query, key)]
    try:
        ranked = rank_heads(two.read_b, two.read_a, two.alignment.mirrored, *places)
    except InputError as problem:
        st.info(as_markdown(str(problem)), icon=":material/info:")
        return
    in_b, in_a = zip(*ranked.top(_LISTED), strict=True)
    for column, name, heads in zip(st.columns(2, gap="medium"), "ab", (in_a, in_b), strict=True):
        with column:
            st.markdown(say(f"compare.overview.{name}"))
            _listed([head for head in heads if head is not None])
    st.caption(say("compare.pair_what"))


def _listed(heads: list[RankedHead]) -> None:
    columns = {
        say("compare.head"): [str(one.head) for one in heads],
        say("compare.weight"): [one.weight for one in heads],
        say("compare.times"): [one.times for one in heads],
    }
    formats = {
        say("compare.weight"): st.column_config.NumberColumn(format="%.3f"),
        say("compare.times"): st.column_config.NumberColumn(format="%.1f"),
    }
    st.dataframe(columns, hide_index=True, width="stretch", column_config=formats)


def _place_of(reading: Reading, position: int) -> int:
    """The place of a token of the run: of its word, where words are read."""
    place = reading.place_of(position) if isinstance(reading, Shown) else position
    return position if place is None else place


#: What each view draws.
SHOW: dict[str, Callable[[Two], None]] = {
    "heads": _heads,
    "overviews": _overviews,
    "numbers": _numbers,
    "pair": _pair,
}
