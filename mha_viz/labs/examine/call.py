"""How a module is called: which tensors it wants, which of them is the batch, what it returns."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from mha_viz.labs.examine.base import Trouble
from mha_viz.labs.examine.find import reason_of
from mha_viz.labs.examine.modes import Quiet

_ROLES = (
    ("query", "queries", "q", "query_states", "x_q"),
    ("key", "keys", "k", "key_states", "x_k"),
    ("value", "values", "v", "value_states", "x_v"),
)
_MASKS = re.compile(r".*mask.*|visible|allowed|attn_bias", re.IGNORECASE)
#: Arguments that ask for the weights, of each head.
_FLAGS = re.compile(r"(need|return|output)_(attn_|attention_)?(weights?|attentions?|attn|probs)")
_PER_HEAD = ("average_attn_weights",)


class Plan(NamedTuple):
    """What the signature says.

    Attributes:
        inputs: names of one, two or three arguments: query, key, value; numbers are places.
        masks: names of the arguments that take a mask.
        others: what else is handed over.
    """

    inputs: tuple[str | int, ...]
    masks: tuple[str, ...]
    others: Mapping[str, Any]


class Answer(NamedTuple):
    """What a call gave.

    Attributes:
        output: (batch, query, width).
        weights: as returned, (batch, head, query, key) or (batch, query, key); None if none were.
        seen: the results of every softmax within.
    """

    output: Tensor
    weights: Tensor | None
    seen: tuple[Tensor, ...]


class Form(NamedTuple):
    """A way to hand a mask over.

    Attributes:
        name: of the argument.
        shape: one of masking.SHAPES.
        values: one of masking.VALUES.
    """

    name: str
    shape: str
    values: str


@dataclass
class Subject:
    """A module and all that was found out about it.

    Attributes:
        module: in eval, float32, on the CPU.
        d_model: width of a token's vector.
        n_heads: None if nothing says it.
        plan: how it is called.
        batch_first: whether the batch comes before the tokens.
        causal: whether a later token is never read, without any mask.
        mixes: whether any token reads another.
        forms: ways to hand a mask over that hide what they should.
    """

    module: nn.Module
    d_model: int
    n_heads: int | None
    plan: Plan
    batch_first: bool = True
    causal: bool = False
    mixes: bool = True
    forms: list[Form] = field(default_factory=list)

    @property
    def n_inputs(self) -> int:
        """1, 2 or 3."""
        return len(self.plan.inputs)

    def twin(self) -> Subject:
        """The same with a copy of the module, which may be changed."""
        return replace(self, module=copy.deepcopy(self.module))

    def call(
        self,
        query: Tensor,
        other: Tensor | None = None,
        *,
        quiet: bool = True,
        masks: Mapping[str, Tensor] | None = None,
    ) -> Answer:
        """One call.

        Args:
            query: (batch, query, d_model).
            other: (batch, key, d_model), read as keys and values by a module that takes them; the query itself if None.
            quiet: nothing is dropped, and every softmax is kept.
            masks: by the name of the argument, as the module wants them.

        Raises:
            Trouble: what it returns holds no (batch, query, width).
            Exception: whatever the module raises.
        """
        other = query if other is None else other
        raw = [self._turned(one) for one in (query, other, other)][: self.n_inputs]
        named = {name: one for name, one in zip(self.plan.inputs, raw, strict=True) if isinstance(name, str)}
        placed = [one for name, one in zip(self.plan.inputs, raw, strict=True) if not isinstance(name, str)]
        arguments = {**named, **self.plan.others, **(masks or {})}
        if not quiet:
            return self._read(self.module(*placed, **arguments), query, other, ())
        with Quiet() as mode:
            returned = self.module(*placed, **arguments)
        return self._read(returned, query, other, tuple(mode.softmaxes))

    def _turned(self, x: Tensor) -> Tensor:
        return x if self.batch_first else x.transpose(0, 1)

    def _read(self, returned: Any, query: Tensor, other: Tensor, seen: tuple[Tensor, ...]) -> Answer:
        tensors = list(_tensors(returned))
        (batch, n_queries), n_keys = query.shape[:2], other.shape[1]
        first = (batch, n_queries) if self.batch_first else (n_queries, batch)
        outputs = [one for one in tensors if one.dim() == 3 and one.shape[:2] == first]
        if not outputs:
            shapes = ", ".join(str(tuple(one.shape)) for one in tensors) or type(returned).__name__
            wanted = (*first, query.shape[2])
            raise Trouble("examine.no.output", "examine.todo.output", got=shapes, wanted=str(wanted))
        rest = [one for one in tensors if one is not outputs[0] and one.is_floating_point()]
        weights = [_by_sample(one, batch) for one in rest if one.shape[-2:] == (n_queries, n_keys)]
        return Answer(self._turned(outputs[0]), weights[0] if weights else None, seen)


def _tensors(returned: Any) -> Iterator[Tensor]:
    if isinstance(returned, Tensor):
        yield returned
    elif isinstance(returned, Mapping):
        for one in returned.values():
            yield from _tensors(one)
    elif isinstance(returned, tuple | list):
        for one in returned:
            yield from _tensors(one)


def _by_sample(weights: Tensor, batch: int) -> Tensor:
    """(batch x head, query, key) as (batch, head, query, key)."""
    if weights.dim() == 3 and weights.shape[0] != batch and weights.shape[0] % batch == 0:
        return weights.reshape(batch, -1, *weights.shape[1:])
    return weights


def plan_of(module: nn.Module) -> Plan:
    """From the signature of ``forward``."""
    parameters = inspect.signature(module.forward).parameters
    masks = tuple(name for name in parameters if _MASKS.fullmatch(name))
    others: dict[str, Any] = {name: True for name in parameters if _FLAGS.fullmatch(name)}
    others |= {name: False for name in parameters if name in _PER_HEAD}
    plain = {
        name: one
        for name, one in parameters.items()
        if name not in masks and name not in others and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    }
    roles = [next((name for name in plain if name.lower() in names), None) for names in _ROLES]
    if all(roles):
        inputs: tuple[str | int, ...] = tuple(name for name in roles if name)
    else:
        required = [name for name, one in plain.items() if one.default is one.empty]
        spread = any(one.kind is one.VAR_POSITIONAL for one in parameters.values())
        inputs = tuple(required[:3]) if required else (0, 1, 2) if spread else tuple(plain)[:1] or (0,)
    missing = [name for name, one in parameters.items() if one.default is one.empty and name in (*masks, *plain)]
    others |= dict.fromkeys(name for name in missing if name not in inputs)
    return Plan(inputs, masks, others)


def sample(batch: int, n_tokens: int, width: int, seed: int = 0) -> Tensor:
    """Random vectors (batch, token, width), normal; the same for the same numbers."""
    return torch.randn(batch, n_tokens, width, generator=torch.Generator().manual_seed(seed))


def sizes(n_heads: int | None) -> tuple[int, int]:
    """A batch and a number of tokens that equal neither one another nor the number of heads."""
    batch = 3 if n_heads != 3 else 2
    return batch, 5 if n_heads != 5 else 7


def changed(x: Tensor, at: tuple[Any, ...]) -> Tensor:
    """A copy with other numbers there."""
    other = x.clone()
    other[at] = 1.0 - 2.0 * other[at]
    return other


def subject_of(module: nn.Module, widths: list[int], n_heads: int | None) -> Subject:
    """Tries the likely ways to call it until one gives an output.

    Args:
        module: any.
        widths: of a token's vector, the likeliest first.
        n_heads: None if unknown.

    Raises:
        Trouble: none of them does; with the first problem.
    """
    module.eval()
    problems: list[Trouble] = []
    batch, n_tokens = sizes(n_heads)
    for width in widths:
        subject = Subject(module, width, n_heads, plan_of(module))
        try:
            with torch.no_grad():
                answer = subject.call(sample(batch, n_tokens, width))
                _find_batch(subject)
                subject.n_heads = subject.n_heads or _heads_of(answer, batch)
        except Trouble as problem:
            problems.append(problem)
        except BaseException as problem:  # noqa: BLE001 - sys.exit within a person's own module, too
            reason, shape = reason_of(problem), str((batch, n_tokens, width))
            todo = "examine.todo.divides" if n_heads and width % n_heads else "examine.todo.call"
            problems.append(Trouble("examine.no.call", todo, shape=shape, reason=reason))
        else:
            return subject
    raise problems[0]


def _heads_of(answer: Answer, batch: int) -> int | None:
    """From weights of each head."""
    for weights in (answer.weights, *answer.seen):
        if weights is not None and weights.dim() == 4 and weights.shape[0] == batch:
            return weights.shape[1]
    return None


def _find_batch(subject: Subject) -> None:
    """Which of the first two dimensions is the batch, and whether later tokens are never read: by changing one vector."""
    x = sample(4, 6, subject.d_model)

    def reach(at: tuple[Any, ...]) -> Tensor:
        """(first, second): where the output changes if the keys and values there do."""
        other = changed(x, at)
        before = subject.call(x).output
        after = subject.call(x if subject.n_inputs > 1 else other, other).output
        moved: Tensor = ((after - before).abs() > 1e-6).any(dim=-1)
        return moved

    along_first, along_second = bool(reach((0,))[1:].any()), bool(reach((slice(None), 0))[:, 1:].any())
    subject.mixes = along_first or along_second
    subject.batch_first = along_second or not along_first
    if subject.batch_first and along_second:
        subject.causal = subject.n_inputs == 1 and not bool(reach((slice(None), -1))[:, :-1].any())
