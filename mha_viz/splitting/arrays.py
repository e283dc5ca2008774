"""The arrays of a layer as far as they are shown, every number as the run recorded it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mha_viz.arrays import FloatArray
from mha_viz.splitting.records import MOST_COLUMNS, MOST_TOKENS, Sample, Shown
from mha_viz.trace import LayerTrace, side_by_side
from mha_viz.words import say

#: Beyond these the kernel takes a temperature for its limit, 0 or infinity, and divides by nothing.
SMALLEST_TEMPERATURE, LARGEST_TEMPERATURE = 1e-30, 1e30


def sample_of(trace: LayerTrace, query_row: int) -> Sample:
    """What is shown: the first tokens, or those around ``query_row``, and the first columns of every head."""
    n_tokens, n_heads, d_k = trace.query_tokens.n_tokens, trace.spec.n_heads, trace.spec.d_k
    first = 0
    if n_tokens > MOST_TOKENS and query_row >= MOST_TOKENS:
        first = min(query_row - MOST_TOKENS // 2, n_tokens - MOST_TOKENS)
    rows = tuple(range(first, min(first + MOST_TOKENS, n_tokens)))
    each = d_k if trace.spec.d_model <= MOST_COLUMNS else min(max(MOST_COLUMNS // n_heads, 1), d_k)
    columns = tuple(head * d_k + column for head in range(n_heads) for column in range(each))
    notes = []
    if len(rows) < n_tokens:
        notes.append(say("splitting.note.tokens", shown=len(rows), n_tokens=n_tokens, first=rows[0], last=rows[-1]))
    if each < d_k:
        notes.append(say("splitting.note.columns", each=each, d_k=d_k, shown=len(columns), d_model=trace.spec.d_model))
    if notes:
        notes.append(say("splitting.note.computed"))
    return Sample(rows, columns, " ".join(notes))


def temperatures_of(trace: LayerTrace) -> tuple[float, ...]:
    """What each head's scaled scores are divided by, (head,): 1 where the controls leave it alone, or at a limit."""
    controls = trace.controls
    divides = SMALLEST_TEMPERATURE <= controls.temperature <= LARGEST_TEMPERATURE
    return tuple(
        controls.temperature if divides and controls.acts_in(trace.layer, head) else 1.0
        for head in range(trace.spec.n_heads)
    )


def scaled_of(trace: LayerTrace) -> FloatArray:
    """(head, query, key): multiplied after the product, as the kernel does."""
    return trace.scores * np.float32(trace.scaling)


def shares_of(trace: LayerTrace) -> FloatArray | None:
    """float32 (head, token, d_model): what each head alone adds to the output; with b_O they add up to it.

    None where W_O is not known.
    """
    if trace.W_O is None:
        return None
    by_head = trace.W_O.reshape(trace.spec.n_heads, trace.spec.d_k, trace.spec.d_model)  # rows of W_O, head by head
    return np.matmul(trace.head_output, by_head)


def share_sizes(shares: FloatArray) -> FloatArray:
    """float32 (head,): each share's Frobenius norm, over the sum of all; all 0 if all are."""
    norms = np.sqrt(np.einsum("htd,htd->h", shares, shares, dtype=np.float64))
    total = norms.sum()
    return (norms / total if total > 0 else norms).astype(np.float32)


def arrays_of(trace: LayerTrace, sample: Sample) -> dict[str, Shown]:
    """Every array that a step may show, by name."""
    rows, columns = np.array(sample.rows), np.array(sample.columns)
    pairs = np.ix_(np.arange(trace.spec.n_heads), rows, rows)
    wide = np.ix_(rows, columns)
    scaled = scaled_of(trace)
    found: dict[str, FloatArray] = {}
    if trace.x is not None:
        found["x"] = trace.x[wide]
    for name in ("query", "key", "value"):
        found[name] = side_by_side(getattr(trace, name))[wide]
    found |= {"scores": trace.scores[pairs], "scaled": scaled[pairs]}
    if set(temperatures_of(trace)) != {1.0}:
        found["tempered"] = _tempered(scaled[pairs], temperatures_of(trace))
    found |= {
        "visible": trace.visible[pairs],
        "weights": trace.weights[pairs],
        "row_sums": trace.weights.sum(axis=-1, keepdims=True)[:, rows],  # of all keys, shown or not
        "head_output": trace.joined[wide],
        "output": trace.output[wide],
    }
    shares = shares_of(trace)
    if shares is not None:
        found["shares"] = shares[np.ix_(np.arange(trace.spec.n_heads), rows, columns)]
        found["share_size"] = share_sizes(shares)[:, None, None]
    found |= _matrices(trace, columns)
    shown = {name: _shown(name, values) for name, values in found.items()}
    return shown | {"joined": _shown("joined", found["head_output"], same_as="head_output")}


def _matrices(trace: LayerTrace, columns: npt.NDArray[np.int_]) -> dict[str, FloatArray]:
    """The shown part of each matrix, (column, column), and of each bias, (1, column), as far as the layer has them."""
    named = {letter: (getattr(trace, f"W_{letter}"), getattr(trace, f"b_{letter}")) for letter in "QKVO"}
    found = {
        f"W_{letter}": matrix[np.ix_(columns, columns)] for letter, (matrix, _) in named.items() if matrix is not None
    }
    biases = {f"b_{letter}": bias[columns][None] for letter, (_, bias) in named.items() if bias is not None}
    if "b_O" in biases:
        biases["bias"] = biases.pop("b_O")
    return found | biases


def _tempered(scaled: FloatArray, temperatures: tuple[float, ...]) -> FloatArray:
    """Divided by the temperature; what float32 cannot write is its largest number."""
    divided = scaled.astype(np.float64) / np.array(temperatures)[:, None, None]
    largest = float(np.finfo(np.float32).max)
    return np.clip(divided, -largest, largest)


def _shown(name: str, values: npt.NDArray[np.generic], same_as: str | None = None) -> Shown:
    kept = np.array(values, dtype=np.float32, order="C")
    meaning = say(f"splitting.array.{name}")
    return Shown(kept, float(kept.min()), float(kept.max()), meaning, same_as)
