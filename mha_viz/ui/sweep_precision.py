"""What mixed precision did in a sweep: which operations ran in it, what time it took, what it changed."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mha_viz.labs.choosing import choose, scores_of
from mha_viz.labs.plans import PRECISIONS, SweepOptions
from mha_viz.labs.results import Row, where
from mha_viz.ui import sweep_told
from mha_viz.words import say


def render(rows: Sequence[Row], options: SweepOptions) -> None:
    """Of the rows of one task."""
    st.markdown(say("sweep.precision"))
    full, mixed = (where(rows, precision=kind) for kind in PRECISIONS)
    if not mixed:
        st.caption(say("sweep.precision.off"))
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        pairs = _pairs(full, mixed)
        if pairs:
            _compared(pairs)
            choice = choose(scores_of(mixed), options.heads, margin=options.margin, patience=options.patience)
            st.markdown(say("sweep.precision.chosen", verdict=sweep_told.verdict(choice, options.margin)))
        else:
            st.markdown(say("sweep.precision.alone"))
        st.caption(say("sweep.precision.how"))
    with right:
        _operations([row for row in (*full[:1], *mixed[:1]) if "operations" in row])


def _pairs(full: Sequence[Row], mixed: Sequence[Row]) -> list[tuple[Row, Row]]:
    """The same net with the same seed in both."""
    others = {(row["heads"], row["seed"]): row for row in mixed}
    return [(row, others[row["heads"], row["seed"]]) for row in full if (row["heads"], row["seed"]) in others]


def _compared(pairs: Sequence[tuple[Row, Row]]) -> None:
    a, b = (sum(row["seconds"] for row in of_one) / len(pairs) for of_one in zip(*pairs, strict=True))
    apart = max(abs(one["score"] - other["score"]) for one, other in pairs)
    st.markdown(say("sweep.precision.what", times=b / a, a=a, b=b, n=len(pairs), apart=f"{apart:.5f}"))


def _operations(rows: Sequence[Row]) -> None:
    """What PyTorch ran, by the type of what came out; what ran in bfloat16 first."""
    names = list(dict.fromkeys(name for row in rows for counts in row["operations"].values() for name in counts))
    names.sort(key=lambda name: all(name not in row["operations"].get("bfloat16", {}) for row in rows))
    columns = {say("sweep.precision.operation"): names}
    for row in rows:
        title = say("sweep.precision.run", precision=say(f"sweep.precision.{row['precision']}"))
        columns[title] = [_kinds(row["operations"], name) for name in names]
    st.dataframe(columns, hide_index=True, height=320)
    st.caption(say("sweep.precision.operations"))


def _kinds(operations: dict[str, dict[str, int]], name: str) -> str:
    """ "5 × bfloat16", and what of it stayed in another type."""
    parts = [
        say("sweep.precision.times", n=counts[name], kind=kind) for kind, counts in operations.items() if name in counts
    ]
    text = ""
    for part in parts:
        text = say("sweep.comma", first=text, last=part) if text else part
    return text
