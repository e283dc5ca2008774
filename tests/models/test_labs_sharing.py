"""Heads that share matrices against PyTorch's own attention, and the lab on them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn import functional

from mha_viz.errors import InputError
from mha_viz.labs.nets import HeadsAttention, n_parameters
from mha_viz.labs.plans import SHARING_KINDS, SharingOptions
from mha_viz.labs.savings import Sharing, attention_parameters, widest
from mha_viz.labs.sharing import make_net, run, settings

D = 32


def layer(n_heads: int = 8, **options: Any) -> HeadsAttention:
    torch.manual_seed(3)
    return HeadsAttention(D, n_heads, **options)


def read() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(4)
    return torch.randn(5, 3, D), torch.randn(5, 7, D)


def split(linear: torch.nn.Linear, vectors: torch.Tensor, d_k: int) -> torch.Tensor:
    """(batch, n, token, d_k), written out."""
    return functional.linear(vectors, linear.weight, linear.bias).unflatten(-1, (-1, d_k)).transpose(1, 2)


@pytest.mark.parametrize(("n_kv", "d_k"), [(8, None), (4, None), (2, None), (1, None), (1, 7), (2, 3)])
def test_grouped_heads_are_those_of_pytorch(n_kv: int, d_k: int | None) -> None:
    ours = layer(n_kv=n_kv, d_k=d_k)
    vectors, keys = read()
    query, key = split(ours.query, vectors, ours.d_k), split(ours.key, keys, ours.d_k)
    heads = functional.scaled_dot_product_attention(query, key, split(ours.value, keys, ours.d_k), enable_gqa=True)
    wanted = ours.out(heads.transpose(1, 2).flatten(2))
    torch.testing.assert_close(ours(vectors, keys)[0], wanted, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("options", "names"), [({"n_kv": 2}, ("key", "value")), ({"one_query": True}, ("query",))])
def test_shared_heads_are_a_whole_layer_whose_rows_are_repeated(
    options: dict[str, Any], names: tuple[str, ...]
) -> None:
    """PyTorch's own layer knows nothing of sharing: each head gets a copy of the rows that it shares."""
    ours, theirs = layer(**options), torch.nn.MultiheadAttention(D, 8, batch_first=True)
    with torch.no_grad():
        for place, name in enumerate(("query", "key", "value")):
            part = getattr(ours, name)
            each = 8 * ours.d_k // part.out_features if name in names else 1
            rows = slice(place * D, (place + 1) * D)
            weight = part.weight.unflatten(0, (-1, ours.d_k)).repeat_interleave(each, dim=0)
            theirs.in_proj_weight[rows] = weight.flatten(0, 1)
            theirs.in_proj_bias[rows] = part.bias.unflatten(0, (-1, ours.d_k)).repeat_interleave(each, dim=0).flatten()
        theirs.out_proj.load_state_dict(ours.out.state_dict())
    vectors, keys = read()
    output, attended = ours(vectors, keys)
    wanted, weights = theirs(vectors, keys, keys, average_attn_weights=False)
    torch.testing.assert_close(output, wanted, rtol=0, atol=1e-6)
    torch.testing.assert_close(attended.weights, weights, rtol=0, atol=1e-6)


@pytest.mark.parametrize("n_kv", [8, 4, 1])
@pytest.mark.parametrize("one_query", [False, True])
@pytest.mark.parametrize("d_k", [4, 7])
def test_the_formula_of_the_parameters_is_what_is_counted(n_kv: int, one_query: bool, d_k: int) -> None:
    counted = n_parameters(layer(n_kv=n_kv, one_query=one_query, d_k=d_k))
    assert attention_parameters(D, Sharing(8, n_kv, d_k, one_query)) == counted


@pytest.mark.parametrize("shared", [Sharing(8, 1, 4), Sharing(8, 8, 4, one_query=True), Sharing(4, 2, 8)])
def test_wider_heads_fit_and_the_next_width_would_not(shared: Sharing) -> None:
    full = attention_parameters(D, Sharing(shared.n_heads, shared.n_heads, D // shared.n_heads))
    wide = widest(D, shared)
    assert wide.d_k > shared.d_k
    assert attention_parameters(D, wide) <= full < attention_parameters(D, wide._replace(d_k=wide.d_k + 1))


def test_every_kind_is_trained_once_and_has_what_its_row_says() -> None:
    options = SharingOptions(heads=(4,), steps=20)
    rows = [step.row for step in run(options) if step.row is not None]
    found = [(row["kind"], row["wider"], row["kv"], row["d_k"], row["cache"]) for row in rows]
    assert found == [
        ("full", False, 4, 8, 256),
        ("grouped", False, 2, 8, 128),
        ("multi", False, 1, 8, 64),
        ("multi", True, 1, 12, 96),
        ("query", False, 4, 8, 256),
        ("query", True, 4, 9, 288),
    ]
    assert [row["parameters"] for row in rows] == [n_parameters(make_net(one, 0)) for one in settings(options)]
    assert rows[0]["parameters"] == 5_832
    assert all(row["best"] == 1.0 and row["at"] == [20] and len(row["curve"]) == 1 for row in rows)


def test_kinds_that_would_be_the_same_are_left_out() -> None:
    assert [one.kind for one in settings(SharingOptions(heads=(1,)))] == ["full"]
    assert {one.kind for one in settings(SharingOptions(heads=(2,)))} == {"full", "multi", "query"}
    kinds = [(one.kind, one.shared.n_kv) for one in settings(SharingOptions(heads=(16,))) if not one.wider]
    assert kinds == [("full", 16), ("grouped", 4), ("grouped", 2), ("multi", 1), ("query", 16)]
    assert tuple(dict.fromkeys(kind for kind, _ in kinds)) == SHARING_KINDS
    # What 16 heads save with one W_Q does not make each one wider.
    assert [(one.kind, one.shared.d_k) for one in settings(SharingOptions(heads=(16,))) if one.wider] == [("multi", 3)]


def test_heads_that_do_not_divide_are_refused() -> None:
    with pytest.raises(InputError, match="3 heads do not divide"):
        next(run(SharingOptions(heads=(3,))))
