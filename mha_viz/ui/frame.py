"""The frame of every page: configuration, menu, sentence, controls, then the page itself."""

from __future__ import annotations

import streamlit as st

from mha_viz.errors import InputError
from mha_viz.settings import settings
from mha_viz.ui import heatmaps, link, notices, picking, place_view, sentence, sidebar, take_away
from mha_viz.ui.page_table import PAGES
from mha_viz.ui.plain import asset, icon_file
from mha_viz.words import say

_THROUGH_APP = "_through_app"
_WANTED = "_wanted_page"


def run() -> None:
    """What app.py does, for every page and every rerun."""
    st.set_page_config(page_title=say("app.title"), page_icon=icon_file(), layout="wide", initial_sidebar_state="auto")
    st.html(f"<style>{asset('page.css')}</style>")
    st.session_state[_THROUGH_APP] = True
    pages = {
        entry.name: st.Page(
            entry.file,
            title=say(f"page.{entry.name}"),
            icon=entry.icon,
            help=say(f"page.{entry.name}.help"),
            default=entry.default,
            url_path="" if entry.default else entry.name,
        )
        for entry in PAGES
    }
    page = st.navigation(_menu(pages), position="top")
    wanted = st.session_state.pop(_WANTED, None)
    if wanted is not None:
        st.switch_page(pages[wanted["page"]], query_params=wanted["query"])
    link.read(page.url_path)
    try:
        settings()
    except InputError as problem:
        notices.show_error(problem)
        return
    shows_run = all(entry.reads for entry in PAGES if entry.name == page.url_path)
    if shows_run:
        sentence.render()
        sidebar.render()
    else:
        st.html(f"<style>{asset('lab.css')}</style>")
    heatmaps.start_clock()
    picking.forget()
    take_away.start(page.url_path)
    notices.link_refused(link.refused())
    page.run()
    if shows_run:
        take_away.render()
        place_view.render()
    link.write()


def _menu(pages: dict[str, st.Page]) -> dict[str, list[st.Page]]:
    """The pages by their group, those without one first."""
    groups: dict[str, list[st.Page]] = {}
    for entry in PAGES:
        title = say(f"page.group.{entry.group}") if entry.group else ""
        groups.setdefault(title, []).append(pages[entry.name])
    return groups


def through_app(name: str) -> None:
    """The first line of every page. On a server where nobody has opened "/" yet, Streamlit runs a page's file without
    app.py; then this goes there, and app.py comes back with the same link."""
    if not st.session_state.get(_THROUGH_APP):
        st.session_state[_WANTED] = {"page": name, "query": st.query_params.to_dict()}
        st.switch_page("app.py")
