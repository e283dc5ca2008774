"""Modules that came with the app: PyTorch's own, the toy, BERT's first layer. Each through the checks as any other."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from mha_viz.attention import attend
from mha_viz.labs.examine.make import DROPOUT, Made
from mha_viz.models.packaged import NAME, model_folder, spec
from mha_viz.models.toy.options import ToyOptions
from mha_viz.models.toy.weights import designed_matrices

#: Of PyTorch's own module.
_D_MODEL, _N_HEADS = 32, 4


class KernelAttention(nn.Module):
    """W_Q, W_K, W_V and W_O around the app's kernel.

    Args:
        d_model: width of a token's vector.
        n_heads: a divisor of it.
        bias: whether the four have biases.
    """

    def __init__(self, d_model: int, n_heads: int, *, bias: bool) -> None:
        super().__init__()
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.query, self.key, self.value, self.output = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))

    def forward(self, x: Tensor, visible: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """(batch, token, d_model) to the same and (batch, head, query, key).

        Args:
            x: what is read.
            visible: bool (query, key), (batch, 1 or head, query, key), or (batch, key) for all queries; None for everything.

        Raises:
            ValueError: a mask of another shape or kind, which could reach the wrong heads unseen.
        """
        query, key, value = (linear(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for linear in self._three())
        done = attend(query, key, value, scale=1 / math.sqrt(self.d_k), visible=_four(visible))
        output: Tensor = self.output(done.head_output.transpose(1, 2).flatten(2))
        return output, done.weights

    def _three(self) -> tuple[nn.Module, nn.Module, nn.Module]:
        return self.query, self.key, self.value


def _four(visible: Tensor | None) -> Tensor | None:
    """A mask with a place for the heads."""
    if visible is None:
        return None
    if visible.dtype != torch.bool or visible.dim() == 3:
        raise ValueError(visible.dtype, tuple(visible.shape))
    if visible.dim() == 2 and visible.shape[0] != visible.shape[1]:
        return visible[:, None, None]
    return visible


def ours(name: str) -> tuple[str, Made]:
    """A module that came with the app, and what it is called: one of "torch", "toy", "minilm".

    Raises:
        ModelError: MiniLM is not installed.
    """
    if name == "torch":
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)  # so that the stored figures can be made again
            module: nn.Module = nn.MultiheadAttention(_D_MODEL, _N_HEADS, dropout=DROPOUT, batch_first=True)
        written = f"{_D_MODEL}, {_N_HEADS}, dropout={DROPOUT}, batch_first=True"
        return "torch.nn.MultiheadAttention", Made(module, written, {})
    if name == "toy":
        options = ToyOptions()
        toy = KernelAttention(options.d_model, options.n_heads, bias=False)
        for linear, matrix in zip(toy.children(), designed_matrices(options.d_model, options.n_heads), strict=True):
            linear.weight = nn.Parameter(torch.tensor(matrix, dtype=torch.float32))
        return "Toy", Made(toy, f"{options.d_model}, {options.n_heads}", {})
    return NAME, Made(_minilm(), f"{spec().d_model}, {spec().n_heads}", {})


def _minilm() -> KernelAttention:
    """Its first layer's attention, without the residual connection and the LayerNorm that follow."""
    from safetensors.torch import load_file

    stored = load_file(model_folder() / "model.safetensors")
    module = KernelAttention(spec().d_model, spec().n_heads, bias=True)
    places = {"query": "self.query", "key": "self.key", "value": "self.value", "output": "output.dense"}
    state = {
        f"{ours}.{part}": stored[f"encoder.layer.0.attention.{theirs}.{part}"]
        for ours, theirs in places.items()
        for part in ("weight", "bias")
    }
    module.load_state_dict(state)
    return module
