"""English: the page through. ``{name}`` is a place for a value."""

THROUGH: dict[str, str] = {
    "page.through": "Through layers",
    "page.through.door": "Follow attention through the layers",
    "page.through.help": "Rollout, attention flow, norm-based weights, and the average of any heads.",
}
