"""Which files make a model, and what the head of a safetensors file says. No tensor is read, no pickle is ever opened."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from mha_viz.errors import ModelError

CONFIG = "config.json"
SINGLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
#: In place of a config.json it marks an addition to another model.
ADAPTER = "adapter_config.json"

#: Each of these holds a vocabulary by itself; a file that ends in .model does too (sentencepiece).
_VOCABULARIES = frozenset(("tokenizer.json", "vocab.txt", "vocab.json"))
_BESIDE = frozenset(
    ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "merges.txt", "bpe.codes")
)
#: A plain name: an index that names "../x.safetensors" must lead nowhere.
_SHARD = re.compile(r"[\w\-][\w\-.]*\.safetensors", re.ASCII)
_SENTENCEPIECE = re.compile(r"[\w\-][\w\-.]*\.model", re.ASCII)
#: What safetensors itself allows.
_LONGEST_HEADER = 100_000_000


@dataclass(frozen=True)
class Weights:
    """What the heads of a model's weight files say.

    Attributes:
        n_bytes: of all files together.
        parameters: numbers in all tensors together.
    """

    n_bytes: int
    parameters: int


def has_vocabulary(names: Iterable[str]) -> bool:
    """Whether a tokenizer could be made of these files."""
    return any(name in _VOCABULARIES or _SENTENCEPIECE.fullmatch(name) for name in names)


def tokenizer_files(names: Iterable[str]) -> list[str]:
    """Those that belong to the tokenizer, sorted."""
    return sorted(name for name in names if name in _VOCABULARIES or name in _BESIDE or _SENTENCEPIECE.fullmatch(name))


def shards(index: bytes, name: str) -> list[str]:
    """The weight files that an index names, sorted.

    Raises:
        ModelError: it is no index, or names something else than files beside it.
    """
    try:
        files = sorted(set(json.loads(index)["weight_map"].values()))
        plain = bool(files) and all(_SHARD.fullmatch(file) for file in files)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise ModelError("error.hub_index", name=name, file=INDEX) from problem
    if not plain:
        raise ModelError("error.hub_index", name=name, file=INDEX)
    return files


def measure(files: Iterable[Path]) -> Weights:
    """Sizes and parameters of safetensors files, from their heads alone.

    Raises:
        DamagedError: a head cannot be read, or the file is shorter or longer than it says.
    """
    n_bytes = parameters = 0
    for file in files:
        n_bytes += file.stat().st_size
        parameters += _parameters(file)
    return Weights(n_bytes, parameters)


class DamagedError(Exception):
    """A weight file that is not what its head says.

    Args:
        file: its name.
    """

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.file = file


def _parameters(path: Path) -> int:
    """The file begins with the header's length (8 bytes, little-endian) and the header (JSON); the numbers follow."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if not 2 <= length <= _LONGEST_HEADER:
                raise DamagedError(path.name)
            header = json.loads(file.read(length))
        tensors = [entry for key, entry in header.items() if key != "__metadata__"]
        end = max((int(entry["data_offsets"][1]) for entry in tensors), default=0)
        parameters = sum(math.prod(entry["shape"]) for entry in tensors)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as problem:
        raise DamagedError(path.name) from problem
    if path.stat().st_size != 8 + length + end:
        raise DamagedError(path.name)
    return parameters
