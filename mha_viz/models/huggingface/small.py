"""A small BERT with random weights, to try what transformers does with an argument. Nothing is fetched."""

from __future__ import annotations

from typing import Any

import torch
from transformers import BertConfig, BertModel

#: Layers, heads, width, words and tokens at most.
N_LAYERS, N_HEADS, D_MODEL, N_WORDS, MAX_TOKENS = 2, 4, 32, 100, 64


def small_bert(attention: str, *, seed: int = 0) -> Any:
    """A BERT in eval mode and float32; equal seeds make equal ones.

    Args:
        attention: transformers' name of an implementation, "eager" or "sdpa".
        seed: of its weights.
    """
    config = BertConfig(
        vocab_size=N_WORDS,
        hidden_size=D_MODEL,
        num_hidden_layers=N_LAYERS,
        num_attention_heads=N_HEADS,
        intermediate_size=2 * D_MODEL,
        max_position_embeddings=MAX_TOKENS,
        initializer_range=0.3,  # large enough that heads read differently
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        bert: Any = BertModel(config, add_pooling_layer=False)
    bert.set_attn_implementation(attention)
    return bert.eval()
