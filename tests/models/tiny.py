"""A tiny BERT, made here from a config and a word list: real files, no network."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import BertConfig, BertModel, BertTokenizer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "a", "cat", "dog", "sat", "on", "mat"]
WORDS += [".", ",", "!", "it", "was", "##s", "##ing", "play"]
N_LAYERS, N_HEADS, D_MODEL, MAX_TOKENS = 3, 2, 16, 32


def save(folder: Path, *, dropout: float = 0.1, seed: int = 0) -> Path:
    """Writes config, tokenizer and seeded weights; the weights are large, so that heads differ."""
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=D_MODEL,
        num_hidden_layers=N_LAYERS,
        num_attention_heads=N_HEADS,
        intermediate_size=32,
        max_position_embeddings=MAX_TOKENS,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        initializer_range=0.5,
    )
    BertModel(config).save_pretrained(folder)
    BertTokenizer(vocab={word: number for number, word in enumerate(WORDS)}, do_lower_case=True).save_pretrained(folder)
    return folder
