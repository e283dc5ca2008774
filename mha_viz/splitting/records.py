"""Records of one attention layer taken apart into steps: what is drawn where, in which words. Frozen; arrays read-only.

Places are in abstract units on a stage of WIDTH x HEIGHT, from its top left corner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mha_viz.arrays import FloatArray, ReadOnlyArrays

#: The stage.
WIDTH, HEIGHT = 1600, 900
#: At most so many tokens and columns are shown.
MOST_TOKENS, MOST_COLUMNS = 16, 64

#: The steps, in their order.
STEPS = ("x", "project", "split", "scores", "mask", "softmax", "weigh", "join", "output")

Colour = Literal["diverging", "weights", "visible"]
Rows = Literal["tokens", "none"]
Reveal = Literal["rows", "none"]


@dataclass(frozen=True)
class Line:
    """One line of code.

    Attributes:
        number: in its file, from 1.
        text: with its indentation.
        on: whether it belongs to the step.
    """

    number: int
    text: str
    on: bool


@dataclass(frozen=True)
class Block:
    """A part of a sheet that moves as one: the columns of one head, or all.

    Attributes:
        head: whose; None if it belongs to no head. Of an array (head, row, column) it is the head drawn.
        start, end: columns of the array, the end not included.
        x, y: left and top of its cells.
    """

    head: int | None
    start: int
    end: int
    x: float
    y: float


@dataclass(frozen=True)
class Sheet:
    """One array as it lies on the stage in one step.

    Attributes:
        array: its name.
        label: its symbol.
        blocks: its parts.
        cell: width and height of a cell.
        colour: "diverging" around 0, "weights" from 0, "visible" for 0 and 1.
        rows: "tokens" if its rows are tokens.
        reveal: "rows" if it builds up row by row.
    """

    array: str
    label: str
    blocks: tuple[Block, ...]
    cell: tuple[float, float]
    colour: Colour = "diverging"
    rows: Rows = "tokens"
    reveal: Reveal = "none"


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        name: one of STEPS.
        title, caption, formula, shape, speech: to read; speech has this run's numbers, for screen readers.
        code: the kernel's lines.
        numpy: the lines of the plain NumPy layer.
        sheets: what lies on the stage, the lowest first.
    """

    name: str
    title: str
    caption: str
    formula: str
    shape: str
    speech: str
    code: tuple[Line, ...]
    numpy: tuple[Line, ...]
    sheets: tuple[Sheet, ...]


@dataclass(frozen=True, eq=False)
class Shown(ReadOnlyArrays):
    """One array as far as it is shown.

    Attributes:
        values: float32 (row, column) or (head, row, column).
        low, high: its smallest and largest number.
        meaning: in words.
        same_as: the array of which it is the same numbers in another place; None if of none.
    """

    values: FloatArray
    low: float
    high: float
    meaning: str
    same_as: str | None = None

    def __post_init__(self) -> None:
        self.freeze_arrays()


@dataclass(frozen=True)
class Sample:
    """Which tokens and columns are shown.

    Attributes:
        rows: positions of tokens, at most MOST_TOKENS.
        columns: numbers of columns of d_model, equally many of every head, each head's first ones.
        note: a sentence that says what is left out; "" if nothing is.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    note: str


@dataclass(frozen=True, eq=False)
class Splitting:
    """One attention layer of one run, step by step.

    Attributes:
        model: what people call it.
        layer: from 0.
        tokens: labels of all tokens.
        d_model, n_heads, d_k: sizes.
        query_row: position of the token whose row is followed; it is among those shown.
        focus: the head whose numbers are told.
        sample: what is shown of it.
        arrays: by name.
        steps: in the order of STEPS.
    """

    model: str
    layer: int
    tokens: tuple[str, ...]
    d_model: int
    n_heads: int
    d_k: int
    query_row: int
    focus: int
    sample: Sample
    arrays: dict[str, Shown]
    steps: tuple[Step, ...]

    @property
    def n_tokens(self) -> int:
        """All tokens, shown or not."""
        return len(self.tokens)
