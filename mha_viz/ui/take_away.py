"""Save or share: a picture as it stands, the numbers, the link, the Python that makes it, and how to cite it."""

from __future__ import annotations

import io
from collections.abc import Callable
from urllib.parse import urlencode

import streamlit as st

from mha_viz.controls import HeadId
from mha_viz.edits import parse
from mha_viz.errors import MhaVizError
from mha_viz.export import (
    NUMBERS,
    PICTURES,
    Part,
    PythonView,
    citation,
    python_code,
    python_code_of_file,
    write_numbers,
)
from mha_viz.models import HubOptions, packaged
from mha_viz.ui import edits_view, held, pictures, reading, state
from mha_viz.ui.choices import named_head
from mha_viz.ui.clicks import KEY_BARS, PLANE_CHART, QUERY_BARS
from mha_viz.ui.heatmaps import GRID_KEY, HEAD_KEY
from mha_viz.ui.pictures import Picture
from mha_viz.ui.plain import as_markdown
from mha_viz.ui.run import TAKEN, Run
from mha_viz.words import say
from mha_viz.words.amounts import size_text

PARTS = ("picture", "numbers", "link", "python", "cite")
EXTENTS = ("head", "layer", "all")
_PAGE, _MADE, _ASKED = "_page_to_take", "_made_file", "_asked_to_take"
#: Pictures of all heads as maps, of the one that is chosen, of probes, and of two runs.
_OF_ALL = ("overview", "overview_a", "overview_b")
_OF_HEAD = (
    *(HEAD_KEY, "stages", "stage_bars", "writes", "difference", "removed", "change_heatmap"),
    *(KEY_BARS, QUERY_BARS, PLANE_CHART),
)
_OF_PROBES = ("probe_dots",)
_OF_TWO = ("change_heatmap", "change_matrix", "metric_change", "overview_a", "overview_b")
_MIME = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "html": "text/html",
    "npz": "application/octet-stream",
    "csv": "text/csv",
    "parquet": "application/octet-stream",
    "json": "application/json",
}


def start(page: str) -> None:
    """Before a page is drawn: nothing can be taken yet."""
    pictures.start()
    st.session_state[TAKEN] = None
    st.session_state[_PAGE] = page


def button() -> None:
    """In the sidebar of every page."""
    st.button(
        say("take.title"),
        icon=":material/ios_share:",
        on_click=_ask,
        width="stretch",
        help=say("take.help"),
        key="take_away",
    )


def render() -> None:
    """After the page: the dialog, if it was asked for and there is a run."""
    if st.session_state.pop(_ASKED, False) and st.session_state.get(TAKEN) is not None:
        st.dialog(say("take.title"), width="large")(_dialog)()


def _ask() -> None:
    st.session_state[_ASKED] = True
    st.session_state.pop(_MADE, None)


def _dialog() -> None:
    run: Run = st.session_state[TAKEN]
    part = st.segmented_control(
        say("take.what"),
        PARTS,
        default="picture",
        required=True,
        key="take_part",
        format_func=lambda name: say(f"take.part.{name}"),
        label_visibility="collapsed",
        on_change=_forget,
    )
    {"picture": _picture, "numbers": _numbers, "link": _link, "python": _python, "cite": _cite}[str(part)](run)


def _forget() -> None:
    st.session_state.pop(_MADE, None)


def _choose(key: str, options: tuple[str, ...]) -> str:
    chosen = st.segmented_control(
        say(f"take.{key}"),
        options,
        default=options[0],
        required=True,
        key=f"take_{key}",
        format_func=lambda name: say(f"take.{key}.{name}"),
        on_change=_forget,
    )
    return str(chosen)


def _picture(run: Run) -> None:
    """One of the page's pictures, in a kind of file."""
    there = pictures.shown()
    if not there:
        st.info(say("take.no_picture"), icon=":material/info:")
        return
    key = st.selectbox(
        say("take.which"), list(there), format_func=lambda name: there[name].title, key="take_which", on_change=_forget
    )
    kind = _choose("kind", PICTURES)
    scale = 2.0
    if kind == "png":
        scale = st.slider(say("take.scale"), 1.0, 4.0, 2.0, 0.5, key="take_scale", on_change=_forget)
    chosen = there[str(key)]
    st.caption(as_markdown(" ".join(caption(run, str(key), chosen))))
    if kind != "html":
        st.caption(say("take.needs_browser"))
    _make(f"mha_viz-{key}.{kind}", lambda: _drawn(run, str(key), chosen, kind, scale))


def caption(run: Run, key: str, picture: Picture) -> list[str]:
    """What stands below a picture, by what it shows."""
    from mha_viz.export.caption import caption_of  # imports plotly

    shown = reading.current(run) or reading.raw(run)
    layer, head = run.choices.layer, run.choices.head
    place: dict[str, int] = {"layer": layer, "head": head} if key in _OF_HEAD else {}
    place |= {"layer": layer} if key == GRID_KEY else {}
    told = caption_of(shown, **place, heads=picture.heads, revision=revision(run))
    if key in _OF_PROBES:  # tried without controls, on sentences of their own
        return [say("take.of_model", model=run.trace.spec.name), told[-1]]
    if not place and not picture.heads and key not in _OF_ALL:
        told[0] = say("take.of_model", model=run.trace.spec.name)
    if run.choices.text.edits:
        told.insert(2, say("edits.now", changes="; ".join(edits_view.describe(run))))
    if key in _OF_TWO:
        told.insert(1, say("take.compared", a=held.described()))
    return told


def revision(run: Run) -> str:
    """The commit of the model, if it has one."""
    if run.choices.source == "minilm":
        return packaged.HUB_REVISION
    return run.choices.options.revision if isinstance(run.choices.options, HubOptions) else ""


def _drawn(run: Run, key: str, picture: Picture, kind: str, scale: float) -> bytes:
    from mha_viz.export.pictures import picture_bytes

    with st.spinner(say("take.drawing"), show_time=True):
        return picture_bytes(picture.make(), kind, caption(run, key, picture), title=picture.title, scale=scale)


def _numbers(run: Run) -> None:
    """The weights as they are read, of one head, a layer or all."""
    kind = _choose("file", NUMBERS)
    extent = "all" if kind == "npz" else _choose("extent", EXTENTS)
    layers = None if extent == "all" else (run.choices.layer,)
    heads = (run.choices.head,) if extent == "head" else None
    shown = reading.current(run) or reading.raw(run)
    plain = (shown.level, shown.specials) == ("pieces", "raw")
    place = reading.focus_place(shown)
    queries = None
    if (
        kind != "npz"
        and place is not None
        and st.toggle(say("take.row", token=as_markdown(reading.name_of(shown, place))))
    ):
        queries = (place,)
    st.caption(say(f"take.file.{kind}.what"))

    def written() -> bytes:
        file, bar = io.BytesIO(), st.progress(0.0)
        # The run itself where the reading is that of the model: it has the output and the checks too.
        for done in write_numbers(
            run.trace if plain else shown, kind, file, Part(layers, heads, queries), revision(run)
        ):
            bar.progress(min(float(done), 1.0))
        bar.empty()
        return file.getvalue()

    _make(f"mha_viz.{kind}", written)


def _make(name: str, make: Callable[[], bytes]) -> None:
    """A button that makes the file, and then one that hands it over."""
    if st.button(say("take.make"), icon=":material/build:", type="primary", key="take_make"):
        try:
            st.session_state[_MADE] = (name, make())
        except MhaVizError as problem:
            _forget()
            st.error(as_markdown(str(problem)), icon=":material/info:")
    made = st.session_state.get(_MADE)
    if made is not None and made[0] == name:
        st.download_button(
            say("take.save", name=name, size=size_text(len(made[1]))),
            made[1],
            file_name=name,
            mime=_MIME[name.rpartition(".")[2]],
            icon=":material/download:",
            on_click="ignore",
            key="take_save",
        )


def _link(_run: Run) -> None:
    """The whole address; what is too long for one is said."""
    url = (st.context.url or "").partition("?")[0]
    query = urlencode(state.encoded())
    st.caption(say("own_page.link" if state.is_own() else "take.link.what"))
    st.code(f"{url}?{query}" if query else url, language=None, wrap_lines=True)
    if not state.links_text():
        st.warning(say("run.not_linked", most=state.MOST_LINKED_CHARACTERS), icon=":material/info:")


def _python(run: Run) -> None:
    st.caption(say(f"take.python.{_kind()}"))
    st.code(code(run), language="python", wrap_lines=True)


def code(run: Run) -> str:
    """The lines of Python for the page's picture."""
    choices = run.choices
    view = PythonView(
        _kind(),
        choices.layer,
        choices.head,
        focus=reading.focus_place(reading.current(run) or reading.raw(run)),
        level=state.get("level"),
        specials=state.get("specials"),
        colour=_colour(),
        heads=tuple(named_head(name) for name in state.get("line_heads")) or (HeadId(choices.layer, choices.head),),
        layout=state.get("line_layout"),
        least=state.get("line_least"),
        most=state.get("line_most"),
    )
    if choices.stored is not None:
        return python_code_of_file(choices.name, view)
    return python_code(
        choices.source,
        choices.options,
        choices.text.first,
        view,
        pair=choices.text.second,
        controls=run.controls,
        edits=parse(choices.text.edits),
        dtype=choices.place.dtype,
        cut=choices.text.cut,
        read_special=choices.text.read_special,
    )


def _kind() -> str:
    """What the Python draws: the overview, lines, or else the chosen head."""
    page = str(st.session_state[_PAGE])
    return page if page in ("overview", "lines") else "head"


def _colour() -> tuple[tuple[str, object], ...]:
    chosen = {"scale": state.get("scale"), "palette": state.get("palette"), "shared": not state.get("own")}
    usual = {"scale": "linear", "palette": "viridis", "shared": True}
    return tuple((name, value) for name, value in chosen.items() if value != usual[name])


def _cite(_run: Run) -> None:
    told = citation()
    st.markdown(as_markdown(told.plain))
    st.code(told.bibtex, language=None)
