"""The packaged BERT quantised to INT8 by part and by scale: bytes, speed, drift of its maps and embeddings."""

from __future__ import annotations

import time
from itertools import product

from torch import nn

from mha_viz.labs.nets import n_parameters
from mha_viz.labs.plans_cost import Int8Options
from mha_viz.labs.quantising import quantise, tried
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.labs.rounding import LENGTH, Base, base, bytes_of, drift, drift_of, file_bytes, text_to_time, times
from mha_viz.labs.steps import part_of as within
from mha_viz.labs.steps import told
from mha_viz.models.huggingface.changed import Changed, part_of


def run(options: Int8Options) -> Steps:
    """A row of kind "model" for float32 and for each part, scale and function, and rows of kind "module"."""
    yield Step(0.0)
    found = base(options.sentences)
    yield Step(0.05, _plain(found))
    for api in options.apis:
        for row in tried(api):
            yield Step(0.08, {"kind": "module"} | row)
    settings = list(product(options.apis, options.grains, options.parts))
    for number, setting in enumerate(settings):
        each = 0.92 / len(settings)
        yield from _quantised(found, setting, options.rounds, 0.08 + number * each, each)


def names_of(network: nn.Module, part: str) -> list[str]:
    """The linear layers of a part of a BERT, "all" for every one."""
    linear = [name for name, module in network.named_modules() if isinstance(module, nn.Linear)]
    return [name for name in linear if part in ("all", part_of(name))]


def _plain(found: Base) -> Row:
    n_embeddings = sum(
        values.numel() for name, values in found.plain.network.named_parameters() if part_of(name) == "embeddings"
    )
    row: Row = {"kind": "model", "api": "float32", "grain": "", "part": "", "sentences": len(found.sequences)}
    row |= {"tokens": sum(tokens.n_tokens for tokens in found.sequences), "length": LENGTH}
    row |= {"parameters": n_parameters(found.plain.network), "embeddings": n_embeddings}
    return row | _sizes(found.plain) | drift(found.readings, found.readings)


def _sizes(changed: Changed) -> Row:
    return {"bytes": bytes_of(changed.network), "file": file_bytes(changed.network)}


def _quantised(found: Base, setting: tuple[str, str, str], rounds: int, begun: float, share: float) -> Steps:
    started = time.monotonic()
    api, grain, part = setting
    changed = Changed(found.plain.network)
    changed.network = quantise(changed.network, api, grain, names_of(changed.network, part))
    drifted = yield from told(within(drift_of(found, changed), begun, share / 2))
    ids = text_to_time()
    work = times(lambda: found.plain.read(ids), lambda: changed.read(ids), rounds)
    timing = yield from told(within(work, begun + share / 2, share / 2))
    row: Row = {"kind": "model", "api": api, "grain": grain, "part": part} | _sizes(changed) | drifted | timing
    yield Step(min(begun + share, 1.0), row | {"seconds": round(time.monotonic() - started, 1)})
