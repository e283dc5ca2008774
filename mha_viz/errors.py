"""The exception tree. An error carries a key of the table of words and the values that fill it, never a sentence.

``str(error)`` looks the sentence up, so that the same error reads well in a traceback, in a notebook and on a page, and a
second language needs no second error.
"""

from mha_viz.words import say


class MhaVizError(Exception):
    """Something a person can put right.

    Args:
        key: key of the sentence in the table of words; the sentence says what was wrong, what was got, what is allowed and
            what to do next.
        values: what fills the sentence's places.
    """

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key, values)
        self.key = key
        self.values = values

    def __str__(self) -> str:
        return say(self.key, **self.values)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.key, self.values)


def _rebuild(kind: type[MhaVizError], key: str, values: dict[str, object]) -> MhaVizError:
    return kind(key, **values)


class InputError(MhaVizError):
    """A text, a control or an option that cannot be used as given."""


class TooLongError(InputError):
    """A text with more characters or tokens than the model reads; cutting it is offered."""


class ModelError(MhaVizError):
    """A model that cannot be found, loaded or trusted."""


class NotHereError(ModelError):
    """A model that is not on this computer yet; fetching it is offered."""


class DamagedModelError(NotHereError):
    """A fetched model with a damaged file; fetching it again replaces the file."""


class RecordError(MhaVizError):
    """A record whose parts contradict one another: wrong shapes, rows that do not sum to 1, weight on hidden cells."""


class ExportError(MhaVizError):
    """A file that cannot be written, or a picture that cannot be made here."""
