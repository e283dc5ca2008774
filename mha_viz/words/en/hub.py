"""English: looking for a model, asking the Hub, fetching. ``{name}`` is a place for a value."""

HUB: dict[str, str] = {}
