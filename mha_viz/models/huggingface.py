"""BERT from a folder, through transformers. Hugging Face's own words stay in this file.

The kernel is registered once under a name of our own, with its mask function: registering the attention function alone
silently drops the padding mask. What one call needs travels as a keyword of that call (``PROBE``), so that one model
serves all threads.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AttentionInterface, AttentionMaskInterface, AutoConfig, AutoModel, AutoTokenizer
from transformers.masking_utils import eager_mask
from transformers.utils import logging as transformers_logging

from mha_viz.errors import InputError, ModelError, TooLongError
from mha_viz.models.base import AttentionModel
from mha_viz.models.devices import choose_device
from mha_viz.models.packaged import spec_of
from mha_viz.models.probe import Probe
from mha_viz.models.text import prepared
from mha_viz.tokens import TokenSequence

IMPLEMENTATION = "mha_viz"
PROBE = "mha_viz_probe"

#: Special tokens that frame a text, as opposed to [MASK] and [UNK], which stand for something in it.
_FRAME = ("cls_token", "sep_token", "pad_token", "bos_token", "eos_token")


def _attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **kwargs: Any,
) -> tuple[torch.Tensor, torch.Tensor]:
    """What transformers calls in each layer: (batch, head, token, d_k) to (batch, token, head, d_k) and the weights."""
    probe: Probe = kwargs[PROBE]
    visible = (
        None if attention_mask is None else attention_mask == 0
    )  # eager's mask: 0 where visible, else very negative
    head_output, weights = probe.attend(query, key, value, scaling or query.size(-1) ** -0.5, visible)
    return head_output.transpose(1, 2).contiguous(), weights


def register() -> None:
    """Makes the kernel known to transformers, with the mask function without which padding is not hidden."""
    AttentionInterface.register(IMPLEMENTATION, _attention)
    AttentionMaskInterface.register(IMPLEMENTATION, eager_mask)


register()
transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]


class HuggingFaceModel(AttentionModel):
    """A BERT loaded from a folder with config.json, tokenizer files and model.safetensors.

    Args:
        folder: where the files are; nothing is fetched.
        name: what people call it.
        device: where to run; the fastest there is if None.

    Raises:
        ModelError: the folder does not hold a model that can be read.
    """

    def __init__(self, folder: Path, name: str, device: torch.device | None = None) -> None:
        local = {"local_files_only": True, "trust_remote_code": False}
        try:
            config = AutoConfig.from_pretrained(folder, **local)
            self.spec = spec_of(config.to_dict(), name)
            self.device = device or choose_device()
            self._tokenizer = AutoTokenizer.from_pretrained(folder, **local)
            self._model = AutoModel.from_pretrained(
                folder,
                **local,
                use_safetensors=True,
                attn_implementation=IMPLEMENTATION,
                dtype=torch.float32,
            )
        except (OSError, ValueError, KeyError, SafetensorError) as problem:
            raise ModelError("error.model_unreadable", name=name, reason=str(problem)) from problem
        self._model.pooler = None  # its output is not asked for
        for module in self._model.modules():
            if hasattr(module, "feed_forward_chunk"):
                module.feed_forward_chunk = _with_signature(module.feed_forward_chunk)
        self.dtype = torch.float32
        self._model.to(self.device).eval()
        self._tokenizing = threading.Lock()  # a fast tokenizer's settings are shared, and changed by each call
        self._frame_ids = {self._tokenizer.convert_tokens_to_ids(token) for token in self._frame_tokens()}
        self.padding_token = (self._tokenizer.pad_token, self._tokenizer.pad_token_id)
        self.special_names = tuple(self._tokenizer.all_special_tokens)

    def tokenize(
        self, text: str, pair: str | None = None, *, cut: bool = False, read_special: bool = False
    ) -> TokenSequence:
        """As AttentionModel."""
        text, pair = prepared(text, pair, cut=cut)
        encoding, total = self._encode(text, pair, cut=cut, read_special=read_special)
        tokens, ids = encoding.tokens, encoding.ids
        special = tuple(
            bool(added) or (read_special and number in self._frame_ids)
            for added, number in zip(encoding.special_tokens_mask, ids, strict=True)
        )
        if all(encoding.special_tokens_mask):
            raise InputError("error.no_tokens", name=self.spec.name)
        texts = (text, pair or "")
        surfaces = tuple(
            "" if sequence is None else texts[sequence][start:end]
            for (start, end), sequence in zip(encoding.offsets, encoding.sequence_ids, strict=True)
        )
        return TokenSequence(
            text=text,
            pair=pair,
            tokens=tuple(tokens),
            ids=tuple(ids),
            segment_ids=tuple(encoding.type_ids),
            special=special,
            unknown=tuple(number == self._tokenizer.unk_token_id for number in ids),
            word_ids=_running_word_ids(encoding.word_ids, encoding.sequence_ids),
            surfaces=surfaces,
            padding=(False,) * len(tokens),
            cut_from=total if total > self.spec.max_tokens else None,
        )

    def _encode(self, text: str, pair: str | None, *, cut: bool, read_special: bool) -> tuple[Any, int]:
        """The tokenizer's own record, within the model's limit, and how many tokens there were before cutting."""
        with self._tokenizing:
            options = {"split_special_tokens": not read_special, "return_offsets_mapping": True, "verbose": False}
            encoding = self._tokenizer(text, pair, **options).encodings[0]
            total, limit = len(encoding.ids), self.spec.max_tokens
            if total > limit:
                if not cut:
                    raise TooLongError("error.too_many_tokens", got=total, limit=limit)
                shortened = self._tokenizer(text, pair, truncation=True, max_length=limit, **options)
                encoding = shortened.encodings[0]
        return encoding, total

    def _forward(self, tokens: TokenSequence, probe: Probe) -> torch.Tensor:
        inputs = {"input_ids": self._row(tokens.ids)}
        if "token_type_ids" in self._tokenizer.model_input_names:
            inputs["token_type_ids"] = self._row(tokens.segment_ids)
        if any(tokens.padding):
            inputs["attention_mask"] = 1 - self._row(tokens.padding)
        output: torch.Tensor = self._model(**inputs, **{PROBE: probe}).last_hidden_state
        return output[0]

    def _merge(self, layer: int, head_output: torch.Tensor) -> torch.Tensor:
        merged: torch.Tensor = self._model.encoder.layer[layer].attention.output.dense(head_output)
        return merged

    @property
    def _training(self) -> bool:
        return bool(self._model.training)

    def _row(self, numbers: tuple[int, ...]) -> torch.Tensor:
        """(1, token)."""
        return torch.tensor([numbers], dtype=torch.long, device=self.device)

    def _frame_tokens(self) -> list[str]:
        tokens = (getattr(self._tokenizer, name, None) for name in _FRAME)
        return [token for token in tokens if token is not None]


def _with_signature(method: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    """The method with its signature worked out once: transformers asks for it in every layer of every call, which takes 2% of
    a short run."""

    def same(hidden: torch.Tensor) -> torch.Tensor:
        return method(hidden)

    same.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    return same


def _running_word_ids(word_ids: list[int | None], sequences: list[int | None]) -> tuple[int | None, ...]:
    """Words of the second sentence go on counting where the first ends."""
    first = [word for word, sequence in zip(word_ids, sequences, strict=True) if sequence == 0 and word is not None]
    offset = max(first, default=-1) + 1
    return tuple(
        word + offset if word is not None and sequence == 1 else word
        for word, sequence in zip(word_ids, sequences, strict=True)
    )
