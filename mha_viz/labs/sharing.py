"""Heads that share matrices, on the look-ups: what is saved, and what it costs.

full     every head has W_Q, W_K and W_V of its own.
grouped  heads share W_K and W_V in 4 or 2 groups (grouped-query attention, Ainslie et al. 2023).
multi    all heads share one W_K and one W_V (multi-query attention, Shazeer 2019).
query    all heads share one W_Q; each has its own W_K and W_V.

The last two are tried twice: with heads as wide as the full ones, and as wide as their savings allow, so that both sides have as
many parameters, up to the rest that no whole width fills.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import torch

from mha_viz.labs.lookups import LookupNet, Training, best_possible
from mha_viz.labs.nets import HeadsAttention, head_width, n_parameters
from mha_viz.labs.plans import D_MODEL, SharingOptions
from mha_viz.labs.results import Row, Step, Steps
from mha_viz.labs.savings import Sharing, cache_bytes, widest

#: Pairs of W_K and W_V of grouped heads.
_GROUPS = (4, 2)


class Setting(NamedTuple):
    """What one row is about."""

    task: str
    kind: str
    wider: bool
    shared: Sharing


def settings(options: SharingOptions) -> list[Setting]:
    """All that is asked for; kinds that would be one and the same appear once."""
    return [
        Setting(task, kind, wider, shared)
        for task in options.tasks
        for n_heads in options.heads
        for kind in options.kinds
        for wider, shared in _widths(kind, n_heads)
    ]


def _widths(kind: str, n_heads: int) -> Iterator[tuple[bool, Sharing]]:
    d_k = head_width(D_MODEL, n_heads)
    for n_kv in {"grouped": _GROUPS, "multi": (1,)}.get(kind, (n_heads,)):
        if kind in ("grouped", "multi") and (n_kv >= n_heads or n_heads % n_kv):
            continue
        if kind == "query" and n_heads == 1:
            continue
        shared = Sharing(n_heads, n_kv, d_k, one_query=kind == "query")
        yield False, shared
        wide = widest(D_MODEL, shared)
        if kind in ("multi", "query") and wide.d_k > d_k:
            yield True, wide


def make_net(setting: Setting, seed: int) -> LookupNet:
    """An untrained net; equal seeds make equal ones."""
    n_heads, n_kv, d_k, one_query = setting.shared
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        width = d_k if setting.wider else None
        attention = HeadsAttention(D_MODEL, n_heads, n_kv=n_kv, one_query=one_query, d_k=width)
        return LookupNet(setting.task, attention)


def run(options: SharingOptions) -> Steps:
    """Every setting with every seed; a row each."""
    jobs = [(setting, seed) for seed in range(options.seeds) for setting in settings(options)]
    for number, (setting, seed) in enumerate(jobs):
        begun = time.monotonic()
        task, kind, wider, shared = setting
        training = Training(make_net(setting, seed), seed, options.steps)
        row: Row = {"task": task, "kind": kind, "wider": wider, "heads": shared.n_heads, "kv": shared.n_kv}
        row |= {"d_k": shared.d_k, "seed": seed, "parameters": n_parameters(training.net)}
        row |= {"cache": cache_bytes(shared.n_kv, shared.d_k)}
        for share in training.run():
            live = row | {"at": list(training.at), "curve": list(training.curve)}
            yield Step((number + share) / len(jobs), live=live)
        row |= {"score": training.curve[-1], "best": best_possible(shared.n_heads) if task == "values" else None}
        row |= {"seconds": round(time.monotonic() - begun, 2)}
        # Every second point and the last: a result with many rows stays small.
        row |= {"at": training.at[::-2][::-1], "curve": [round(score, 3) for score in training.curve[::-2][::-1]]}
        yield Step((number + 1) / len(jobs), row)
