"""BigBird and Longformer as transformers computes them: how many cells they read at each length, and when they read all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mha_viz.labs.plans_cost import SPARSE_MODELS, SparseModelsOptions, full_until
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
    todo = [(model, length) for model in SPARSE_MODELS for length in lengths]
    for done, (model, length) in enumerate(todo, start=1):
        if model == "longformer":
            read = sparse.read_longformer(sparse.longformer(2 * options.radius), length)
        else:
            made = sparse.bigbird(options.block, options.random, training=model == "bigbird_train")
            read = sparse.read_bigbird(made, length)
        yield Step(done / (len(todo) + 1), _row(model, length, read))
    kept = sparse.bigbird(options.block, options.random)
    short, long = full_until(options.block, options.random), 2 * full_until(options.block, options.random)
    sparse.read_bigbird(kept, short)
    yield Step(1.0, _row("after", long, sparse.read_bigbird(kept, long)) | {"short": short})


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
        "row_sum": round(read.lowest_sum, 4) if read.lowest_sum is not None else None,
        "padded_to": read.padded_to,
        "reads": ["".join(map(str, row)) for row in drawn] if drawn is not None else None,
    }
