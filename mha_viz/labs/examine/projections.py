"""W_Q, W_K, W_V and W_O among the parameters of any module: by their names and shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor, nn

_JOINT = r"(^|[._])"
_END = r"($|[._\d])"


def _named(*words: str) -> re.Pattern[str]:
    return re.compile(f"{_JOINT}({'|'.join(words)}){_END}", re.IGNORECASE)


_PATTERNS = {
    "query": _named("w_?q", "q", "q_?proj", "q_?lin", "q_?linear", "quer(y|ies)", "to_?q", "fc_?q", "linear_?q", "proj_?q"),
    "key": _named("w_?k", "k", "k_?proj", "k_?lin", "k_?linear", "keys?", "to_?k", "fc_?k", "linear_?k", "proj_?k"),
    "value": _named("w_?v", "v", "v_?proj", "v_?lin", "v_?linear", "values?", "to_?v", "fc_?v", "linear_?v", "proj_?v"),
    "output": _named(
        "w_?o", "o", "o_?proj", "out", "out_?proj", "output", "to_?out", "fc_?o(ut)?", "fc", "dense", "c_proj", "proj",
        "o_?lin", "out_?lin(ear)?", "linear_?o(ut)?", "w_?out", "projection", "unify_?heads", "o_?linear", "proj_?o(ut)?",
    ),
    "packed": _named("in_proj", "qkv", "c_attn", "query_key_value", "to_?qkv", "w_?qkv", "qkv_?proj", "in_proj_weight"),
}  # fmt: skip
_PACKED_WORD = re.compile("in_proj|qkv|c_attn|query_key_value", re.IGNORECASE)


class Projections(NamedTuple):
    """As torch.nn.Linear keeps them: y = W x + b.

    Attributes:
        query, key, value, output: (d_model, d_model) each.
        biases: (d_model,) each, in that order; zeros where there is none.
        names: of the parameters that were taken.
        layout: "blocks", "by_head" (packed, q, k and v of each head together), "interleaved" (columns dealt out to heads).
    """

    query: Tensor
    key: Tensor
    value: Tensor
    output: Tensor
    biases: tuple[Tensor, Tensor, Tensor, Tensor]
    names: str
    layout: str = "blocks"


class _Found(NamedTuple):
    weight: Tensor
    bias: Tensor
    name: str


def projections(module: nn.Module, d_model: int, n_heads: int) -> list[Projections]:
    """Every reading of the parameters as four projections; the plainest first, none if a projection is missing.

    Args:
        module: whose parameters are read; they are copied.
        d_model: width of every projection.
        n_heads: how many heads share it.
    """
    found: list[Projections] = []
    for turned in (False, True):
        found += _separate(module, d_model, turned)
        found += _packed(module, d_model, n_heads, turned)
    return [*found, *(_interleaved(one, n_heads) for one in found if one.layout == "blocks")]


def _parameters(module: nn.Module) -> dict[str, Tensor]:
    return {name: one.detach() for name, one in module.named_parameters()}


def _of(module: nn.Module, role: str, d_model: int, turned: bool) -> _Found | None:
    """The one projection of a role, or those of every head below one another."""
    parts: list[tuple[str, Tensor]] = []
    parameters = _parameters(module)
    others = [pattern for name, pattern in _PATTERNS.items() if name not in (role, "output")]
    for name, one in parameters.items():
        plain = name.removesuffix(".weight")
        if one.dim() != 2 or not _PATTERNS[role].search(plain) or _PACKED_WORD.search(plain):
            continue
        if role == "output" and any(pattern.search(plain.rpartition(".")[2]) for pattern in others):
            continue
        parts.append((name, one))
    if not parts:
        return None
    stacked = torch.cat([_turn(module, name, one, turned) for name, one in parts])
    if stacked.shape != (d_model, d_model):
        return None
    biases = [parameters.get(_bias_name(name)) for name, _ in parts]
    known = [one for one in biases if one is not None]
    bias = torch.cat(known) if len(known) == len(parts) else stacked.new_zeros(d_model)
    return _Found(
        stacked, bias if bias.shape == (d_model,) else stacked.new_zeros(d_model), ", ".join(n for n, _ in parts)
    )


def _bias_name(name: str) -> str:
    return name.removesuffix("weight") + "bias"


def _turn(module: nn.Module, name: str, weight: Tensor, turned: bool) -> Tensor:
    """A Linear keeps (out, in). Of other parameters both readings are possible."""
    owner = module.get_submodule(name.rpartition(".")[0])
    return weight.T if turned and not isinstance(owner, nn.Linear) else weight


def _separate(module: nn.Module, d_model: int, turned: bool) -> Iterator[Projections]:
    if turned and all(isinstance(_owner(module, name), nn.Linear) for name in _parameters(module)):
        return
    four = [_of(module, role, d_model, turned) for role in ("query", "key", "value", "output")]
    query, key, value, output = four
    if query and key and value and output:
        biases = (query.bias, key.bias, value.bias, output.bias)
        names = ", ".join(one.name for one in four if one)
        yield Projections(query.weight, key.weight, value.weight, output.weight, biases, names)


def _owner(module: nn.Module, name: str) -> nn.Module:
    return module.get_submodule(name.rpartition(".")[0])


def _packed(module: nn.Module, d_model: int, n_heads: int, turned: bool) -> Iterator[Projections]:
    """One matrix for queries, keys and values."""
    output = _of(module, "output", d_model, turned)
    parameters = _parameters(module)
    for name, one in parameters.items():
        if output is None or one.dim() != 2 or not _PACKED_WORD.search(name):
            continue
        weight = one.T if turned and one.shape == (d_model, 3 * d_model) else one
        if weight.shape != (3 * d_model, d_model):
            continue
        bias = parameters.get(name.removesuffix("weight") + "bias", weight.new_zeros(3 * d_model))
        names = f"{name}, {output.name}"
        q, k, v = weight.chunk(3)
        b_q, b_k, b_v = bias.chunk(3)
        yield Projections(q, k, v, output.weight, (b_q, b_k, b_v, output.bias), names)
        (q, k, v), (b_q, b_k, b_v) = _by_head(weight, n_heads), _by_head(bias, n_heads)
        yield Projections(q, k, v, output.weight, (b_q, b_k, b_v, output.bias), names, "by_head")


def _by_head(packed: Tensor, n_heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """(head, 3, d_k) along the first dimension to queries, keys and values."""
    split = packed.reshape(n_heads, 3, -1, *packed.shape[1:])
    query, key, value = (split[:, place].flatten(0, 1) for place in range(3))
    return query, key, value


def _interleaved(blocks: Projections, n_heads: int) -> Projections:
    """Head h owns every n-th row: brought into blocks, with the columns of W_O."""
    d_model = len(blocks.query)
    order = torch.arange(d_model).reshape(-1, n_heads).T.flatten()
    query, key, value = (one[order] for one in blocks[:3])
    b_q, b_k, b_v, b_o = blocks.biases
    biases = (b_q[order], b_k[order], b_v[order], b_o)
    return Projections(query, key, value, blocks.output[:, order], biases, blocks.names, "interleaved")
