"""BigBird and Longformer as transformers computes them: how many cells they read at each length, and when they read all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mha_viz.labs.plans import SparseModelsOptions, full_until
from mha_viz.labs.results import Row, Step, Steps

if TYPE_CHECKING:
    from mha_viz.models.huggingface.sparse import Read

#: Maps of so many tokens at most are kept in a row.
_MOST_DRAWN = 64


def run(options: SparseModelsOptions) -> Steps:
    """Each length with a model of its own; at the end BigBird with a short text and then with a long one."""
    yield Step(0.0)
    from mha_viz.models.huggingface import sparse  # imports transformers, which takes seconds

    lengths = sorted(set(options.tokens))
    shares = iter(range(1, 2 * len(lengths) + 2))
    whole = 2 * len(lengths) + 1
    for length in lengths:
        read = sparse.read_bigbird(sparse.bigbird(options.block, options.random), length)
        yield Step(next(shares) / whole, _row("bigbird", length, read))
    for length in lengths:
        read = sparse.read_longformer(sparse.longformer(2 * options.radius), length)
        yield Step(next(shares) / whole, _row("longformer", length, read))
    model = sparse.bigbird(options.block, options.random)
    short, long = full_until(options.block, options.random), 2 * full_until(options.block, options.random)
    sparse.read_bigbird(model, short)
    yield Step(1.0, _row("after", long, sparse.read_bigbird(model, long)) | {"short": short})


def _row(model: str, length: int, read: Read) -> Row:
    seen = read.reads.sum(axis=1)
    drawn = [[int(cell) for cell in row] for row in read.reads] if length <= _MOST_DRAWN else None
    return {
        "model": model,
        "tokens": length,
        "kind": read.kind,
        "share": round(float(read.reads.mean()), 6),
        "keys": sorted({int(count) for count in seen}),
        "maps": read.maps,
        "weighed": read.weighed,
        "padded_to": read.padded_to,
        "reads": ["".join(map(str, row)) for row in drawn] if drawn is not None else None,
    }
