"""The toy: one real multi-head attention layer on words."""

from __future__ import annotations

import torch
from torch import nn

from mha_viz.arrays import FloatArray
from mha_viz.errors import InputError
from mha_viz.models.base import AttentionModel
from mha_viz.models.devices import find_device
from mha_viz.models.editing import Piece
from mha_viz.models.passed import Forwarded, Reference
from mha_viz.models.place import Place
from mha_viz.models.probe import Probe
from mha_viz.models.text import readable
from mha_viz.models.toy.layout import token_vectors
from mha_viz.models.toy.options import ToyOptions
from mha_viz.models.toy.tokens import split, tokenize, word_id
from mha_viz.models.toy.weights import designed_matrices, random_matrices
from mha_viz.tokens import TokenSequence

#: Largest difference from PyTorch's own module, which scales the query before the product.
TOLERANCE = 1e-5


class MultiHeadAttention(nn.Module):
    """W_Q, W_K, W_V and W_O around the kernel; no biases.

    Args:
        d_model: width of a token's vector.
        n_heads: a divisor of d_model.
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def forward(self, x: torch.Tensor, probe: Probe, visible: torch.Tensor | None = None) -> torch.Tensor:
        """(batch, token, d_model) to (batch, token, d_model); ``visible`` as in the kernel."""
        batch, n_tokens, d_model = x.shape

        def split(projected: torch.Tensor) -> torch.Tensor:
            heads = projected.view(batch, n_tokens, self.n_heads, self.d_k)  # d_model -> (head, d_k)
            return heads.transpose(1, 2)  # (batch, head, token, d_k)

        probe.read(x)
        query, key, value = split(self.W_Q(x)), split(self.W_K(x)), split(self.W_V(x))
        head_output, _ = probe.attend(query, key, value, self.d_k**-0.5, visible)
        merged = head_output.transpose(1, 2).reshape(batch, n_tokens, d_model)  # (head, d_k) -> d_model
        return self.W_O(merged)


class ToyModel(AttentionModel):
    """The toy as a source of traces.

    Args:
        options: sizes, seed and kind of weights.
        place: where to run.

    Raises:
        InputError: another precision than float32: the scores of the designed heads are too large for half of it.
    """

    def __init__(self, options: ToyOptions, place: Place | None = None) -> None:
        self.options = options
        self.spec = options.spec
        place = place or Place()
        if place.dtype != "float32":
            raise InputError("error.toy_dtype", got=place.dtype)
        self.device, self.dtype = find_device(place), torch.float32
        self.module = MultiHeadAttention(options.d_model, options.n_heads)
        if options.weights == "designed":
            matrices = designed_matrices(options.d_model, options.n_heads)
        else:
            matrices = random_matrices(options.d_model, options.seed)
        for linear, matrix in zip(self._linears(), matrices, strict=True):
            linear.weight = nn.Parameter(self._tensor(matrix), requires_grad=False)
        self.module.to(self.device).eval()

    def tokenize(
        self, text: str, pair: str | None = None, *, cut: bool = False, read_special: bool = False
    ) -> TokenSequence:
        """As AttentionModel; the toy has no special tokens, so ``read_special`` changes nothing."""
        return tokenize(text, pair, cut=cut, max_tokens=self.spec.max_tokens)

    def _pieces(self, word: str, tokens: TokenSequence, position: int) -> list[Piece]:
        return [Piece(token, word_id(token), False, token) for token in split(readable(word))]

    def _forward(self, tokens: TokenSequence, probe: Probe) -> Forwarded:
        x = self._vectors(tokens)
        visible = ~torch.tensor(tokens.padding, device=self.device) if any(tokens.padding) else None
        output: torch.Tensor = self.module(x[None], probe, visible)
        return Forwarded(output[0], None)

    def _reference(self, tokens: TokenSequence, visible: torch.Tensor | None) -> Reference:
        theirs = nn.MultiheadAttention(self.spec.d_model, self.spec.n_heads, bias=False, batch_first=True)
        theirs.in_proj_weight.data = torch.cat([linear.weight for linear in self._linears()[:3]])
        theirs.out_proj.weight.data = self.module.W_O.weight
        padding = torch.tensor([tokens.padding], device=self.device)
        with torch.inference_mode():
            output, weights = theirs.to(self.device, self.dtype).eval()(
                *[self._vectors(tokens)[None]] * 3,
                key_padding_mask=padding if any(tokens.padding) else None,
                attn_mask=None if visible is None else ~visible.to(self.device),
                average_attn_weights=False,
            )
        return Reference("check.torch", weights.float().cpu(), output[0].float().cpu(), TOLERANCE)

    def _merge(self, layer: int, head_output: torch.Tensor) -> torch.Tensor:
        merged: torch.Tensor = self.module.W_O(head_output)
        return merged

    def _matrices(self, layer: int) -> dict[str, torch.Tensor | None]:
        return {f"W_{letter}": linear.weight.T for letter, linear in zip("QKVO", self._linears(), strict=True)}

    @property
    def _training(self) -> bool:
        return self.module.training

    def _linears(self) -> tuple[nn.Linear, ...]:
        return self.module.W_Q, self.module.W_K, self.module.W_V, self.module.W_O

    def _vectors(self, tokens: TokenSequence) -> torch.Tensor:
        """(token, d_model)."""
        return self._tensor(token_vectors(tokens, self.spec.d_model, self.options.seed))

    def _tensor(self, array: FloatArray) -> torch.Tensor:
        return torch.tensor(array, dtype=self.dtype, device=self.device)
