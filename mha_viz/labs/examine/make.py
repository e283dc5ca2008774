"""From a class to a module: with the arguments that a person gives, or with some that usually fit."""

from __future__ import annotations

import ast
import inspect
import json
import re
from types import SimpleNamespace
from typing import Any, NamedTuple

from torch import nn

from mha_viz.labs.examine.base import Trouble
from mha_viz.labs.examine.find import reason_of

#: What is tried where nothing is given.
D_MODEL, N_HEADS, N_TOKENS = 32, 4, 64
#: Chance to drop a weight where a module lets it be chosen, so that a dropout that never ends is seen.
DROPOUT = 0.25

#: Names of arguments and attributes, and what is put there.
_WIDTHS = [
    "d_model",
    "embed_dim",
    "embed_size",
    "embedding_dim",
    "emb_dim",
    "emb_size",
    "n_embd",
    "hidden_size",
    "hidden_dim",
    "model_dim",
    "d_embed",
    "d_in",
    "d_out",
    "dim",
    "width",
    "input_dim",
    "output_dim",
    "in_features",
    "features",
    "units",
    "d",
    "d_hidden",
]
_HEADS = [
    "n_heads",
    "num_heads",
    "n_head",
    "nhead",
    "heads",
    "h",
    "num_attention_heads",
    "number_of_heads",
    "head_count",
    "H",
    "n_h",
]
_HEAD_WIDTHS = ["d_k", "d_v", "d_q", "d_head", "head_dim", "dim_head", "head_size", "d_key", "d_value"]
_LENGTHS = [
    "context_length",
    "max_len",
    "max_length",
    "seq_len",
    "block_size",
    "max_seq_len",
    "n_positions",
    "max_position_embeddings",
]
_DROPOUT = re.compile(r"(.*_)?(dropout|drop)(_.*)?|p_drop|pdrop|attention_probs_dropout_prob")


class Made(NamedTuple):
    """A module and what it was made with.

    Attributes:
        module: freshly made, float32.
        told: its arguments as they would be written.
        given: by name, as far as they have one.
    """

    module: nn.Module
    told: str
    given: dict[str, Any]


def make(found: Any, text: str) -> Made:
    """The module.

    Args:
        found: a class or function that gives a module, or a module.
        text: its arguments as in a call, such as "32, n_heads=4", or as JSON; "" to try what usually fits.

    Raises:
        Trouble: what is found is no module, or cannot be made so.
    """
    if isinstance(found, nn.Module):
        return Made(found.float(), "", {})
    if isinstance(found, type) and not issubclass(found, nn.Module):
        raise Trouble("examine.no.class", "examine.todo.class", got=found.__name__)
    if not callable(found):
        raise Trouble("examine.no.class", "examine.todo.class", got=type(found).__name__)
    tries = [arguments(text)] if text.strip() else list(_usual(found))
    problems: list[str] = []
    for positional, named in tries:
        try:
            module = found(*positional, **named)
        except BaseException as problem:  # noqa: BLE001 - sys.exit within a class of a person's own, too
            problems.append(reason_of(problem))
            continue
        if not isinstance(module, nn.Module):
            raise Trouble("examine.no.class", "examine.todo.class", got=type(module).__name__)
        return Made(module.float(), written(positional, named), _by_name(found, positional, named))
    told = "; ".join(f"({written(*one)})" for one in tries)
    todo = "examine.todo.made" if _divides(_by_name(found, *tries[0])) else "examine.todo.divides"
    raise Trouble("examine.no.made", todo, tried=told, reason=problems[0])


def _divides(given: dict[str, Any]) -> bool:
    """Whether the number of heads among the arguments divides the width, as far as both are given."""
    width, n_heads = (next((given[one] for one in names if one in given), None) for names in (_WIDTHS, _HEADS))
    return not isinstance(width, int) or not isinstance(n_heads, int) or n_heads < 1 or width % n_heads == 0


def arguments(text: str) -> tuple[list[Any], dict[str, Any]]:
    """What a person wrote, as positional and named arguments.

    Raises:
        Trouble: that is neither JSON nor literals as in a call.
    """
    try:
        if text.strip().startswith(("{", "[")):
            read = json.loads(text)
            return ([], read) if isinstance(read, dict) else (read, {})
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call)
        named = {one.arg: ast.literal_eval(one.value) for one in call.keywords if one.arg is not None}
        return [ast.literal_eval(one) for one in call.args], named
    except (ValueError, SyntaxError, AssertionError, RecursionError, MemoryError) as problem:
        raise Trouble("examine.no.arguments", "examine.todo.arguments", got=text) from problem


def written(positional: list[Any], named: dict[str, Any]) -> str:
    """Arguments as in a call."""
    return ", ".join([*map(_shown, positional), *(f"{name}={_shown(value)}" for name, value in named.items())])


def _shown(value: Any) -> str:
    return "…" if isinstance(value, SimpleNamespace) else repr(value)


def _usual(found: Any) -> list[tuple[list[Any], dict[str, Any]]]:
    """What is tried: by the names of the arguments, then by their places."""
    named = {}
    for name, parameter in _parameters(found).items():
        value = _usual_value(name, parameter)
        if value is not None:
            named[name] = value
    return [([], named), ([D_MODEL, N_HEADS], {}), ([D_MODEL], {}), ([N_HEADS, D_MODEL], {})]


def _usual_value(name: str, parameter: inspect.Parameter) -> Any:
    required = parameter.default is parameter.empty
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return None
    if _DROPOUT.fullmatch(name.lower()):
        return DROPOUT
    values = [(_WIDTHS, D_MODEL), (_HEADS, N_HEADS), (_HEAD_WIDTHS, D_MODEL // N_HEADS), (_LENGTHS, N_TOKENS)]
    for names, value in values:
        if name in names and (required or names in (_WIDTHS, _HEADS)):
            return value
    if required and name in ("config", "cfg", "args"):
        return _config()
    return False if required and ("bias" in name or parameter.annotation in (bool, "bool")) else None


def _config() -> SimpleNamespace:
    """An object with every usual name, for modules that are made from one."""
    entries: dict[str, Any] = (
        dict.fromkeys(_WIDTHS, D_MODEL) | dict.fromkeys(_HEADS, N_HEADS) | dict.fromkeys(_LENGTHS, N_TOKENS)
    )
    entries |= dict.fromkeys(("dropout", "attn_pdrop", "resid_pdrop", "attention_probs_dropout_prob"), DROPOUT)
    return SimpleNamespace(**entries, bias=True)


def _parameters(found: Any) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(found).parameters)
    except (TypeError, ValueError):
        return {}


def _by_name(found: Any, positional: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    return dict(zip(_parameters(found), positional, strict=False)) | named


def widths(made: Made) -> list[int]:
    """Widths that a token's vector may have, the likeliest first."""
    sources = [made.given.get(name) for name in _WIDTHS] + [getattr(made.module, name, None) for name in _WIDTHS]
    sources += made.given.values()
    sources += [getattr(value, name, None) for value in made.given.values() for name in _WIDTHS]
    sources += [one.shape[-1] for one in made.module.parameters() if one.dim() >= 2]
    found = [value for value in sources if isinstance(value, int) and not isinstance(value, bool) and value > 0]
    return list(dict.fromkeys([*found, D_MODEL]))


def heads(made: Made) -> int | None:
    """The number of heads, if an argument or an attribute says it."""
    sources = [made.given.get(name) for name in _HEADS] + [getattr(made.module, name, None) for name in _HEADS]
    sources += [getattr(value, name, None) for value in made.given.values() for name in _HEADS]
    return next((value for value in sources if isinstance(value, int) and value > 0), None)
