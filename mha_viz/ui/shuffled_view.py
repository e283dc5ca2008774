"""The same net with positions and without, before and after the words of every text were shuffled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from mha_viz.labs.plans import SWITCH, ShuffledOptions
from mha_viz.labs.results import LabResult, Row, where
from mha_viz.labs.texts_told import in_points
from mha_viz.ui import labs
from mha_viz.words import say

#: Minutes for each layer on a usual computer.
_MINUTES = {"movies": 1, "sms": 1, "imdb": 25}
_SHARES = ("accuracy", "accuracy_shuffled", "changed")


def render(data: str, layers: int) -> None:
    """The table of a result, and what it says."""
    about = say("texts.shuffled.about", minutes=_MINUTES[data] * layers)
    labs.show("shuffled", ShuffledOptions(data=data, layers=layers), _draw, about)


def _draw(result: LabResult) -> None:
    """One column a net, one line a number: a screen of any width has room for it."""
    found = {positions: where(result.rows, positions=positions) for positions in SWITCH}
    shown = {positions: rows for positions, rows in found.items() if rows}
    if not shown:
        st.caption(say("texts.shuffled.wait"))
        return
    first = result.rows[0]
    lines = [say(f"texts.shuffled.{name}") for name in (*_SHARES, "difference")]
    lines += [say("texts.shuffled.pair", text=text) for text in first.get("pair", ())]
    seeds = max(len(rows) for rows in shown.values())
    columns = {say("texts.shuffled.measure", data=say(f"texts.data.{first['data']}"), seeds=seeds): lines}
    columns |= {say(f"texts.positions.{positions}"): _column(rows) for positions, rows in shown.items()}
    st.table(columns, hide_index=True)
    if found["off"]:
        told = say("texts.shuffled.bag", n=f"{first['n']:,}", difference=_written(_largest(found["off"])))
        st.markdown(f"{told} {_order(found['on'])}" if found["on"] else told)


def _column(rows: Sequence[Row]) -> list[str]:
    """Means over the seeds, as texts: of one kind the largest is 1, of another 1e-15."""
    values = [f"{np.mean([row[name] for row in rows]):.3f}" for name in _SHARES]
    pairs = np.array([row["pair_positive"] for row in rows if "pair_positive" in row])
    told = [f"{chance:.3f}" for chance in pairs.mean(axis=0)] if len(pairs) else []
    return [*values, _written(_largest(rows)), *told]


def _order(rows: Sequence[Row]) -> str:
    """What a net that knows the order loses with it."""
    changed = 100 * np.mean([row["changed"] for row in rows])
    points = in_points(float(np.mean([row["accuracy_shuffled"] - row["accuracy"] for row in rows])))
    return say("texts.shuffled.order", changed=f"{changed:.1f}", points=points)


def _largest(rows: Sequence[Row]) -> float:
    return max(float(row["difference"]) for row in rows)


def _written(difference: float) -> str:
    return f"{difference:.3f}" if difference >= 0.001 else f"{difference:.0e}"
