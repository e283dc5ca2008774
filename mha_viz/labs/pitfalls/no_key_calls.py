"""Calls of PyTorch with a query that may see no key, each told apart by the numbers it gave."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as sdpa

from mha_viz.attention import attend
from mha_viz.labs.pitfalls.masks_judged import first_line

N_HEADS, N_TOKENS, D_K = 2, 4, 8
D_MODEL = N_HEADS * D_K
#: The query without a key.
DEAD = 2
LEAST = torch.finfo(torch.float32).min
#: Numbers that differ by less agree: float32, float16, and a softmax of scores that lost figures to -1e4.
CLOSE = 2e-3


class Called(NamedTuple):
    """What one call gave.

    Attributes:
        group: "pitfalls.no_key.group.GROUP" names what was called.
        name: "pitfalls.no_key.call.NAME" names how.
        kind: "nan", "zeros", "uniform", "unmasked", "other", "raised": "pitfalls.no_key.kind.KIND" says it.
        row: the row's weights, or its output where a call gives no weights; none after an error.
        error: what the error said, or "".
    """

    group: str
    name: str
    kind: str
    row: tuple[float, ...] = ()
    error: str = ""


class Row(NamedTuple):
    """One call's row, and what it would be.

    Attributes:
        got: the numbers that came out.
        if_kind: what they were if the row's weights were "zeros", "uniform" or "unmasked".
    """

    got: Tensor
    if_kind: Mapping[str, Tensor]


def kind_of(row: Row) -> str:
    """What came out, by the numbers alone."""
    if row.got.isnan().any():
        return "nan"
    for kind, would_be in row.if_kind.items():
        if torch.allclose(row.got.float(), would_be.float(), rtol=0, atol=CLOSE):
            return kind
    return "other"


class Drawn:
    """Everything the calls share, from one seed.

    Attributes:
        query, key, value: (1, head, token, d_k).
        visible: bool (query, key); the row DEAD is False.
        attention, layer, X: PyTorch's modules and what they read, (1, token, d_model).
    """

    def __init__(self) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            self.query, self.key, self.value = (torch.randn(1, N_HEADS, N_TOKENS, D_K) for _ in range(3))
            self.attention = nn.MultiheadAttention(D_MODEL, N_HEADS, batch_first=True)
            self.X = torch.randn(1, N_TOKENS, D_MODEL)
            self.layer = nn.TransformerEncoderLayer(D_MODEL, N_HEADS, 2 * D_MODEL, dropout=0.0, batch_first=True)
        self.visible = torch.ones(N_TOKENS, N_TOKENS, dtype=torch.bool)
        self.visible[DEAD] = False
        self.scores = (self.query @ self.key.mT / math.sqrt(D_K))[0, 0]  # (query, key)

    def softmax(self, filled: Tensor) -> Row:
        """The row of a softmax over (query, key)."""
        even = torch.full((N_TOKENS,), 1 / N_TOKENS)
        ordinary = self.scores.softmax(-1)[DEAD]
        return Row(filled.softmax(-1)[DEAD], {"zeros": 0 * even, "uniform": even, "unmasked": ordinary})

    def filled(self, number: float, precision: torch.dtype = torch.float32) -> Row:
        """Hidden scores replaced by a number."""
        return self.softmax(self.scores.to(precision).masked_fill(~self.visible, number))

    def added(self, number: float, times: int = 1) -> Row:
        """A number added to hidden scores."""
        scores = self.scores
        for _ in range(times):
            scores = scores + torch.where(self.visible, 0.0, number)
        return self.softmax(scores)

    def fused(self, mask: Tensor, backend: SDPBackend | None = None) -> Row:
        """torch.nn.functional.scaled_dot_product_attention."""
        if backend is None:
            given = sdpa(self.query, self.key, self.value, attn_mask=mask)
        else:
            with sdpa_kernel(backend):
                given = sdpa(self.query, self.key, self.value, attn_mask=mask)
        ordinary = sdpa(self.query, self.key, self.value)[0, 0, DEAD]
        return Row(given[0, 0, DEAD], _kinds(self.value[0, 0].mean(0), ordinary))

    def floats(self, number: float) -> Tensor:
        """The mask as numbers to add."""
        return torch.where(self.visible, 0.0, number)

    def module(self, *, weights: bool, grad: bool, padding: bool = False) -> Row:
        """torch.nn.MultiheadAttention in eval mode: its weights if asked for, its output else."""
        module, X = self.attention.eval(), self.X
        with torch.set_grad_enabled(grad):
            output, gave = module(X, X, X, need_weights=weights, **self._masks(padding))
            ordinary, usual = module(X, X, X)
            if gave is not None:
                return Row(gave[0, DEAD].detach(), _kinds(torch.full((N_TOKENS,), 1 / N_TOKENS), usual[0, DEAD]))
            nothing, even = (self._projected(one) for one in self._attended())
            kinds = {"zeros": nothing, "uniform": even, "unmasked": ordinary[0, DEAD]}
        return Row(output[0, DEAD].detach(), {kind: one.detach() for kind, one in kinds.items()})

    def encoder(self, *, training: bool, padding: bool = False) -> Row:
        """torch.nn.TransformerEncoderLayer, without gradients."""
        layer = self.layer.train(training)
        with torch.no_grad():
            masks = self._masks(padding)
            names = {"attn_mask": "src_mask", "key_padding_mask": "src_key_padding_mask"}
            output = layer(self.X, **{names[name]: mask for name, mask in masks.items()})[0]
            layer.train()  # eval mode has another path, which is the one to be tried
            ordinary, place = layer(self.X)[0], 0 if padding else DEAD
            nothing, even = (self._after(self.X[0, place], one) for one in self._attended(layer.self_attn))
        return Row(output[place], {"zeros": nothing, "uniform": even, "unmasked": ordinary[place]})

    def kernel(self) -> Row:
        """The app's own."""
        done = attend(self.query, self.key, self.value, scale=1 / math.sqrt(D_K), visible=self.visible)
        return Row(
            done.weights[0, 0, DEAD], _kinds(torch.full((N_TOKENS,), 1 / N_TOKENS), self.scores.softmax(-1)[DEAD])
        )

    def _masks(self, padding: bool) -> dict[str, Tensor]:
        if padding:
            return {"key_padding_mask": torch.ones(1, N_TOKENS, dtype=torch.bool)}
        return {"attn_mask": ~self.visible}

    def _attended(self, module: nn.MultiheadAttention | None = None) -> tuple[Tensor, Tensor]:
        """(d_model,) twice: what all heads give with weights of 0, and with even ones."""
        module = self.attention if module is None else module
        W_V, b_V = module.in_proj_weight[2 * D_MODEL :], module.in_proj_bias[2 * D_MODEL :]
        even = (self.X[0] @ W_V.T + b_V).mean(0)
        return torch.zeros_like(even), even

    def _projected(self, attended: Tensor) -> Tensor:
        return self.attention.out_proj(attended)

    def _after(self, x: Tensor, attended: Tensor) -> Tensor:
        """The rest of the encoder layer, norms after the residuals."""
        layer = self.layer
        hidden = layer.norm1(x + layer.self_attn.out_proj(attended))
        return layer.norm2(hidden + layer.linear2(torch.relu(layer.linear1(hidden))))


def _kinds(even: Tensor, ordinary: Tensor) -> dict[str, Tensor]:
    return {"zeros": torch.zeros_like(even), "uniform": even, "unmasked": ordinary}


HALF, BRAIN = torch.float16, torch.bfloat16

#: Group, name, and the call.
CALLS: tuple[tuple[str, str, Callable[[Drawn], Row]], ...] = (
    ("fill", "inf", lambda drawn: drawn.filled(-math.inf)),
    ("fill", "1e9", lambda drawn: drawn.filled(-1e9)),
    ("fill", "least", lambda drawn: drawn.filled(LEAST)),
    ("fill", "1e9_half", lambda drawn: drawn.filled(-1e9, HALF)),
    ("fill", "1e9_brain", lambda drawn: drawn.filled(-1e9, BRAIN)),
    ("fill", "1e4_half", lambda drawn: drawn.filled(-1e4, HALF)),
    ("fill", "least_half", lambda drawn: drawn.filled(torch.finfo(HALF).min, HALF)),
    ("add", "1e9", lambda drawn: drawn.added(-1e9)),
    ("add", "1e4", lambda drawn: drawn.added(-1e4)),
    ("add", "least_twice", lambda drawn: drawn.added(LEAST, times=2)),
    ("sdpa", "bool", lambda drawn: drawn.fused(drawn.visible)),
    ("sdpa", "inf", lambda drawn: drawn.fused(drawn.floats(-math.inf))),
    ("sdpa", "least", lambda drawn: drawn.fused(drawn.floats(LEAST))),
    ("sdpa", "math", lambda drawn: drawn.fused(drawn.visible, SDPBackend.MATH)),
    ("sdpa", "flash", lambda drawn: drawn.fused(drawn.visible, SDPBackend.FLASH_ATTENTION)),
    ("module", "weights_grad", lambda drawn: drawn.module(weights=True, grad=True)),
    ("module", "weights", lambda drawn: drawn.module(weights=True, grad=False)),
    ("module", "grad", lambda drawn: drawn.module(weights=False, grad=True)),
    ("module", "plain", lambda drawn: drawn.module(weights=False, grad=False)),
    ("module", "padding_weights", lambda drawn: drawn.module(weights=True, grad=True, padding=True)),
    ("module", "padding", lambda drawn: drawn.module(weights=False, grad=True, padding=True)),
    ("layer", "train", lambda drawn: drawn.encoder(training=True)),
    ("layer", "eval", lambda drawn: drawn.encoder(training=False)),
    ("layer", "train_padding", lambda drawn: drawn.encoder(training=True, padding=True)),
    ("layer", "eval_padding", lambda drawn: drawn.encoder(training=False, padding=True)),
)
OURS: tuple[tuple[str, str, Callable[[Drawn], Row]], ...] = (("kernel", "bool", lambda drawn: drawn.kernel()),)


def call(group: str, name: str, how: Callable[[Drawn], Row], drawn: Drawn) -> Called:
    """Calls, and tells what came out."""
    try:
        row = how(drawn)
    except RuntimeError as problem:
        return Called(group, name, "raised", error=first_line(problem))
    return Called(group, name, kind_of(row), tuple(row.got.double().tolist()))
