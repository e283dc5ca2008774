"""English: the page lines. ``{name}`` is a place for a value."""

LINES: dict[str, str] = {
    "page.lines": "Lines",
    "page.lines.door": "Follow lines between tokens",
    "page.lines.help": "Several heads at once as lines between tokens: two columns, or arcs over one line.",
}
