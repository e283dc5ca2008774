"""English: metrics, types of heads, readings. ``{name}`` is a place for a value."""

METRICS: dict[str, str] = {}
