"""English: the page tokens. ``{name}`` is a place for a value."""

TOKENS_PAGE: dict[str, str] = {
    "page.tokens": "Tokens",
    "page.tokens.door": "Find the head for two words",
    "page.tokens.help": "What every head of every layer does with one token, and which head links two of them.",
}
