"""Which pages show what."""

from __future__ import annotations

from mha_viz.ui.page_table import PAGES, PageEntry

#: Pages that show one head large, in the chart "large_head".
WITH_HEAD: list[PageEntry] = [entry for entry in PAGES if entry.name in ("start", "overview", "heads", "masks")]
