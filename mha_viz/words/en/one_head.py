"""English: the page one_head. ``{name}`` is a place for a value."""

ONE_HEAD: dict[str, str] = {
    "page.one_head": "One head",
    "page.one_head.door": "Look into one head",
    "page.one_head.help": "What a head reads and what it writes, its metrics, the heads nearest to it, its queries and keys.",
}
