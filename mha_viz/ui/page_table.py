"""Every page, in the order of the menu. A line here and a file in pages/ make a page."""

from __future__ import annotations

from dataclasses import dataclass

#: The group of pages that train or measure something.
LAB = "lab"


@dataclass(frozen=True)
class PageEntry:
    """One page.

    Attributes:
        name: of its file in pages/ and of its path; "page.NAME" and "page.NAME.help" are its words.
        icon: a Material symbol.
        default: whether "/" opens it; such a page has no path of its own.
        group: "page.group.GROUP" stands in the menu, and the page behind it; "" for a page that stands there itself.
        reads: whether it is about the sentence, and so has that and the controls.
    """

    name: str
    icon: str
    default: bool = False
    group: str = ""
    reads: bool = True

    @property
    def file(self) -> str:
        """Its script, from the folder of app.py."""
        return f"pages/{self.name}.py"


PAGES = (
    PageEntry("start", ":material/home:", default=True),
    PageEntry("overview", ":material/apps:", group="explore"),
    PageEntry("heads", ":material/grid_view:", group="explore"),
    PageEntry("one_head", ":material/center_focus_strong:", group="explore"),
    PageEntry("lines", ":material/timeline:", group="explore"),
    PageEntry("tokens", ":material/match_word:", group="explore"),
    PageEntry("through", ":material/layers:", group="explore"),
    PageEntry("splitting", ":material/call_split:", group="explore"),
    PageEntry("masks", ":material/tune:", group="test"),
    PageEntry("change", ":material/toggle_off:", group="test"),
    PageEntry("compare", ":material/compare:", group="test"),
    PageEntry("probes", ":material/fact_check:", group="test"),
    PageEntry("head_count", ":material/format_list_numbered:", group=LAB, reads=False),
    PageEntry("head_worth", ":material/balance:", group=LAB, reads=False),
    PageEntry("pitfalls", ":material/warning:", group=LAB, reads=False),
    PageEntry("examine", ":material/biotech:", group=LAB, reads=False),
    PageEntry("depth_gradients", ":material/stacked_line_chart:", group=LAB, reads=False),
    PageEntry("cost", ":material/speed:", group=LAB, reads=False),
    PageEntry("sparse", ":material/grid_on:", group=LAB),
)


def file_of(name: str) -> str:
    """The script of a page, from the folder of app.py."""
    return next(entry.file for entry in PAGES if entry.name == name)
