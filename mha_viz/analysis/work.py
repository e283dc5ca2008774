"""Long work in slices: a generator that yields how far it is and returns its result.

Nothing here runs by itself: whoever wants the result asks for the next slice, and may stop in between.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")

#: Yields the share that is done, 0 to 1, at least every tenth of a second or so; the result is what it returns.
Work = Generator[float, None, Result]


class Partly(float, Generic[Result]):
    """A share that is done, and what there is of the result by then: whoever stops may keep that.

    Attributes:
        result: of the kind that the work returns, made of what is done.
    """

    result: Result

    def __new__(cls, share: float, result: Result) -> Partly[Result]:
        """The share, with the result on it."""
        made: Any = super().__new__(cls, share)
        made.result = result
        return made


def finished(work: Work[Result]) -> Result:
    """The result of work that is done in one go."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: Result = end.value
            return result
