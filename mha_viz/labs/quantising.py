"""Dynamic quantisation: weights kept as 8-bit whole numbers with a scale, inputs rounded to such in each pass.

``quantize_`` of torchao is what replaces ``torch.ao.quantization.quantize_dynamic``, which PyTorch calls deprecated. Both are
here, so that they can be compared. torchao rounds the inputs token by token, the old one all tokens of a text with one scale.
"""

from __future__ import annotations

import copy
import logging
import warnings
from collections.abc import Collection

import torch
from torch import nn

from mha_viz.labs.results import Row


def quantise(network: nn.Module, api: str, grain: str, names: Collection[str] | None = None) -> nn.Module:
    """Quantises linear layers of a network, in place as far as it can be.

    Args:
        network: its layers change.
        api: one of ``plans.INT8_APIS``.
        grain: "tensor" for one scale a matrix, "channel" for one a row of it, which makes one output.
        names: of the layers; None for all that the function takes by itself.

    Returns:
        the network, or what took its place.
    """
    return (_new if api == "torchao" else _deprecated)(network, grain, names)


def _new(network: nn.Module, grain: str, names: Collection[str] | None) -> nn.Module:
    logging.disable(logging.WARNING)  # torchao tells at its import which kernels for GPUs it could not load
    try:
        from torchao.quantization import Int8DynamicActivationInt8WeightConfig, PerRow, PerTensor, quantize_
    finally:
        logging.disable(logging.NOTSET)
    config = Int8DynamicActivationInt8WeightConfig(
        granularity=[PerRow(), PerTensor() if grain == "tensor" else PerRow()]
    )
    if names is None:
        quantize_(network, config)
    else:
        quantize_(network, config, filter_fn=lambda module, name: isinstance(module, nn.Linear) and name in names)
    return network


def _deprecated(network: nn.Module, grain: str, names: Collection[str] | None) -> nn.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is deprecated is said on the page
        from torch.ao.quantization import default_dynamic_qconfig, per_channel_dynamic_qconfig, quantize_dynamic

        config = default_dynamic_qconfig if grain == "tensor" else per_channel_dynamic_qconfig
        wanted = {nn.Linear: config} if names is None else dict.fromkeys(names, config)
        made: nn.Module = quantize_dynamic(network, wanted, dtype=torch.qint8)  # type: ignore[no-untyped-call]
    return made


def tried(api: str) -> list[Row]:
    """What becomes of PyTorch's own attention modules when they are quantised as a whole.

    Returns:
        a row each: "module", "apart" (the largest difference of their outputs, in eval mode) or None, "error" or None.
    """
    torch.manual_seed(0)
    layers: dict[str, nn.Module] = {
        "MultiheadAttention": _Itself(nn.MultiheadAttention(32, 4, batch_first=True)),
        "TransformerEncoderLayer": nn.TransformerEncoderLayer(32, 4, 64, batch_first=True),
    }
    x = torch.randn(1, 8, 32)
    return [{"module": name, "api": api} | _try(layer.eval(), api, x) for name, layer in layers.items()]


class _Itself(nn.Module):
    """Attention from a text to itself."""

    def __init__(self, attention: nn.MultiheadAttention) -> None:
        super().__init__()
        self.attention = attention

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(batch, token, d_model) to the same."""
        output: torch.Tensor = self.attention(x, x, x)[0]
        return output


def _try(layer: nn.Module, api: str, x: torch.Tensor) -> Row:
    with torch.inference_mode():
        before = layer(x)
    made = quantise(copy.deepcopy(layer), api, "tensor")
    try:
        with torch.inference_mode():
            apart = float((made(x) - before).abs().max())
    except (AttributeError, RuntimeError, TypeError, NotImplementedError) as problem:
        return {"apart": None, "error": f"{type(problem).__name__}: {problem}".splitlines()[0]}
    return {"apart": float(f"{apart:.3g}"), "error": None}
