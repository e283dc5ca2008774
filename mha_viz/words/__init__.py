"""Every sentence a user reads, by key: one table a language. The bottom layer; it imports nothing of the project."""

from mha_viz.words.en import EN

TABLES: dict[str, dict[str, str]] = {"en": EN}
LANGUAGE = "en"


def say(key: str, /, **values: object) -> str:
    """The sentence for ``key``, its places filled with ``values``.

    Args:
        key: a key of the table.
        values: one value for each ``{name}`` in the sentence.

    Raises:
        KeyError: the table has no such key, or a place of the sentence got no value: a mistake of the programmer.
    """
    return TABLES[LANGUAGE][key].format(**values)
