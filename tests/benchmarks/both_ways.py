"""MiniLM run by this project and by Hugging Face's eager attention, from the same ids to the same NumPy array."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from transformers import AutoModel

import mha_viz
from mha_viz.models.packaged import model_folder
from mha_viz.tokens import TokenSequence

WORDS = ("the", "cat", "sat", "on", "a", "mat", "and", "saw", "two", "old", "men", "walk", "home")


def open_ours() -> Any:
    return mha_viz.open_model("minilm")


def open_eager(device: torch.device) -> Any:
    model = AutoModel.from_pretrained(
        model_folder(),
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        attn_implementation="eager",
        dtype=torch.float32,
    )
    return model.to(device).eval()


def sequence(model: Any, n_tokens: int) -> TokenSequence:
    """Words of one token each, between [CLS] and [SEP]."""
    tokens: TokenSequence = model.tokenize(" ".join(WORDS[i % len(WORDS)] for i in range(n_tokens - 2)))
    assert tokens.n_tokens == n_tokens
    return tokens


def run_eager(model: Any, tokens: TokenSequence) -> np.ndarray:
    """float32 (layer, head, query, key)."""
    with torch.inference_mode():
        rows = (
            torch.tensor([numbers], dtype=torch.long, device=model.device)
            for numbers in (tokens.ids, tokens.segment_ids)
        )
        input_ids, token_type_ids = rows
        out = model(input_ids=input_ids, token_type_ids=token_type_ids, output_attentions=True)
        return torch.cat(out.attentions).cpu().numpy()
