"""Every pitfall, by name, in the order of the page. Without torch: a pitfall's own module is imported where it is tried.

Such a module has ``CASES``, the options of every claim that is tried, and ``try_it(options) -> Trial``.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from mha_viz.labs.options import Options
from mha_viz.labs.pitfalls.base import Trial

_ROOM = "mha_viz.labs.pitfalls"

#: Names in the address; "pitfalls.NAME" is their title.
PITFALLS = (
    "split",
    "masks",
    "no_key",
    "norm",
    "scaled",
    "mean",
    "gradients",
    "sqrt",
    "softmax",
    "linear",
    "checks",
    "temperature",
    "flat",
    "sources",
)


def cases(name: str) -> Sequence[Options]:
    """The options of every claim that a pitfall tries, the page's first one first."""
    found: Sequence[Options] = importlib.import_module(f"{_ROOM}.{name}").CASES
    return found


def try_it(name: str, options: Options) -> Trial:
    """Tries a claim."""
    trial: Trial = importlib.import_module(f"{_ROOM}.{name}").try_it(options)
    return trial
