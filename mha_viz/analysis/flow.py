"""Attention flow (Abnar & Zuidema 2020): the most that can flow from a token down to an input token.

The layers are a graph: an edge from each token of a layer to each token of the layer below, as wide as A = 0.5 W + 0.5 I says
(``rollout.mixing``). Unlike rollout, which multiplies along each path and adds the paths, flow asks how much all paths together
can carry where they share edges. One maximum flow a pair of tokens, so only for short sentences.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from mha_viz.analysis.rollout import mixing
from mha_viz.analysis.work import Work
from mha_viz.arrays import FloatArray
from mha_viz.errors import InputError
from mha_viz.trace import Reading

#: Tokens of the longest sentence; the time grows with their fourth power.
LONGEST_FLOW = 32
#: Widths are whole numbers of this share: the resolution of the result. The most that leaves a token is 1, so that no flow
#: exceeds 2**30 and fits into the 32-bit integers of scipy.
RESOLUTION = 2.0**-30


def flow(reading: Reading, layer: int) -> Work[FloatArray]:
    """Flow from every token after a layer to every input token.

    Args:
        reading: a run, or a reading of one.
        layer: from 0; the layers up to it make the graph.

    Returns:
        Work whose result is float64 (query, key): F[i, k] is the maximum flow from token i above ``layer`` to input token k,
        and each row is divided by its sum. Exact to RESOLUTION times the number of edges it crosses. A row without a key in a
        layer goes down its own edge alone.

    Raises:
        InputError: more than LONGEST_FLOW tokens; raised at once.
    """
    if reading.n_tokens > LONGEST_FLOW:
        raise InputError("error.flow_too_long", got=reading.n_tokens, limit=LONGEST_FLOW)
    return _flow([mixing(reading, number) for number in range(layer + 1)])


def _flow(mixed: list[FloatArray]) -> Work[FloatArray]:
    from scipy.sparse.csgraph import maximum_flow  # takes half a second to import

    n, top = len(mixed[0]), len(mixed)
    graph = _graph(mixed)
    flows = np.empty((n, n))
    for query in range(n):
        for key in range(n):
            flows[query, key] = maximum_flow(graph, top * n + query, key, method="dinic").flow_value
            yield (query * n + key + 1) / n**2
    return flows / flows.sum(axis=1, keepdims=True)


def _graph(mixed: list[FloatArray]) -> Any:
    """The layered graph as a sparse matrix of 32-bit widths: node ``level * n + position``, level 0 the input."""
    from scipy.sparse import block_array, csr_array

    n = len(mixed[0])
    levels = range(len(mixed) + 1)
    blocks: list[list[Any]] = [[None for _ in levels] for _ in levels]
    for matrix, (below, above) in zip(mixed, pairwise(levels), strict=True):
        blocks[above][below] = csr_array(np.rint(matrix / RESOLUTION).astype(np.int32))
    blocks[0][0] = csr_array((n, n), dtype=np.int32)
    blocks[-1][-1] = csr_array((n, n), dtype=np.int32)
    return csr_array(block_array(blocks, format="csr", dtype=np.int32))
