"""A tiny model of each architecture, made here from a config and a word list: real files, no network."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from tests.models import tiny

N_LAYERS, N_HEADS, D_MODEL, MAX_TOKENS = 3, 2, 16, 96
_SIZES: dict[str, Any] = {
    "vocab_size": len(tiny.WORDS),
    "hidden_size": D_MODEL,
    "num_hidden_layers": N_LAYERS,
    "num_attention_heads": N_HEADS,
    "intermediate_size": 32,
    "max_position_embeddings": MAX_TOKENS,
    "initializer_range": 0.5,
    "pad_token_id": 0,
}
_OTHER_NAMES: dict[str, Any] = {"vocab_size": len(tiny.WORDS), "initializer_range": 0.5}


def _byte_level(framed: bool) -> PreTrainedTokenizerFast:
    """A byte-level BPE as GPT-2's (or, framed by <s> and </s>, RoBERTa's): 256 bytes and a few merges."""
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"] if framed else ["<|endoftext|>"]
    vocabulary = {word: at for at, word in enumerate([*specials, *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("c", "a"), ("ca", "t"), ("Ġ", "cat"), ("s", "at"), ("a", "t")]
    for left, right in merges:
        vocabulary.setdefault(left + right, len(vocabulary))
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[merge for merge in merges if merge[0] != "s"]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    if not framed:
        return PreTrainedTokenizerFast(
            tokenizer_object=made, bos_token="<|endoftext|>", eos_token="<|endoftext|>", unk_token="<|endoftext|>"
        )
    made.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False
    )
    names = {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>", "mask": "<mask>", "cls": "<s>", "sep": "</s>"}
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        model_input_names=["input_ids", "attention_mask"],
        **{f"{name}_token": token for name, token in names.items()},
    )


def _word_pieces(*, segments: bool = True) -> PreTrainedTokenizerFast:
    vocabulary = {word: number for number, word in enumerate(tiny.WORDS)}
    made: PreTrainedTokenizerFast = transformers.BertTokenizer(vocab=vocabulary, do_lower_case=True)
    if not segments:
        made.model_input_names = ["input_ids", "attention_mask"]
    return made


def _bytes_config(kind: type, framed: bool, **sizes: Any) -> tuple[Any, Any]:
    tokenizer = _byte_level(framed)
    return kind(**{**sizes, "vocab_size": len(tokenizer)}), tokenizer


def _bert(**more: Any) -> tuple[Any, Any]:
    return transformers.BertConfig(**_SIZES, **more), _word_pieces()


def _plain_pieces() -> Any:
    """A tokenizer without offsets, as checkpoints for Japanese and for tweets have."""
    from transformers.models.bert_japanese.tokenization_bert_japanese import BertJapaneseTokenizer

    with tempfile.TemporaryDirectory() as folder:
        words = Path(folder) / "vocab.txt"
        words.write_text("\n".join(tiny.WORDS) + "\n", encoding="utf-8")
        return BertJapaneseTokenizer(str(words), do_lower_case=True)


def _distilbert(**more: Any) -> tuple[Any, Any]:
    config = transformers.DistilBertConfig(
        **_OTHER_NAMES,
        dim=D_MODEL,
        n_layers=N_LAYERS,
        n_heads=N_HEADS,
        hidden_dim=32,
        max_position_embeddings=MAX_TOKENS,
        **more,
    )
    return config, _word_pieces(segments=False)


def _gpt2(**more: Any) -> tuple[Any, Any]:
    sizes: dict[str, Any] = {"n_embd": D_MODEL, "n_layer": N_LAYERS, "n_head": N_HEADS, "n_positions": MAX_TOKENS}
    ends: dict[str, Any] = {"bos_token_id": 0, "eos_token_id": 0, "initializer_range": 0.5}
    return _bytes_config(transformers.GPT2Config, False, **sizes, **ends, **more)


def _roberta() -> tuple[Any, Any]:
    sizes: dict[str, Any] = {**_SIZES, "max_position_embeddings": MAX_TOKENS + 2, "pad_token_id": 1}
    ends: dict[str, Any] = {"bos_token_id": 0, "eos_token_id": 2, "type_vocab_size": 1}
    return _bytes_config(transformers.RobertaConfig, True, **sizes, **ends)


def _llama() -> tuple[Any, Any]:
    sizes = {name: size for name, size in _SIZES.items() if name != "pad_token_id"}
    ends: dict[str, Any] = {"num_key_value_heads": 1, "bos_token_id": 0, "eos_token_id": 0}
    return _bytes_config(transformers.LlamaConfig, False, **sizes, **ends)


def _windowed() -> tuple[Any, Any]:
    sizes = {name: size for name, size in _SIZES.items() if name != "pad_token_id"}
    window: dict[str, Any] = {
        "sliding_window": 4,
        "use_sliding_window": True,
        "max_window_layers": 0,
        "num_key_value_heads": 2,
    }
    return _bytes_config(transformers.Qwen2Config, False, **sizes, **window, bos_token_id=0, eos_token_id=0)


_LABELS: dict[str, Any] = {"id2label": {0: "bad", 1: "fair", 2: "good"}, "label2id": {"bad": 0, "fair": 1, "good": 2}}

#: Name to (class of the saved model, its config and tokenizer).
FAMILIES: dict[str, tuple[str, Callable[[], tuple[Any, Any]]]] = {
    "bert": ("BertModel", _bert),
    "bert masked": ("BertForMaskedLM", _bert),
    "bert pretraining": ("BertForPreTraining", _bert),
    "bert classes": ("BertForSequenceClassification", lambda: _bert(**_LABELS)),
    "bert decoder": ("BertLMHeadModel", lambda: _bert(is_decoder=True)),
    "bert plain": ("BertModel", lambda: (transformers.BertConfig(**_SIZES), _plain_pieces())),
    "distilbert": ("DistilBertModel", _distilbert),
    "distilbert classes": ("DistilBertForSequenceClassification", lambda: _distilbert(**_LABELS)),
    "roberta": ("RobertaForMaskedLM", _roberta),
    "electra": (
        "ElectraForPreTraining",
        lambda: (transformers.ElectraConfig(**_SIZES, embedding_size=8), _word_pieces()),
    ),
    "albert": ("AlbertForMaskedLM", lambda: (transformers.AlbertConfig(**_SIZES, embedding_size=8), _word_pieces())),
    "gpt2": ("GPT2LMHeadModel", _gpt2),
    "gpt2 bare": ("GPT2Model", _gpt2),
    "llama": ("LlamaForCausalLM", _llama),
}
#: Models that must be refused after loading.
UNFIT: dict[str, tuple[str, Callable[[], tuple[Any, Any]]]] = {
    "mpnet": ("MPNetModel", lambda: (transformers.MPNetConfig(**_SIZES), _word_pieces(segments=False))),
    "qwen window": ("Qwen2ForCausalLM", _windowed),
    "deberta": ("DebertaV2Model", lambda: (transformers.DebertaV2Config(**_SIZES), _word_pieces())),
}


def save(folder: Path, family: str) -> Path:
    """Writes config, tokenizer and seeded weights of a family; the weights are large, so that heads differ."""
    torch.manual_seed(0)
    kind, made = (FAMILIES | UNFIT)[family]
    config, tokenizer = made()
    getattr(transformers, kind)(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
