"""Sparse attention that computes only the blocks that are seen, and attention within hashed buckets.

Local attention as in Longformer (Beltagy et al. 2020), blocks as in BigBird (Zaheer et al. 2020), buckets as in Reformer
(Kitaev et al. 2020). What is never computed takes neither time nor memory, unlike a cell that a mask hides.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch

from mha_viz.arrays import BoolArray


class Sparse(NamedTuple):
    """What comes out.

    Attributes:
        output: (head, token, d_k).
        numbers: weights that were held at once, over all heads; what a full map has n_heads * n_tokens^2 of.
    """

    output: torch.Tensor
    numbers: int


def blocked(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    seen: BoolArray,
    size: int,
    *,
    radius: int | None = None,
) -> Sparse:
    """Attention over blocks of tokens; blocks of queries that see equally many blocks of keys are computed together.

    Args:
        query, key, value: (head, token, d_k); ``size`` divides the number of tokens.
        seen: bool (query block, key block), at least one a row.
        size: tokens of a block.
        radius: within the blocks, keys farther away than this are hidden too; None for none.
    """
    heads, n_tokens, d_k = query.shape
    split = (heads, n_tokens // size, size, d_k)
    queries, keys, values = (tensor.reshape(split) for tensor in (query, key, value))
    output, numbers = torch.empty_like(queries), 0
    within = torch.arange(size)
    counts = seen.sum(axis=1)
    for count in np.unique(counts):
        rows = np.flatnonzero(counts == count)
        columns = torch.tensor(np.stack([np.flatnonzero(seen[row]) for row in rows]))  # (row, count)
        rows_there = torch.tensor(rows)
        picked = (heads, len(rows), int(count) * size, d_k)
        scores = queries[:, rows_there] @ keys[:, columns].reshape(picked).transpose(-1, -2) / math.sqrt(d_k)
        if radius is not None:
            at = rows_there[:, None] * size + within  # (row, size)
            of_keys = (columns[:, :, None] * size + within).reshape(len(rows), -1)
            scores.masked_fill_((at[:, :, None] - of_keys[:, None, :]).abs() > radius, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        output[:, rows_there] = weights @ values[:, columns].reshape(picked)
        numbers += weights.numel()
    return Sparse(output.reshape(heads, n_tokens, d_k), numbers)


def local(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, radius: int) -> Sparse:
    """A window: each block of ``radius`` tokens and its two neighbours, the rest of them hidden.

    Args:
        query, key, value: (head, token, d_k); ``radius`` divides the number of tokens.
        radius: the farthest visible distance, at least 1.
    """
    order = np.arange(query.shape[1] // radius)
    return blocked(query, key, value, np.abs(order[:, None] - order[None, :]) <= 1, radius, radius=radius)


def hashed(shared: torch.Tensor, value: torch.Tensor, chunk: int, rounds: int, seed: int) -> Sparse:
    """Reformer's attention: tokens sorted by bucket, cut into chunks; a chunk reads itself and the one before, where the bucket
    is the same.

    The rounds are weighed by the sums that their softmax was divided by, as in the paper; a pair that meets in two rounds
    counts in both.

    Args:
        shared: (head, token, d_k), queries; keys are these with their length taken out.
        value: (head, token, d_k).
        chunk: tokens of a chunk, which divides their number; there are as many buckets as chunks, at least 2.
        rounds: how many.
        seed: of the draw.
    """
    _, n_tokens, d_k = shared.shape
    n_buckets = max(2, n_tokens // chunk // 2 * 2)
    random = torch.Generator().manual_seed(seed)
    turns = torch.randn(rounds, d_k, n_buckets // 2, generator=random, dtype=shared.dtype)
    outputs, totals, numbers = [], [], 0
    for turn in turns:
        along = shared @ turn
        bucket = torch.cat([along, -along], dim=-1).argmax(dim=-1)  # (head, token)
        order = torch.argsort(bucket, dim=-1, stable=True)
        output, total, held = _round(shared, value, bucket, order, chunk)
        back = torch.argsort(order, dim=-1)
        outputs.append(torch.take_along_dim(output, back[:, :, None], dim=1))
        totals.append(torch.take_along_dim(total, back, dim=1))
        numbers += held
    share = torch.softmax(torch.stack(totals), dim=0)[..., None]
    return Sparse((share * torch.stack(outputs)).sum(dim=0), numbers)


def _round(
    shared: torch.Tensor, value: torch.Tensor, bucket: torch.Tensor, order: torch.Tensor, chunk: int
) -> tuple[torch.Tensor, torch.Tensor, int]:
    """Of one round: output and logarithm of the softmax's sum, both in sorted order, and how many weights were held."""
    heads, n_tokens, d_k = shared.shape
    cut = (heads, n_tokens // chunk, chunk)
    queries = torch.take_along_dim(shared, order[:, :, None], dim=1).reshape(*cut, d_k)
    keys = torch.nn.functional.normalize(queries, dim=-1)
    values = torch.take_along_dim(value, order[:, :, None], dim=1).reshape(*cut, d_k)
    buckets, places = torch.take_along_dim(bucket, order, dim=1).reshape(cut), order.reshape(cut)
    keys, values, of_keys, at_keys = (_with_previous(part) for part in (keys, values, buckets, places))
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(d_k)
    scores.masked_fill_(buckets[..., :, None] != of_keys[..., None, :], -math.inf)
    scores.masked_fill_(places[..., :, None] == at_keys[..., None, :], -1e5)  # itself, only if there is nothing else
    total = torch.logsumexp(scores, dim=-1, keepdim=True)
    weights = torch.exp(scores - total)
    output = weights @ values
    return output.reshape(heads, n_tokens, d_k), total.reshape(heads, n_tokens), weights.numel()


def _with_previous(part: torch.Tensor) -> torch.Tensor:
    """Each chunk with the one before it, (head, chunk, token, ...); the first with the last, if there is more than one."""
    if part.shape[1] == 1:
        return part
    return torch.cat([part.roll(1, dims=1), part], dim=2)
