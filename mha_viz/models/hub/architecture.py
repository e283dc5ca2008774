"""What a config.json says of a model, read before any weight is fetched or loaded, and checked against what the app can show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mha_viz.errors import InputError, ModelError
from mha_viz.spec import ModelSpec

#: Each number under the names that architectures give it.
_LAYERS = ("num_hidden_layers", "n_layers", "n_layer", "num_layers")
_HEADS = ("num_attention_heads", "n_heads", "n_head")
_WIDTH = ("hidden_size", "dim", "n_embd", "d_model")
_POSITIONS = ("max_position_embeddings", "n_positions")
#: Architectures whose positions begin after that of padding, so that two of those they have are never used.
_OFFSET_POSITIONS = frozenset(
    ("roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "roberta-prelayernorm", "mpnet")
)
#: What a token may at most be asked to look at: the longest text the pages can show.
MOST_TOKENS = 512
MOST_LAYERS, MOST_HEADS, MOST_WIDTH, MOST_WORDS = 128, 256, 16_384, 1_000_000

#: Architectures whose code in transformers does not ask for an attention function, so that nothing could act inside them.
#: A test holds the list against the installed transformers; one that is not listed is found out by the proof after loading.
# fmt: off
OWN_ATTENTION = frozenset((
    "big_bird", "bigbird_pegasus", "bloom", "convbert", "cpmant", "deberta", "deberta-v2", "flaubert",
    "funnel", "gpt_neo", "gpt_neox_japanese", "ibert", "longformer", "luke", "megatron-bert",
    "mpnet", "mpt", "mra", "nystromformer", "openai-gpt", "perceiver", "reformer", "rembert", "roformer",
    "squeezebert", "tapas", "xglm", "xlm", "xlnet", "yoso",
))
# fmt: on


@dataclass(frozen=True)
class Architecture:
    """What can be known of a model without its weights.

    Attributes:
        model_type: what transformers calls the architecture ("bert", "gpt2").
        spec: layers, heads, widths, limits, and whether a token sees only what stands before it.
        says: what its output layer gives: "tokens" (a word for a gap, or the next one), "classes", or "nothing".
        labels: names of its classes.
    """

    model_type: str
    spec: ModelSpec
    says: str = "nothing"
    labels: tuple[str, ...] = ()


def read_config(file: Path, name: str) -> dict[str, Any]:
    """A config.json.

    Raises:
        ModelError: it is missing or no JSON object.
    """
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ModelError("error.config_unreadable", name=name) from problem
    if not isinstance(config, dict):
        raise ModelError("error.config_unreadable", name=name)
    return config


def architecture_of(config: Mapping[str, Any], name: str) -> Architecture:
    """What a config.json describes.

    Args:
        config: its contents.
        name: what people call the model.

    Raises:
        ModelError: it needs code of its own, has no attention heads, is an encoder with a decoder, or is beyond a limit.
    """
    if config.get("auto_map"):
        raise ModelError("error.remote_code", name=name)
    model_type = str(config.get("model_type") or "")
    if model_type in OWN_ATTENTION:
        raise ModelError("error.own_attention", name=name, model_type=model_type)
    if config.get("is_encoder_decoder"):
        raise ModelError("error.encoder_decoder", name=name, model_type=model_type)
    numbers = {what: _number(config, names) for what, names in (("n_layers", _LAYERS), ("n_heads", _HEADS))}
    width = _number(config, _WIDTH)
    if not model_type or width is None or None in numbers.values():
        raise ModelError("error.not_attention", name=name, model_type=model_type or "?")
    sizes = {**{what: number or 0 for what, number in numbers.items()}, "d_model": width}
    _bound(name, sizes, _number(config, ("vocab_size",)) or 0)
    if config.get("head_dim") and int(config["head_dim"]) * sizes["n_heads"] != width:
        raise ModelError("error.head_width", name=name, got=config["head_dim"], n_heads=sizes["n_heads"], d_model=width)
    try:
        spec = ModelSpec(name, **sizes, max_tokens=_max_tokens(config, model_type), causal=_causal(config))
    except InputError as problem:
        raise ModelError("error.config_numbers", name=name, reason=str(problem)) from problem
    if _hides_far_tokens(config):
        raise ModelError("error.own_mask", name=name)
    says = _says(config)
    return Architecture(model_type, spec, says, _labels(config) if says == "classes" else ())


def _number(config: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    """The first of these entries that is a whole number."""
    found = (config[name] for name in names if isinstance(config.get(name), int) and not isinstance(config[name], bool))
    return next(found, None)


def _bound(name: str, sizes: Mapping[str, int], n_words: int) -> None:
    limits = {"n_layers": MOST_LAYERS, "n_heads": MOST_HEADS, "d_model": MOST_WIDTH, "vocab_size": MOST_WORDS}
    for what, number in {**sizes, "vocab_size": n_words}.items():
        if number > limits[what]:
            raise ModelError("error.config_limit", name=name, what=what, got=number, limit=limits[what])


def _max_tokens(config: Mapping[str, Any], model_type: str) -> int:
    positions = _number(config, _POSITIONS)
    if positions is None:
        return MOST_TOKENS
    if model_type in _OFFSET_POSITIONS:
        positions -= (_number(config, ("pad_token_id",)) or 0) + 1
    return min(positions, MOST_TOKENS)


def _causal(config: Mapping[str, Any]) -> bool:
    """Whether the model itself hides what comes after a token."""
    decoders = ("ForCausalLM", "LMHeadModel", "DoubleHeadsModel")
    named = any(name.endswith(decoders) for name in _architectures(config))
    encoder = str(config.get("model_type")) in _ENCODERS
    return bool(config.get("is_decoder")) if encoder else named or config.get("model_type") in _DECODERS


#: Of these, only ``is_decoder`` makes a decoder, whatever class was saved.
_ENCODERS = frozenset(("bert", "roberta", "xlm-roberta", "camembert", "electra", "distilbert", "albert", "mpnet"))
_DECODERS = frozenset(("gpt2", "gpt_neo", "gpt_neox", "gptj", "opt", "llama", "mistral", "qwen2", "bloom"))


def _hides_far_tokens(config: Mapping[str, Any]) -> bool:
    """Whether the model's own window is so narrow that it would show within the longest text."""
    window = _number(config, ("sliding_window",))
    return window is not None and bool(config.get("use_sliding_window", True)) and window < MOST_TOKENS


def _architectures(config: Mapping[str, Any]) -> list[str]:
    names = config.get("architectures")
    return [str(name) for name in names] if isinstance(names, list) else []


def _says(config: Mapping[str, Any]) -> str:
    for name in _architectures(config):
        if name.endswith(("ForMaskedLM", "ForCausalLM", "LMHeadModel")):
            return "tokens"
        if name.endswith("ForPreTraining") and config.get("model_type") in ("bert", "albert"):
            return "tokens"
        if name.endswith("ForSequenceClassification"):
            return "classes"
    return "nothing"


def _labels(config: Mapping[str, Any]) -> tuple[str, ...]:
    names = config.get("id2label")
    if not isinstance(names, dict):
        return ()
    return tuple(str(names[number]) for number in sorted(names, key=int))
