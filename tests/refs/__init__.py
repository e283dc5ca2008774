"""Reference arrays that this project did not make; README.md says what they hold."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

_FOLDER = Path(__file__).parent
_ARRAYS = {
    "a": "a_mha_torch.npz",
    "b": "b_minilm_attn.npz",
    "c": "c_minilm_temperature.npz",
    "d": "d_minilm_analysis.npz",
}
_TOKENS = {"b": "b_minilm_tokens.json", "d": "d_tokens.json"}


@functools.cache
def arrays(letter: str) -> dict[str, np.ndarray]:
    """Every array of one file, by name."""
    with np.load(_FOLDER / _ARRAYS[letter]) as stored:
        return {name: stored[name] for name in stored.files}


@functools.cache
def tokens(letter: str) -> dict[str, Any]:
    """Texts and tokens of one file."""
    return json.loads((_FOLDER / _TOKENS[letter]).read_text(encoding="utf-8"))


@functools.cache
def without_a_key() -> dict[str, Any]:
    """What each call of torch and transformers did with a query that may see no key."""
    return json.loads((_FOLDER / "e_fully_masked.json").read_text(encoding="utf-8"))
