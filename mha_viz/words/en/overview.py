"""English: the page overview. ``{name}`` is a place for a value."""

OVERVIEW: dict[str, str] = {
    "page.overview": "Overview",
    "page.overview.door": "See all heads at a glance",
    "page.overview.help": "Every head of every layer in one picture, ranked by any metric, as numbers, and as a map.",
}
