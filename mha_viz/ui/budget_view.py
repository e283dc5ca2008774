"""What a number of heads costs for a budget; what tutorials recommend and models use; the one published comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from mha_viz.errors import InputError
from mha_viz.figures.budget import Line, cost_lines, published_scores
from mha_viz.labs.budget import LEAST_D_K, N_BYTES, VECTORS, Budget, Cost, Shape, published
from mha_viz.ui import heatmaps
from mha_viz.ui.plain import as_markdown, asset, escaped
from mha_viz.words import say
from mha_viz.words.amounts import size_text

#: Height of the tables, in pixels: those beside a figure are as high as it.
_TABLE, _SHAPES = 380, 388
_AMOUNTS = (("trillion", 1e12), ("billion", 1e9), ("million", 1e6))


def render() -> None:
    """The budget, then what is published."""
    st.markdown(say("budget.what"))
    budget, heads = _given()
    chosen: int | None = None
    try:
        chosen = budget.checked(heads)
    except InputError as problem:
        st.warning(as_markdown(str(problem)), icon=":material/info:")
    costs = budget.costs()
    if chosen is not None:
        _numbers(next(cost for cost in costs if cost.heads == chosen))
    picture, table = st.columns([3, 2], gap="large")
    with picture:
        _lines(costs, chosen)
    with table:
        _table(budget, costs)
    _published()
    _scores()


def _given() -> tuple[Budget, int]:
    """What the visitor has."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="budget_given"):
        d_model = _number("d_model", 16_384, 512)
        heads = _number("heads", 16_384, 8)
        tokens = _number("tokens", 131_072, 512)
        batch = _number("batch", 65_536, 32)
        dtype = st.selectbox(
            say("budget.dtype"), tuple(N_BYTES), key="budget_dtype", width=130, persist_state="session"
        )
        gigabytes = st.number_input(
            say("budget.memory"),
            0.001,
            10_000.0,
            8.0,
            step=1.0,
            format="%.3g",
            key="budget_memory",
            width=130,
            help=say("budget.memory.help"),
            persist_state="session",
        )
    return Budget(d_model, tokens, batch, str(dtype), float(gigabytes)), heads


def _number(name: str, most: int, default: int) -> int:
    key = f"budget_{name}"
    return int(st.number_input(say(f"budget.{name}"), 1, most, default, key=key, width=130, persist_state="session"))


def _numbers(cost: Cost) -> None:
    """Of the chosen number of heads."""
    numbers = {
        "d_k": f"{cost.d_k:,}",
        "parameters": f"{cost.parameters:,}",
        "work": _amount(cost.multiply_adds),
        "maps": size_text(cost.map_bytes),
        "largest": f"{cost.largest_batch:,}",
    }
    cards = "".join(
        f"<div role='listitem' class='mha-card'><span>{escaped(say(f'budget.{name}'))}</span>"
        f"<strong>{escaped(number)}</strong><small>{escaped(say(f'budget.{name}.how'))}</small></div>"
        for name, number in numbers.items()
    )
    title = escaped(say("budget.numbers", heads=cost.heads))
    st.html(
        f"<style>{asset('head_count.css')}</style><div class='mha-budget' role='list' aria-label='{title}'>{cards}</div>"
    )


def _amount(number: int) -> str:
    for name, size in _AMOUNTS:
        if number >= size:
            return say(f"budget.amount.{name}", n=f"{number / size:.3g}")
    return f"{number:,}"


def _lines(costs: Sequence[Cost], chosen: int | None) -> None:
    """Everything beside one head."""
    first, last = costs[0], costs[-1]
    lines = [
        Line(say("budget.maps"), [cost.map_bytes / first.map_bytes for cost in costs]),
        Line(say("budget.parameters"), [cost.parameters / first.parameters for cost in costs]),
        Line(say("budget.work"), [cost.multiply_adds / first.multiply_adds for cost in costs]),
    ]
    heatmaps.show(cost_lines([cost.heads for cost in costs], lines, chosen), "budget_lines", say("budget.lines.alt"))
    if len({cost.parameters for cost in costs}) > 1:
        counts = ", ".join(f"{cost.heads}: {cost.parameters:,}" for cost in costs)
        st.warning(say("budget.lines.uneven", counts=counts), icon=":material/info:")
        return
    times = f"{last.map_bytes / first.map_bytes:,.0f}"
    st.caption(say("budget.lines.caption", times=times, most=f"{last.heads:,}"))


def _table(budget: Budget, costs: Sequence[Cost]) -> None:
    """A row for each number of heads."""
    columns = {
        say("budget.heads"): [cost.heads for cost in costs],
        say("budget.d_k"): [cost.d_k for cost in costs],
        say("budget.maps"): [size_text(cost.map_bytes) for cost in costs],
        say("budget.largest"): [cost.largest_batch for cost in costs],
        say("budget.parameters"): [cost.parameters for cost in costs],
        say("budget.work"): [
            float(cost.multiply_adds) for cost in costs
        ],  # may be more than a table's whole numbers hold
    }
    whole = st.column_config.NumberColumn(format="localized")
    formats = {say(f"budget.{name}"): whole for name in ("heads", "largest", "parameters", "work")}
    st.dataframe(columns, column_config=formats, hide_index=True, width="stretch", height=_TABLE)
    told = {"d_model": f"{budget.d_model:,}", "formula": f"{budget.parameters:,}"}
    st.caption(say("budget.table.caption", vectors=VECTORS, **told))


def _published() -> None:
    """Recommendations beside models, and which break the rule."""
    book = published()
    st.subheader(say("budget.published"), anchor=False)
    broken = [shape for shape in book.recommended if shape.is_narrow]
    which = ", ".join(f"{shape.heads} × {shape.d_k} ({shape.d_model})" for shape in broken)
    rule = {"least": LEAST_D_K, "n": len(book.recommended), "broken": len(broken), "which": which}
    narrow = [as_markdown(shape.name) for shape in book.models if shape.is_narrow]
    key = "budget.published.models" if narrow else "budget.published.no_models"
    models = say(key, n=len(book.models), which=", ".join(narrow))
    st.markdown(f"{say('budget.published.rule', **rule)} {models}")
    recommended, used = st.columns([2, 3], gap="large")
    with recommended:
        st.markdown(f"**{say('budget.recommended')}**")
        _shapes(book.recommended)
    with used:
        st.markdown(f"**{say('budget.used')}**")
        _shapes(book.models)
    spans = {name: say("budget.tasks.span", low=low, high=high) for name, (low, high) in book.tasks.items()}
    st.caption(say("budget.tasks", **spans))


def _shapes(shapes: Sequence[Shape]) -> None:
    """One line a shape."""
    columns: dict[str, list[Any]] = {}
    named = any(shape.name for shape in shapes)
    if named:
        columns[say("budget.model")] = [shape.name for shape in shapes]
    columns |= {
        say("budget.d_model"): [shape.d_model for shape in shapes],
        say("budget.heads"): [shape.heads for shape in shapes],
        say("budget.d_k"): [shape.d_k for shape in shapes],
        say("budget.rule", least=LEAST_D_K): [
            say("budget.rule.broken" if shape.is_narrow else "budget.rule.holds") for shape in shapes
        ],
    }
    if named:
        columns[say("budget.source")] = [shape.source for shape in shapes]
    st.dataframe(columns, hide_index=True, width="stretch", height=_SHAPES)


def _scores() -> None:
    """The comparison that Vaswani et al. published."""
    scores = published().scores
    st.subheader(say("budget.scores"), anchor=False)
    figure = published_scores(scores.heads, scores.bleu, scores.perplexity)
    heatmaps.show(figure, "budget_scores", say("budget.scores.alt", heads=", ".join(map(str, scores.heads))))
    best = max(scores.bleu)
    told = {"less": f"{best - scores.bleu[0]:.1f}", "too_many": f"{best - scores.bleu[-1]:.1f}"}
    st.caption(say("budget.scores.caption", source=as_markdown(scores.source), most=scores.heads[-1], **told))
