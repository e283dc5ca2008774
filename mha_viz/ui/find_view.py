"""Find the head: all heads ranked by the weight from one query to one key, against chance and against themselves."""

from __future__ import annotations

import functools

import numpy as np
import streamlit as st

from mha_viz import figures
from mha_viz.analysis.find import Found, find_head
from mha_viz.analysis.reading import Shown
from mha_viz.analysis.types import title_of
from mha_viz.arrays import IntArray
from mha_viz.controls import HeadId
from mha_viz.figures.cells import round_up
from mha_viz.ui import cache, focus, heatmaps, measures, picking, ranking, reading, relatives
from mha_viz.ui.choices import current_colour
from mha_viz.ui.plain import as_markdown
from mha_viz.ui.run import Run
from mha_viz.words import say

MATRIX_KEY, TABLE_KEY = "found_matrix", "found_table"
#: So many times chance is called much.
MUCH = 3.0
_SHOWN = "_found_heads"


def render(ran: Run, shown: Shown) -> None:
    """The ranking beside the chosen head, in which a click chooses another pair."""
    query, key = reading.focus_place(shown), reading.key_place(shown)
    left, right = st.columns([5, 4], gap="medium")
    with right:
        st.markdown(say("heads.one", layer=ran.choices.layer, head=ran.choices.head))
        heatmaps.head(ran, shown)
        focus.say_where(ran, shown)
        reading.say_how(shown, ran.choices.layer, ran.choices.head)
        heatmaps.open_head()
    with left:
        if query is None or key is None:
            st.info(say("find.choose"), icon=":material/touch_app:")
        else:
            _found(ran, shown, find_head(shown, query, key, reading.n_keys(ran, shown)[:, :, query]))
    st.markdown(say("find.alike"))
    relatives.render(ran)


def _found(ran: Run, shown: Shown, found: Found) -> None:
    names = {"query": reading.name_of(shown, found.query), "key": reading.name_of(shown, found.key)}
    known = found.weight[np.isfinite(found.weight)]
    if not known.size:
        st.info(as_markdown(say("find.hidden", **names)), icon=":material/visibility_off:")
        return
    best = HeadId(*divmod(int(found.order[0]), found.weight.shape[1]))
    told = {"weight": f"{found.weight[best]:.3f}", "times": f"{found.times[best]:.1f}", "rank": found.rank_in_row[best]}
    escaped = {what: as_markdown(name) for what, name in names.items()}
    st.markdown(say("find.best", head=best, **escaped, **told))
    figure = figures.metric_matrix(
        found.weight,
        [["–" if np.isnan(value) else f"{value:.2f}" for value in row] for row in found.weight],
        say("figure.weight"),
        low=0.0,
        high=min(round_up(float(known.max())), 1.0),
        chosen=HeadId(ran.choices.layer, ran.choices.head),
        palette=current_colour().palette,
        hover="%{z:.4f}",
    )
    heatmaps.show(figure, MATRIX_KEY, say("find.alt", n_heads=found.weight.size))
    _table(ran, found)
    _luck(ran, shown, found)


def _table(ran: Run, found: Found) -> None:
    """Every head with its numbers, the largest weight first; a click on a row chooses its head."""
    numbers = measures.of(ran)
    n_heads = found.weight.shape[1]
    left_out = ranking.beyond_range(numbers.values[ranking.chosen_metric().name]).ravel()
    order = [int(place) for place in found.order if not left_out[place] and np.isfinite(found.weight.ravel()[place])]
    st.session_state[_SHOWN] = [HeadId(*divmod(place, n_heads)) for place in order]
    types = numbers.types.names.ravel()
    columns: dict[str, list[object]] = {
        say("overview.head_column"): [str(HeadId(*divmod(place, n_heads))) for place in order],
        say("find.weight"): found.weight.ravel()[order].tolist(),
        say("find.chance"): found.chance.ravel()[order].tolist(),
        say("find.times"): found.times.ravel()[order].tolist(),
        say("find.rank"): found.rank_in_row.ravel()[order].tolist(),
        say("find.larger"): (100 * found.larger.ravel()[order]).tolist(),
        say("overview.type_column"): [title_of(str(types[place])) for place in order],
    }
    formats = {
        say(f"find.{name}"): st.column_config.NumberColumn(format=form, help=say(f"find.{name}.help"))
        for name, form in (
            ("weight", "%.4f"),
            ("chance", "%.4f"),
            ("times", "%.1f ×"),
            ("rank", "%d"),
            ("larger", "%.1f %%"),
        )
    }
    st.dataframe(
        columns,
        column_config=formats,
        hide_index=True,
        width="stretch",
        height=300,
        key=f"{TABLE_KEY}_{found.query}_{found.key}",  # a new pair begins without a chosen row
        on_select=functools.partial(_take, f"{TABLE_KEY}_{found.query}_{found.key}"),
        selection_mode="single-row",
    )
    if left_out.any():
        st.caption(say("find.filtered", n_left=len(order), n_heads=found.weight.size))


def _take(key: str) -> None:
    """The head of the row that was clicked."""
    rows = st.session_state[key].selection.rows
    heads = st.session_state.get(_SHOWN, [])
    if rows and rows[0] < len(heads):
        picking.choose_head(heads[rows[0]])


def common_luck(shown: Shown, n_keys: IntArray) -> int:
    """How many heads give at least MUCH times chance to a pair: the median over all pairs of the sentence.

    Args:
        shown: the weights.
        n_keys: (layer, head, query), keys that share a row's weight.
    """
    counts = np.zeros(shown.weights.shape[-2:], dtype=np.int64)
    for place in np.ndindex(
        shown.weights.shape[:2]
    ):  # one head at a time: all at once would take twice the room of the run
        least = (MUCH / np.maximum(n_keys[place], 1)).astype(np.float32)
        counts += (shown.weights[place] >= least[:, None]) & shown.visible[place]
    allowed = shown.visible.any(axis=(0, 1)) & ~shown.padding[:, None]
    return int(np.median(counts[allowed])) if allowed.any() else 0


def _luck(ran: Run, shown: Shown, found: Found) -> None:
    """Of many heads some link any two words: how many do so for the pair in the middle."""
    name = repr(("luck", shown.level, shown.specials))
    usual = cache.once(name, ran.choices, ran.controls, lambda: common_luck(shown, reading.n_keys(ran, shown)))
    here = int((found.times >= MUCH).sum())
    st.caption(say("find.luck", times=f"{MUCH:g}", here=here, usual=usual, n_heads=found.weight.size))
