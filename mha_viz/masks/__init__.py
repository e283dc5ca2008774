"""Masks: which key each query may attend to. One frozen record a kind, combined with ``&``, ``|`` and ``~``.

To add a kind: write its record with a ``name``, its fields (each with its bounds in ``metadata``) and ``visible``, and put
it in ``MASKS``. Its switch, its number fields, its place in the link and its property tests follow from that.
"""

from __future__ import annotations

from mha_viz.masks.base import AllOf, AnyOf, Mask, Not, joined, visible_cells
from mha_viz.masks.blocks import BlockDiagonal, BlockSparse, Segments
from mha_viz.masks.chosen import AcrossSentences, HideKey, HideQuery, Painted, WithinSentence
from mha_viz.masks.measures import density, layers_until, reach
from mha_viz.masks.order import Causal, DilatedWindow, GlobalTokens, LocalWindow, Padding, Strided

__all__ = [
    "MASKS",
    "AcrossSentences",
    "AllOf",
    "AnyOf",
    "BlockDiagonal",
    "BlockSparse",
    "Causal",
    "DilatedWindow",
    "GlobalTokens",
    "HideKey",
    "HideQuery",
    "LocalWindow",
    "Mask",
    "Not",
    "Padding",
    "Painted",
    "Segments",
    "Strided",
    "WithinSentence",
    "density",
    "joined",
    "layers_until",
    "reach",
    "visible_cells",
]

#: Every kind that can be switched on by itself, by the name it has in links.
MASKS: dict[str, type[Mask]] = {
    kind.name: kind
    for kind in (
        Causal,
        Padding,
        LocalWindow,
        DilatedWindow,
        Strided,
        GlobalTokens,
        BlockDiagonal,
        BlockSparse,
        Segments,
        WithinSentence,
        AcrossSentences,
        HideKey,
        HideQuery,
        Painted,
    )
}
