"""See what multi-head attention does, head by head, with the numbers of a real run.

    import mha_viz

    model = mha_viz.open_model("toy", n_heads=4)
    tokens = model.tokenize("the cat sat on the mat")
    trace = model.run(tokens, mha_viz.Controls(temperature=2.0, mask=mha_viz.Causal()))
    mha_viz.figures.head_heatmap(trace, layer=0, head=0)

Importing this imports neither torch nor transformers nor streamlit nor plotly; they come with the first model or figure.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from mha_viz.analysis.reading import Shown, read
from mha_viz.checks import Agreement
from mha_viz.controls import Controls, HeadId
from mha_viz.edits import DropToken, Edits, MaskToken, PutWord, SwapTokens
from mha_viz.errors import ExportError, InputError, MhaVizError, ModelError, NotHereError, RecordError, TooLongError
from mha_viz.export import citation, read_npz, trace_from_npz
from mha_viz.masks import (
    MASKS,
    AcrossSentences,
    AllOf,
    AnyOf,
    BlockDiagonal,
    BlockSparse,
    Causal,
    DilatedWindow,
    GlobalTokens,
    HideKey,
    HideQuery,
    LocalWindow,
    Mask,
    Not,
    Padding,
    Painted,
    Segments,
    Strided,
    WithinSentence,
)
from mha_viz.metrics import METRICS, Metric
from mha_viz.models import SOURCES, fetch_model, open_model
from mha_viz.own import trace_from_arrays
from mha_viz.spec import ModelSpec
from mha_viz.tokens import TokenSequence
from mha_viz.trace import Answer, AttentionTrace, LayerTrace
from mha_viz.version import VERSION

__all__ = [
    "MASKS",
    "METRICS",
    "SOURCES",
    "AcrossSentences",
    "Agreement",
    "AllOf",
    "Answer",
    "AnyOf",
    "AttentionTrace",
    "BlockDiagonal",
    "BlockSparse",
    "Causal",
    "Controls",
    "DilatedWindow",
    "DropToken",
    "Edits",
    "ExportError",
    "GlobalTokens",
    "HeadId",
    "HideKey",
    "HideQuery",
    "InputError",
    "LayerTrace",
    "LocalWindow",
    "Mask",
    "MaskToken",
    "Metric",
    "MhaVizError",
    "ModelError",
    "ModelSpec",
    "Not",
    "NotHereError",
    "Padding",
    "Painted",
    "PutWord",
    "RecordError",
    "Segments",
    "Shown",
    "Strided",
    "SwapTokens",
    "TokenSequence",
    "TooLongError",
    "WithinSentence",
    "__version__",
    "citation",
    "fetch_model",
    "figures",
    "open_model",
    "read",
    "read_npz",
    "trace_from_arrays",
    "trace_from_npz",
]

__version__ = VERSION


def __getattr__(name: str) -> ModuleType:
    if name == "figures":
        return importlib.import_module("mha_viz.figures")
    raise AttributeError(name)
