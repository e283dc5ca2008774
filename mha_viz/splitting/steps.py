"""From the record of one attention layer to its nine steps."""

from __future__ import annotations

from collections.abc import Sequence

from mha_viz.errors import InputError, RecordError
from mha_viz.splitting.arrays import arrays_of, sample_of
from mha_viz.splitting.code import code_of
from mha_viz.splitting.layout import LEFT, STAGE, TOP, Area, Part, cards, matrix
from mha_viz.splitting.records import HEIGHT, STEPS, Colour, Reveal, Sample, Sheet, Shown, Splitting, Step
from mha_viz.splitting.texts import Narrator
from mha_viz.trace import LayerTrace
from mha_viz.words import say


def steps_of(
    trace: LayerTrace, *, labels: Sequence[str] | None = None, query_row: int = 0, focus: int = 0
) -> Splitting:
    """Nine steps from X to the output, with the numbers of the run.

    Args:
        trace: one layer of a run.
        labels: what to call its tokens, one each; as the model writes them if None.
        query_row: position of the token whose row is followed.
        focus: the head whose numbers are told.

    Raises:
        InputError: there is no such token or head.
        RecordError: there are more or fewer labels than tokens.
    """
    spec, n_tokens = trace.spec, trace.query_tokens.n_tokens
    names = tuple(trace.query_tokens.tokens if labels is None else labels)
    if len(names) != n_tokens:
        raise RecordError("error.lengths", what="labels", got=len(names), expected=n_tokens)
    if not 0 <= query_row < n_tokens:
        raise InputError("error.no_such_token", got=query_row, last=n_tokens - 1)
    if not 0 <= focus < spec.n_heads:
        raise InputError(
            "error.no_such_head", got=f"H{focus}", name=spec.name, layers=spec.n_layers - 1, heads=spec.n_heads - 1
        )
    sample = sample_of(trace, query_row)
    arrays = arrays_of(trace, sample)
    narrator, stage = Narrator(trace, names, query_row, focus), _Stage(spec.n_heads, sample, arrays)
    return Splitting(
        model=spec.name,
        layer=trace.layer,
        tokens=names,
        d_model=spec.d_model,
        n_heads=spec.n_heads,
        d_k=spec.d_k,
        query_row=query_row,
        focus=focus,
        sample=sample,
        arrays=arrays,
        steps=tuple(_step(name, narrator, stage) for name in STEPS),
    )


def _step(name: str, narrator: Narrator, stage: _Stage) -> Step:
    said, code = narrator.step(name), code_of(name)
    return Step(
        name=name,
        title=said.title,
        caption=said.caption,
        formula=said.formula,
        shape=said.shape,
        speech=said.speech,
        code=code.kernel,
        numpy=code.numpy,
        sheets=stage.sheets(name),
    )


class _Stage:
    """What lies where, step by step."""

    def __init__(self, n_heads: int, sample: Sample, arrays: dict[str, Shown]) -> None:
        self._n_heads, self._arrays = n_heads, arrays
        self._rows, self._columns = len(sample.rows), len(sample.columns)
        self._each = self._columns // n_heads

    def sheets(self, name: str) -> tuple[Sheet, ...]:
        """Of a step, one of STEPS."""
        found: tuple[Sheet, ...] = getattr(self, f"_{name}")()
        return found

    def _x(self) -> tuple[Sheet, ...]:
        return (self._whole("x", STAGE, heads=False),) if "x" in self._arrays else ()

    def _project(self) -> tuple[Sheet, ...]:
        """X above its three matrices above what they give; query, key and value alone where X is not known."""
        known = "x" in self._arrays
        top = 615.0 if known else TOP
        gap = 50.0
        width = (STAGE.width - 2 * gap) / 3
        sheets = [self._whole("x", Area(LEFT, TOP, STAGE.width, 170.0), heads=False)] if known else []
        for at, (array, letter) in enumerate((("query", "Q"), ("key", "K"), ("value", "V"))):
            left = LEFT + at * (width + gap)
            if known:
                sheets.append(self._fixed(f"W_{letter}", Area(left, 285.0, width, 256.0), self._columns))
            if f"b_{letter}" in self._arrays:
                sheets.append(self._fixed(f"b_{letter}", Area(left, 556.0, width, 10.0), 1))
            sheets.append(self._whole(array, Area(left, top, width, HEIGHT - 40.0 - top)))
        return tuple(sheets)

    def _split(self) -> tuple[Sheet, ...]:
        return self._cards(self._own("query"), self._own("key"), self._own("value"))

    def _scores(self) -> tuple[Sheet, ...]:
        return self._cards(self._own("query"), self._own("key"), self._square("scaled", reveal="rows"))

    def _mask(self) -> tuple[Sheet, ...]:
        return self._cards(self._square(self._masked), self._square("visible", "visible"))

    def _softmax(self) -> tuple[Sheet, ...]:
        sums = Part("row_sums", say("splitting.label.row_sums"), 1, by_head=True, colour="weights")
        return self._cards(self._square(self._masked), self._square("weights", "weights", "rows"), sums)

    def _weigh(self) -> tuple[Sheet, ...]:
        return self._cards(self._square("weights", "weights"), self._own("value"), self._own("head_output", "rows"))

    def _join(self) -> tuple[Sheet, ...]:
        return (self._whole("joined", STAGE),)

    def _output(self) -> tuple[Sheet, ...]:
        """The joined heads, W_O and the output; below them each head's share."""
        if "W_O" not in self._arrays:
            half = (STAGE.width - 120.0) / 2
            right = Area(LEFT + half + 120.0, TOP, half, STAGE.height)
            return self._whole("joined", Area(LEFT, TOP, half, STAGE.height)), self._whole("output", right, heads=False)
        height, side, gap = 300.0, 300.0, 60.0
        width = (STAGE.width - side - 2 * gap) / 2
        left = LEFT + width + side + 2 * gap
        output = self._whole("output", Area(left, TOP, width, height), heads=False)
        sheets = [
            self._whole("joined", Area(LEFT, TOP, width, height)),
            self._fixed("W_O", Area(LEFT + width + gap, TOP, side, height), self._columns, heads=False),
            output,
        ]
        if "bias" in self._arrays:
            sheets.append(self._fixed("bias", Area(left, TOP + height + 34.0, width, output.cell[1]), 1, heads=False))
        size = Part("share_size", say("splitting.label.share_size"), 1, by_head=True, colour="weights")
        share = Part("shares", say("splitting.label.shares"), self._columns, by_head=True)
        lower = Area(LEFT, 460.0, STAGE.width, HEIGHT - 480.0)
        return (*sheets, *cards([size, share], self._n_heads, self._rows, lower, tokens=False))

    @property
    def _masked(self) -> str:
        return "tempered" if "tempered" in self._arrays else "scaled"

    def _whole(self, array: str, area: Area, *, heads: bool = True) -> Sheet:
        """A matrix with a row for each token."""
        shape = (self._rows, self._columns)
        return matrix(array, say(f"splitting.label.{array}"), self._n_heads if heads else None, shape, area)

    def _fixed(self, array: str, area: Area, rows: int, *, heads: bool = True) -> Sheet:
        """A matrix or bias of the model, whatever the tokens."""
        shape = (rows, self._columns)
        return matrix(array, say(f"splitting.label.{array}"), self._n_heads if heads else None, shape, area, "none")

    def _own(self, array: str, reveal: Reveal = "none") -> Part:
        """A head's own columns."""
        return Part(array, say(f"splitting.label.{array}"), self._each, by_head=False, reveal=reveal)

    def _square(self, array: str, colour: Colour = "diverging", reveal: Reveal = "none") -> Part:
        """Queries by keys."""
        return Part(array, say(f"splitting.label.{array}"), self._rows, by_head=True, colour=colour, reveal=reveal)

    def _cards(self, *parts: Part) -> tuple[Sheet, ...]:
        return cards(list(parts), self._n_heads, self._rows)
