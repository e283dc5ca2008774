"""Lines: which heads, which weights and which layout, the picture itself, and in words what it draws."""

from __future__ import annotations

import streamlit as st

from mha_viz import figures
from mha_viz.analysis.reading import Shown
from mha_viz.controls import HeadId
from mha_viz.errors import InputError
from mha_viz.figures.lines import LAYOUTS, MOST_HEADS, MOST_LINES, Lines, lines_of, payload
from mha_viz.figures.theme import number
from mha_viz.spec import ModelSpec
from mha_viz.ui import focus, heads_box, pictures, reading, state
from mha_viz.ui.choices import head_name, named_head
from mha_viz.ui.lines import Chosen, line_picture
from mha_viz.ui.plain import as_markdown
from mha_viz.ui.run import Run
from mha_viz.words import say

#: Steps of the threshold's slider; a link may hold any other.
THRESHOLDS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)
_PICTURE = "line_picture"
_ELSEWHERE = "_line_heads_elsewhere"
_MOST_NAMED = 6


def render(run: Run) -> None:
    """The choices, the picture, and the caption."""
    sidebar = HeadId(run.choices.layer, run.choices.head)
    with st.container(horizontal=True, vertical_alignment="center"):
        _choose_layout()
        position = focus.choose(run)
        _buttons(run.choices.spec, sidebar)
        reading.controls()
    shown = reading.current(run)
    heads = _choose_heads(run)
    if shown is None:
        return
    followed = Chosen(shown.place_of(position), reading.key_place(shown))
    least, most = state.get("line_least"), state.get("line_most")
    try:
        lines = lines_of(shown, heads, least=least, most=most, focus=followed.query, key=followed.key)
    except InputError as problem:
        _too_many(problem)
        return
    places = [group[0] for group in shown.groups]
    layout = state.get("line_layout")
    data = payload(lines, shown.query_tokens, layout=layout, focus=followed.query, key=followed.key, positions=places)
    pictures.note(
        _PICTURE, say("lines.picture"), lambda: figures.lines_figure(lines, shown.query_tokens, layout), heads
    )
    line_picture(data, shown.n_tokens, _PICTURE, lambda chosen: _follow(shown, chosen))
    st.caption(as_markdown(" ".join(_told(shown, lines, followed))))
    st.caption(say("lines.layout.help"))
    reading.say_how(shown)


def _choose_layout() -> None:
    st.segmented_control(
        say("lines.layout"),
        LAYOUTS,
        key="line_layout",
        required=True,
        format_func=lambda name: say(f"lines.layout.{name}"),
        label_visibility="collapsed",
        persist_state="session",
    )


def _choose_heads(run: Run) -> list[HeadId]:
    """Draws the choice of heads, of the threshold and of the strongest keys; returns the heads, as many as are chosen."""
    spec = run.choices.spec
    _put_aside(spec)
    sidebar = HeadId(run.choices.layer, run.choices.head)
    heads, least, most = st.columns([5, 3, 1.6], vertical_alignment="bottom")
    with heads:
        placeholder = say("lines.heads.sidebar", head=sidebar)
        heads_box.choose("line_heads", spec, "lines.heads", placeholder, help=say("lines.heads.help"))
    least.select_slider(
        say("lines.least"),
        sorted({*THRESHOLDS, state.get("line_least")}),
        key="line_least",
        format_func=lambda weight: f"{weight:g}",
        help=say("lines.least.help", most=MOST_LINES),
        persist_state="session",
    )
    most.number_input(
        say("lines.strongest"),
        0,
        512,
        step=1,
        key="line_most",
        help=say("lines.strongest.help"),
        persist_state="session",
    )
    return [named_head(name) for name in state.get("line_heads")] or [sidebar]


def _buttons(spec: ModelSpec, sidebar: HeadId) -> None:
    of_layer = [head_name(HeadId(sidebar.layer, head)) for head in range(spec.n_heads)]
    st.button(
        say("lines.all_heads", layer=sidebar.layer),
        icon=":material/select_all:",
        on_click=_draw_heads,
        args=(of_layer,),
        disabled=spec.n_heads > MOST_HEADS,
        help=say("lines.all_heads.help", most=MOST_HEADS),
    )
    st.button(
        say("lines.this_head", head=sidebar),
        icon=":material/filter_1:",
        on_click=_draw_heads,
        args=([],),
        disabled=not state.get("line_heads"),
        help=say("lines.this_head.help"),
    )


def _draw_heads(names: list[str]) -> None:
    state.put("line_heads", names)
    st.session_state[_ELSEWHERE] = []


def _put_aside(spec: ModelSpec) -> None:
    """Heads that this model has not are kept for one that has them, and the page says so."""
    wanted = [*state.get("line_heads"), *st.session_state.get(_ELSEWHERE, [])]
    here = [name for name in dict.fromkeys(wanted) if _exists(named_head(name), spec)]
    elsewhere = [name for name in dict.fromkeys(wanted) if name not in here]
    if here != state.get("line_heads"):
        state.put("line_heads", here)
    st.session_state[_ELSEWHERE] = elsewhere
    if elsewhere:
        named = ", ".join(str(named_head(name)) for name in elsewhere[:_MOST_NAMED])
        more = len(elsewhere) - _MOST_NAMED
        heads = named if more <= 0 else say("lines.heads_more", heads=named, more=more)
        st.info(as_markdown(say("lines.elsewhere", name=spec.name, heads=heads)), icon=":material/info:")


def _exists(head: HeadId, spec: ModelSpec) -> bool:
    return head.layer < spec.n_layers and head.head < spec.n_heads


def _too_many(problem: InputError) -> None:
    """The sentence, and the first heads as a next step."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(as_markdown(str(problem)), icon=":material/info:")
        st.button(
            say("lines.first_heads", most=MOST_HEADS),
            icon=":material/filter_list:",
            on_click=_draw_heads,
            args=(state.get("line_heads")[:MOST_HEADS],),
        )


def _follow(shown: Shown, chosen: Chosen) -> None:
    """What was chosen in the picture is followed on every page."""
    for name, place, before in (
        ("focus", chosen.query, reading.focus_place(shown)),
        ("key", chosen.key, reading.key_place(shown)),
    ):
        if place is None:
            state.put(name, None)
        elif place != before:  # the same word stays the same piece of it
            state.put(name, shown.position_of(place))


def _told(shown: Shown, lines: Lines, followed: Chosen) -> list[str]:
    """What is drawn, and what is not, in sentences."""
    if not lines.possible:
        return [say("lines.nothing_to_see"), *_followed(shown, followed)]
    n_heads = len(lines.heads)
    heads = str(lines.heads[0]) if n_heads == 1 else say("lines.n_heads", n_heads=n_heads)
    counts = {"drawn": lines.n_lines, "possible": lines.possible, "least": f"{lines.least:g}"}
    told = [say("lines.drawn", heads=heads, **counts)]
    if lines.raised_to is not None:
        told.append(say("lines.raised", raised=number(lines.raised_to), left_out=lines.left_out))
    if not lines.n_lines:
        told.append(say("lines.nothing", highest=number(lines.highest)))
    if lines.most:
        told.append(say("lines.only_strongest", most=lines.most))
    return told + _followed(shown, followed)


def _followed(shown: Shown, followed: Chosen) -> list[str]:
    told = []
    query, key = (None if place is None else reading.name_of(shown, place) for place in followed)
    if query and key:
        told.append(say("lines.followed_both", query=query, key=key))
    elif query:
        told.append(say("lines.followed_from", query=query))
    elif key:
        told.append(say("lines.followed_to", key=key))
    for name, place in zip(("focus", "key"), followed, strict=True):
        if place is None and state.get(name) is not None:
            told.append(say("lines.followed_hidden", position=state.get(name)))
    return told
