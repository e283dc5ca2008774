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
_LETTERS = {"query": "W_Q", "key": "W_K", "value": "W_V", "output": "W_O"}
_PACKED_WORD = re.compile("in_proj|qkv|c_attn|query_key_value", re.IGNORECASE)


class Projections(NamedTuple):
    """As torch.nn.Linear keeps them: y = W x + b.

    Attributes:
        query, key, value, output: (d_model, d_model) each.
        biases: (d_model,) each, in that order; zeros where there is none.
        names: of the parameters that were taken.
        layout: "blocks", "by_head" (packed, q, k and v of each head together), "interleaved" (columns dealt out to heads),
            "grouped" (fewer heads of keys and values, each repeated for its group).
        n_kv: heads of keys and values as the module keeps them; None where every head has its own.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    output: Tensor
    biases: tuple[Tensor, Tensor, Tensor, Tensor]
    names: str
    layout: str = "blocks"
    n_kv: int | None = None


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
        found += _separate(module, d_model, n_heads, turned)
        found += _packed(module, d_model, n_heads, turned)
    whole = [one for one in found if len(one.key) == d_model]
    grouped = [part for one in found if len(one.key) < d_model for part in _repeated(one, n_heads)]
    return [*whole, *(_interleaved(one, n_heads) for one in whole if one.layout == "blocks"), *grouped]


def missing(module: nn.Module) -> list[str]:
    """The projections, as "W_Q", that no parameter is named after, whatever its shape."""
    packed = any(one.dim() == 2 and _PACKED_WORD.search(name) for name, one in module.named_parameters())
    roles = ("output",) if packed else _LETTERS
    return [_LETTERS[role] for role in roles if not _parts(module, role)]


def _parameters(module: nn.Module) -> dict[str, Tensor]:
    return {name: one.detach() for name, one in module.named_parameters()}


def _parts(module: nn.Module, role: str) -> list[tuple[str, Tensor]]:
    """The matrices that are named after a role: one, or one a head."""
    parts: list[tuple[str, Tensor]] = []
    others = [pattern for name, pattern in _PATTERNS.items() if name not in (role, "output")]
    for name, one in _parameters(module).items():
        plain = name.removesuffix(".weight")
        if one.dim() != 2 or not _PATTERNS[role].search(plain) or _PACKED_WORD.search(plain):
            continue
        if role == "output" and any(pattern.search(plain.rpartition(".")[2]) for pattern in others):
            continue
        parts.append((name, one))
    return parts


def _of(module: nn.Module, role: str, d_model: int, turned: bool) -> _Found | None:
    """The one projection of a role, or those of every head below one another; W_K and W_V may have fewer rows."""
    parts, parameters = _parts(module, role), _parameters(module)
    if not parts or len({one.shape[1] for _, one in parts}) > 1:
        return None
    stacked = torch.cat([_turn(module, name, one, turned) for name, one in parts])
    if stacked.shape[1] != d_model or (len(stacked) != d_model and role not in ("key", "value")):
        return None
    biases = [parameters.get(_bias_name(name)) for name, _ in parts]
    known = [one for one in biases if one is not None]
    bias = torch.cat(known) if len(known) == len(parts) else stacked.new_zeros(len(stacked))
    return _Found(
        stacked,
        bias if bias.shape == stacked.shape[:1] else stacked.new_zeros(len(stacked)),
        ", ".join(n for n, _ in parts),
    )


def _bias_name(name: str) -> str:
    return name.removesuffix("weight") + "bias"


def _turn(module: nn.Module, name: str, weight: Tensor, turned: bool) -> Tensor:
    """A Linear keeps (out, in). Of other parameters both readings are possible."""
    owner = module.get_submodule(name.rpartition(".")[0])
    return weight.T if turned and not isinstance(owner, nn.Linear) else weight


def _separate(module: nn.Module, d_model: int, n_heads: int, turned: bool) -> Iterator[Projections]:
    if turned and all(isinstance(_owner(module, name), nn.Linear) for name in _parameters(module)):
        return
    four = [_of(module, role, d_model, turned) for role in ("query", "key", "value", "output")]
    query, key, value, output = four
    if query and key and value and output and _fits(len(key.weight), len(value.weight), d_model, n_heads):
        biases = (query.bias, key.bias, value.bias, output.bias)
        names = ", ".join(one.name for one in four if one)
        yield Projections(query.weight, key.weight, value.weight, output.weight, biases, names)


def _fits(n_key: int, n_value: int, d_model: int, n_heads: int) -> bool:
    """Whether so many rows of W_K and W_V are heads that the others can share evenly."""
    n_kv, rest = divmod(n_key, d_model // n_heads)
    return n_key == n_value and rest == 0 and n_kv > 0 and n_heads % n_kv == 0


def _owner(module: nn.Module, name: str) -> nn.Module:
    return module.get_submodule(name.rpartition(".")[0])


def _packed(module: nn.Module, d_model: int, n_heads: int, turned: bool) -> Iterator[Projections]:
    """One matrix for queries, keys and values."""
    output = _of(module, "output", d_model, turned)
    parameters = _parameters(module)
    for name, one in parameters.items():
        if output is None or one.dim() != 2 or not _PACKED_WORD.search(name):
            continue
        weight = one.T if turned and one.shape[0] == d_model else one
        n_rows, odd = divmod(len(weight) - d_model, 2)
        if weight.shape[1] != d_model or odd or not _fits(n_rows, n_rows, d_model, n_heads):
            continue
        bias = parameters.get(name.removesuffix("weight") + "bias", weight.new_zeros(len(weight)))
        names = f"{name}, {output.name}"
        thirds = (slice(d_model), slice(d_model, d_model + n_rows), slice(d_model + n_rows, None))
        (q, k, v), (b_q, b_k, b_v) = (weight[at] for at in thirds), (bias[at] for at in thirds)
        yield Projections(q, k, v, output.weight, (b_q, b_k, b_v, output.bias), names)
        if n_rows == d_model:
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


def _repeated(few: Projections, n_heads: int) -> Iterator[Projections]:
    """Keys and values repeated for the heads that share them: neighbours of one group, or every n_kv-th head."""
    n_kv = len(few.key) * n_heads // len(few.query)
    b_q, b_k, b_v, b_o = few.biases
    in_turn = torch.arange(n_heads) % n_kv
    for order in (in_turn.sort().values, in_turn):
        key, value, b_key, b_value = (
            one.reshape(n_kv, -1, *one.shape[1:])[order].flatten(0, 1) for one in (few.key, few.value, b_k, b_v)
        )
        biases = (b_q, b_key, b_value, b_o)
        yield Projections(few.query, key, value, few.output, biases, few.names, "grouped", n_kv)
