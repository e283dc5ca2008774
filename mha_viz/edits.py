"""Records of what a person changes in a sequence of tokens before the model reads it, and their short form for links.

A step's positions count in what the steps before it left: "put-3-cats" may make two tokens of one, and all after it move on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from mha_viz.errors import InputError
from mha_viz.words import say

#: Bounds that keep a link from asking for endless work.
MOST_EDITS, MOST_CHARACTERS = 50, 100


@dataclass(frozen=True)
class Edit:
    """One step. Positions count from 0.

    Attributes:
        name: how its short form begins.

    Raises:
        InputError: a position below 0.
    """

    name: ClassVar[str]

    def __post_init__(self) -> None:
        wrong = [position for position in self.positions if position < 0]
        if wrong:
            raise InputError("error.edit_position", got=wrong[0])

    @property
    def positions(self) -> tuple[int, ...]:
        """The tokens it names."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """The short form: letters, digits, "-" and "~"."""
        return "-".join([self.name, *map(str, self.positions)])


@dataclass(frozen=True)
class MaskToken(Edit):
    """The model's mask token in place of a token.

    Attributes:
        position: of the token.
    """

    name: ClassVar[str] = "mask"
    position: int

    @property
    def positions(self) -> tuple[int, ...]:
        """The token that is masked."""
        return (self.position,)


@dataclass(frozen=True)
class PutWord(Edit):
    """A word, or a piece of one as the model writes it ("##s"), in place of a token.

    Attributes:
        position: of the token.
        word: what stands there instead; blanks around it do not count.

    Raises:
        InputError: nothing but blanks, or more than MOST_CHARACTERS.
    """

    name: ClassVar[str] = "put"
    position: int
    word: str

    def __post_init__(self) -> None:
        super().__post_init__()
        # a lone surrogate, which no encoding can carry, becomes U+FFFD, as in a sentence
        word = self.word.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        object.__setattr__(self, "word", word.strip())
        if not 0 < len(self.word) <= MOST_CHARACTERS:
            raise InputError("error.edit_word", got=len(self.word), limit=MOST_CHARACTERS)

    @property
    def positions(self) -> tuple[int, ...]:
        """The token that is replaced."""
        return (self.position,)

    @property
    def text(self) -> str:
        """The short form, with all of the word but letters and digits as bytes."""
        return f"{super().text}-{_escaped(self.word)}"


@dataclass(frozen=True)
class SwapTokens(Edit):
    """Two tokens change places.

    Attributes:
        first, second: their positions.
    """

    name: ClassVar[str] = "swap"
    first: int
    second: int

    @property
    def positions(self) -> tuple[int, ...]:
        """The tokens that change places."""
        return self.first, self.second


@dataclass(frozen=True)
class DropToken(Edit):
    """A token is left out, and those after it move up.

    Attributes:
        position: of the token.
    """

    name: ClassVar[str] = "drop"
    position: int

    @property
    def positions(self) -> tuple[int, ...]:
        """The token that is left out."""
        return (self.position,)


@dataclass(frozen=True)
class Edits:
    """Steps, one after the other. ``Edits()`` changes nothing.

    Attributes:
        steps: in the order in which they are made.

    Raises:
        InputError: more than MOST_EDITS.
    """

    steps: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))
        if len(self.steps) > MOST_EDITS:
            raise InputError("error.edits_many", limit=MOST_EDITS)

    def __bool__(self) -> bool:
        return bool(self.steps)

    def then(self, step: Edit) -> Edits:
        """These and one more."""
        return Edits((*self.steps, step))

    @property
    def text(self) -> str:
        """The short form, as in "mask-3.swap-2-5.put-4-cat"; "" for no steps. ``parse`` reads it."""
        return ".".join(step.text for step in self.steps)


_NUMBER = "[0-9]{1,6}"
_WORD = r"(?P<word>(?:[^\W_]|~[0-9A-Fa-f]{2})+)"
_FORMS: tuple[tuple[re.Pattern[str], Callable[..., Edit]], ...] = (
    (re.compile(f"mask-(?P<numbers>{_NUMBER})"), MaskToken),
    (re.compile(f"drop-(?P<numbers>{_NUMBER})"), DropToken),
    (re.compile(f"swap-(?P<numbers>{_NUMBER}-{_NUMBER})"), SwapTokens),
    (re.compile(f"put-(?P<numbers>{_NUMBER})-{_WORD}"), PutWord),
)


def parse(text: str) -> Edits:
    """The steps of a short form.

    Raises:
        InputError: it is none, or a step in it is not allowed.
    """
    if not text:
        return Edits()
    parts = text.split(".", MOST_EDITS)
    if len(parts) > MOST_EDITS:
        raise InputError("error.edits_many", limit=MOST_EDITS)
    return Edits(tuple(_step(part) for part in parts))


def _step(text: str) -> Edit:
    for form, kind in _FORMS:
        found = form.fullmatch(text)
        if found is not None:
            with suppress(UnicodeDecodeError):
                word = [_unescaped(found["word"])] if "word" in found.groupdict() else []
                return kind(*map(int, found["numbers"].split("-")), *word)
    raise InputError("error.edits_unreadable", got=ascii(text[:40]))


def _escaped(word: str) -> str:
    """Letters and digits as they are, every other character as its bytes in UTF-8: "~2D" for "-"."""
    return "".join(
        character if character.isalnum() else "".join(f"~{byte:02X}" for byte in character.encode())
        for character in word
    )


def _unescaped(text: str) -> str:
    return re.sub("(?:~[0-9A-Fa-f]{2})+", lambda found: bytes.fromhex(found[0].replace("~", "")).decode(), text)


def described(step: Edit, tokens: tuple[str, ...]) -> str:
    """A step in words.

    Args:
        step: the step.
        tokens: what stands where before it, as a person should read them; positions that are not there are named by number.
    """
    named = [tokens[at] if at < len(tokens) else str(at) for at in step.positions]
    if isinstance(step, PutWord):
        return say("edit.put", token=named[0], position=step.position, word=step.word)
    if isinstance(step, SwapTokens):
        return say("edit.swap", token=named[0], position=step.first, other=named[1], place=step.second)
    return say(f"edit.{step.name}", token=named[0], position=step.positions[0])
