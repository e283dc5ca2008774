"""BigBird and Longformer of transformers in small, with random weights: what each query reads, as it is, not as it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from transformers import BigBirdConfig, BigBirdModel, LongformerConfig, LongformerModel
from transformers.utils import logging as transformers_logging

from mha_viz.arrays import BoolArray

transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]

#: One layer and one head: what a query reads is then what its output depends on.
_SMALL: dict[str, Any] = {
    "vocab_size": 128,
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
    "intermediate_size": 32,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}
_ROOM = 1_026
#: Token ids below these are special.
_FIRST_ID, _IDS = 5, 60


@dataclass(frozen=True, eq=False)
class Read:
    """One pass.

    Attributes:
        reads: bool (query, key): whether the output of the query changes with the key's vector, found by gradients.
        maps: how many layers' weights were handed out when they were asked for.
        weighed: how many cells of these weights are above 0; None where there are none.
        lowest_sum: the smallest sum of a row of these weights; None where there are none.
        padded_to: tokens that the model worked on.
        kind: "block_sparse", "original_full" or "longformer", as the model says after the pass.
    """

    reads: BoolArray
    maps: int
    weighed: int | None
    lowest_sum: float | None
    padded_to: int
    kind: str


def bigbird(block: int, random_blocks: int, *, training: bool = False) -> Any:
    """A BigBird that is to read in blocks.

    Args:
        block: tokens of a block.
        random_blocks: that each block is to see beyond its neighbours and the global ones.
        training: the mode; in the other one, transformers puts the first block in the place of the random ones.
    """
    torch.manual_seed(0)
    config = BigBirdConfig(
        **_SMALL,
        sep_token_id=2,
        max_position_embeddings=_ROOM,
        attention_type="block_sparse",
        block_size=block,
        num_random_blocks=random_blocks,
    )
    return _still(BigBirdModel(config), training=training)


def longformer(window: int) -> Any:
    """A Longformer whose window has ``window`` / 2 tokens on each side."""
    torch.manual_seed(0)
    config = LongformerConfig(
        **_SMALL, sep_token_id=2, pad_token_id=1, max_position_embeddings=_ROOM, attention_window=window
    )
    return _still(LongformerModel(config))


def _still(model: Any, *, training: bool = False) -> Any:
    return model.train(training).requires_grad_(False)


def read_bigbird(model: Any, n_tokens: int) -> Read:
    """One pass over so many tokens; what it does to the model object stays."""
    said = _pass(model, n_tokens)
    maps = [weights for weights in said.attentions or () if weights is not None]
    reads = _dependence(model, n_tokens)
    padded = maps[0].shape[-1] if maps else n_tokens
    own = maps[0][0, 0, :n_tokens] if maps else None
    weighed = int((own > 0).sum()) if own is not None else None
    lowest = float(own.sum(dim=-1).min()) if own is not None else None
    return Read(reads, len(maps), weighed, lowest, padded, str(model.attention_type))


def read_longformer(model: Any, n_tokens: int) -> Read:
    """One pass over so many tokens, the first of them global."""
    chosen = torch.zeros(1, n_tokens, dtype=torch.long)
    chosen[:, 0] = 1
    said = _pass(model, n_tokens, global_attention_mask=chosen)
    local, whole = said.attentions[0][0, 0], said.global_attentions[0][0, 0]
    weighed = int((local[1:] > 0).sum() + (whole[:n_tokens] > 0).sum())
    lowest = float(torch.cat([local[1:].sum(dim=-1), whole.sum(dim=0)]).min())
    reads = _dependence(model, n_tokens, global_attention_mask=chosen)
    return Read(reads, len(said.attentions), weighed, lowest, int(whole.shape[0]), "longformer")


def _pass(model: Any, n_tokens: int, **more: Any) -> Any:
    ids = torch.randint(_FIRST_ID, _IDS, (1, n_tokens), generator=torch.Generator().manual_seed(n_tokens))
    with torch.no_grad():
        return model(ids, output_attentions=True, **more)


def _dependence(model: Any, n_tokens: int, **more: Any) -> BoolArray:
    """bool (query, key): where the gradient of a query's output by a key's embedding is not 0."""
    random = torch.Generator().manual_seed(n_tokens)
    embedded = torch.randn(1, n_tokens, _SMALL["hidden_size"], generator=random).requires_grad_()
    output = model(inputs_embeds=embedded, **more).last_hidden_state[0]
    # A layer norm's outputs sum to the same whatever is read: weighed by random numbers they do not.
    weighed = output @ torch.randn(output.shape[1], generator=random)
    rows = []
    for query in range(n_tokens):
        (gradient,) = torch.autograd.grad(weighed[query], embedded, retain_graph=True)
        rows.append((gradient[0].abs().amax(dim=-1) > 0).numpy())
    return np.stack(rows)
