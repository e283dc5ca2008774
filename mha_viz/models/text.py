"""What every source does to a text before its own tokenizer sees it. No torch here."""

from mha_viz.errors import InputError, TooLongError

#: Characters read of one sentence or pair; tokenizing many more takes seconds before any other limit applies.
MAX_CHARACTERS = 20_000


def readable(text: str) -> str:
    """The text with lone surrogates, which no encoding can carry, replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def prepared(text: str, pair: str | None, *, cut: bool) -> tuple[str, str | None]:
    """Both sentences, readable and within MAX_CHARACTERS together; a blank second one counts as none.

    Raises:
        InputError: the first sentence is empty or blank.
        TooLongError: more characters than are read, and ``cut`` is False.
    """
    if not text.strip():
        raise InputError("error.empty_text")
    text = readable(text)
    pair = readable(pair) if pair and pair.strip() else None
    total = len(text) + len(pair or "")
    if total > MAX_CHARACTERS:
        if not cut:
            raise TooLongError("error.too_many_characters", got=total, limit=MAX_CHARACTERS)
        text = text[:MAX_CHARACTERS]
        pair = pair[: MAX_CHARACTERS - len(text)] if pair else None
    return text, pair or None
