"""What heads that share their matrices save: parameters, and memory of the keys and values that are kept. Without torch.

A model that writes a text token by token keeps the keys and values of all tokens before (the cache), so that it need not compute
them again. Queries are not kept.
"""

from __future__ import annotations

from typing import NamedTuple


class Sharing(NamedTuple):
    """Which matrices the heads of a layer have.

    Attributes:
        n_heads: how many heads.
        n_kv: how many pairs of W_K and W_V; each serves n_heads / n_kv heads.
        d_k: width of a head.
        one_query: whether all heads have one W_Q.
    """

    n_heads: int
    n_kv: int
    d_k: int
    one_query: bool = False


def attention_parameters(d_model: int, shared: Sharing) -> int:
    """Numbers in W_Q, W_K, W_V and W_O of one layer and their biases."""
    n_heads, n_kv, d_k, one_query = shared
    read = (1 if one_query else n_heads) + 2 * n_kv
    return (d_model + 1) * read * d_k + (n_heads * d_k + 1) * d_model


def widest(d_model: int, shared: Sharing) -> Sharing:
    """The same sharing with heads as wide as the parameters of unshared heads of ``d_model / n_heads`` allow."""
    n_heads = shared.n_heads
    full = attention_parameters(d_model, Sharing(n_heads, n_heads, d_model // n_heads))
    each = attention_parameters(d_model, shared._replace(d_k=1)) - d_model  # all but the bias of W_O grow with d_k
    return shared._replace(d_k=(full - d_model) // each)


def cache_bytes(n_kv: int, d_k: int, *, n_layers: int = 1, n_tokens: int = 1, n_bytes: int = 4) -> int:
    """Memory of the keys and values of these tokens.

    Args:
        n_kv: pairs of keys and values of a layer.
        d_k: numbers of a key, and of a value.
        n_layers, n_tokens: how many.
        n_bytes: of a number; 4 for float32, 2 for bfloat16.
    """
    return 2 * n_kv * d_k * n_layers * n_tokens * n_bytes
