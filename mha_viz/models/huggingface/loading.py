"""From files on the disk to a transformers model and its tokenizer. Nothing is fetched, no code of a model is run."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from transformers.utils import logging as transformers_logging

from mha_viz.errors import ModelError
from mha_viz.models.hub.architecture import Architecture
from mha_viz.models.huggingface.kernel import IMPLEMENTATION, register

register()
transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]

_LOCAL = {"local_files_only": True, "trust_remote_code": False}
#: What transformers and safetensors raise for files that are damaged, incomplete or not a model.
_BROKEN = (OSError, ValueError, KeyError, TypeError, AttributeError, ImportError, RuntimeError, SafetensorError)


def load_tokenizer(folder: Path, name: str) -> Any:
    """The tokenizer of a folder.

    Raises:
        ModelError: there is none that can be read.
    """
    try:
        return AutoTokenizer.from_pretrained(folder, **_LOCAL)
    except _BROKEN as problem:
        raise ModelError("error.tokenizer_unreadable", name=name, reason=_first_line(problem)) from problem


def load_network(folder: Path, architecture: Architecture, dtype: torch.dtype) -> tuple[Any, bool]:
    """The model with its weights, in eval mode on the CPU, and whether its output layer came with them.

    Raises:
        ModelError: the weights cannot be read, or some that the attention needs are missing.
    """
    name = architecture.spec.name
    kinds = [_kind_for(architecture), AutoModel] if architecture.says != "nothing" else [AutoModel]
    for kind in kinds:
        network, missing = _load(kind, folder, name, dtype)
        inner = [key for key in missing if _is_inner(key, network)]
        if inner:
            raise ModelError("error.weights_missing", name=name, count=len(inner), first=inner[0])
        if kind is AutoModel or not missing:
            return _frozen(network).eval(), kind is not AutoModel
    raise AssertionError(kinds)  # the last kind is AutoModel


def _kind_for(architecture: Architecture) -> Any:
    if architecture.says == "classes":
        return AutoModelForSequenceClassification
    return AutoModelForCausalLM if architecture.spec.causal else AutoModelForMaskedLM


def _load(kind: Any, folder: Path, name: str, dtype: torch.dtype) -> tuple[Any, list[str]]:
    try:
        network, report = kind.from_pretrained(
            folder,
            **_LOCAL,
            use_safetensors=True,
            attn_implementation=IMPLEMENTATION,
            dtype=dtype,
            output_loading_info=True,
        )
    except _BROKEN as problem:
        raise ModelError("error.model_unreadable", name=name, reason=_first_line(problem)) from problem
    return network, [*report["missing_keys"], *report.get("mismatched_keys", ())]


def _is_inner(key: object, network: Any) -> bool:
    """Whether a parameter takes part in attention, and not only in an output layer, which a checkpoint may lack."""
    text = str(key)
    prefix = network.base_model_prefix + "."
    has_output_layer = network.base_model is not network
    return "pooler" not in text and (text.startswith(prefix) or not has_output_layer)


def _frozen(network: Any) -> Any:
    """No gradient reaches the weights, which all sessions share; gates alone have one."""
    network.requires_grad_(False)
    for module in network.modules():
        if hasattr(module, "feed_forward_chunk"):
            module.feed_forward_chunk = _with_signature(module.feed_forward_chunk)
    return network


def _with_signature(method: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    """The method with its signature worked out once: transformers asks for it in every layer of every call, which takes 2% of
    a short run."""

    def same(hidden: torch.Tensor) -> torch.Tensor:
        return method(hidden)

    same.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    return same


def _first_line(problem: BaseException) -> str:
    lines = re.split(r"\n|\bYou\sset\b", str(problem).strip())  # advice to programmers follows
    return lines[0].strip().rstrip(".") if lines[0] else type(problem).__name__
