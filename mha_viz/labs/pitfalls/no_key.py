"""A query that may see no key: what PyTorch and transformers make of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from mha_viz.attention import attend
from mha_viz.labs.options import Options, one_of
from mha_viz.labs.pitfalls.base import Outcome, Told, Trial, claimed, right
from mha_viz.labs.pitfalls.no_key_calls import CALLS, D_K, DEAD, OURS, Called, Drawn, Row, call, kind_of
from mha_viz.labs.pitfalls.three import three

CLAIMS = ("zeros", "same", "loss", "bert")
KINDS = ("nan", "zeros", "uniform", "unmasked", "other", "raised")
IMPLEMENTATIONS = ("eager", "sdpa")
#: Hidden states that differ by less agree, in float32.
CLOSE = 1e-5

Attention = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class NoKeyOptions(Options):
    """Which claim."""

    claim: str = one_of("zeros", *CLAIMS)


CASES = tuple(NoKeyOptions(claim=claim) for claim in CLAIMS)


def softmax_alone(query: Tensor, key: Tensor, value: Tensor, visible: Tensor) -> Tensor:
    """-inf where hidden, and nothing else."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = scores.masked_fill(~visible, -math.inf).softmax(-1)
    return weights @ value


def dead_rows_zero(query: Tensor, key: Tensor, value: Tensor, visible: Tensor) -> Tensor:
    """The same, with rows of 0 where there is no key."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = scores.masked_fill(~visible, -math.inf).softmax(-1)
    dead = ~visible.any(-1, keepdim=True)
    return weights.masked_fill(dead, 0.0) @ value


def cleaned(query: Tensor, key: Tensor, value: Tensor, visible: Tensor) -> Tensor:
    """NaN replaced after the softmax."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return scores.masked_fill(~visible, -math.inf).softmax(-1).nan_to_num() @ value


def fused(query: Tensor, key: Tensor, value: Tensor, visible: Tensor) -> Tensor:
    """PyTorch's function."""
    return scaled_dot_product_attention(query, key, value, attn_mask=visible)


def kernel(query: Tensor, key: Tensor, value: Tensor, visible: Tensor) -> Tensor:
    """The app's own."""
    return attend(query, key, value, scale=1 / math.sqrt(D_K), visible=visible).head_output


#: "pitfalls.no_key.way.NAME" names them.
WAYS = ("softmax_alone", "cleaned", "dead_rows_zero", "fused", "kernel")


def gradients(attention: Attention, drawn: Drawn) -> tuple[Tensor, Tensor, Tensor]:
    """Of query, key and value, (1, head, token, d_k), when the loss is the sum of all rows before the dead one."""
    query, key, value = (one.clone().requires_grad_() for one in (drawn.query, drawn.key, drawn.value))
    attention(query, key, value, drawn.visible)[:, :, :DEAD].sum().backward()  # type: ignore[no-untyped-call]
    assert query.grad is not None
    assert key.grad is not None
    assert value.grad is not None
    return query.grad, key.grad, value.grad


def try_it(options: NoKeyOptions) -> Trial:
    """One of four claims."""
    drawn = Drawn()
    if options.claim == "loss":
        return _loss(drawn)
    if options.claim == "bert":
        return _bert(drawn)
    called = [call(*one, drawn) for one in CALLS]
    told = _zeros(called) if options.claim == "zeros" else _same(called)
    own = [call("code", way, partial(_row, way), drawn) for way in ("softmax_alone", "dead_rows_zero")]
    ours = [*own, *(call(*one, drawn) for one in OURS)]
    return _trial(options.claim, *told, drawn, {"called": called, "ours": ours})


def _row(way: str, drawn: Drawn) -> Row:
    """The row without a key of one of the functions shown."""
    given = (drawn.query, drawn.key, drawn.value)
    got, ordinary = (
        globals()[way](*given, visible)[0, 0, DEAD] for visible in (drawn.visible, torch.ones_like(drawn.visible))
    )
    return Row(got, {"zeros": torch.zeros(D_K), "uniform": drawn.value[0, 0].mean(0), "unmasked": ordinary})


def _zeros(called: list[Called]) -> tuple[Outcome, Told]:
    n = sum(one.kind == "zeros" for one in called)
    outcome: Outcome = "holds" if n == len(called) else "partly" if n else "false"
    return outcome, Told("pitfalls.no_key.zeros.verdict", {"n": n} | _counts(called))


def _same(called: list[Called]) -> tuple[Outcome, Told]:
    counts = _counts(called)
    return "holds" if counts["kinds"] == 1 else "false", Told("pitfalls.no_key.same.verdict", counts)


def _counts(called: list[Called]) -> dict[str, int]:
    """How many calls gave what."""
    found = Counter(one.kind for one in called)
    return {"total": len(called), "kinds": len(found), **{kind: found[kind] for kind in KINDS}}


def _loss(drawn: Drawn) -> Trial:
    """Gradients of five ways."""
    broken = {way: [int(one.isnan().sum()) for one in gradients(globals()[way], drawn)] for way in WAYS}
    values = {way: sum(counts) for way, counts in broken.items()}
    values |= {"of_values": broken["softmax_alone"][2], "total": drawn.value.numel()}
    harms = values["softmax_alone"] > 0
    told = Told(f"pitfalls.no_key.loss.{'harms' if harms else 'harmless'}", values)
    return _trial("loss", "false" if harms else "holds", told, drawn, {"broken": broken})


def _bert(drawn: Drawn) -> Trial:
    """The same random BERT with two implementations of its attention."""
    from mha_viz.models.huggingface.small import unseen

    ran = [unseen(implementation) for implementation in IMPLEMENTATIONS]
    called = []
    for name, one in zip(IMPLEMENTATIONS, ran, strict=True):
        got, nothing = one.head_output[0], torch.zeros_like(one.head_output[0])
        kinds = {"zeros": nothing, "uniform": one.values.mean(0), "unmasked": one.without_mask[0]}
        called.append(Called("bert", name, kind_of(Row(got, kinds)), tuple(got.double().tolist())))
    difference = float((ran[0].last - ran[1].last).abs().max())
    same = difference < CLOSE
    told = Told(f"pitfalls.no_key.bert.{'same' if same else 'other'}", {"difference": difference})
    return _trial("bert", "holds" if same else "false", told, drawn, {"called": called, "ours": []})


def _trial(claim: str, outcome: Outcome, verdict: Told, drawn: Drawn, found: dict[str, object]) -> Trial:
    scores, visible = drawn.scores, drawn.visible
    least = scores.masked_fill(~visible, torch.finfo(scores.dtype).min).softmax(-1)
    query, key, value = (one[0].double().numpy() for one in (drawn.query, drawn.key, drawn.value))
    answers = three(query, key, value, visible.numpy())
    return Trial(
        claim=Told(f"pitfalls.no_key.{claim}.claim"),
        outcome=outcome,
        verdict=verdict,
        instead=Told("pitfalls.no_key.instead"),
        code=() if claim == "bert" else (claimed(softmax_alone), right(dead_rows_zero)),
        found={
            "least": least.numpy(),
            "kernel": answers[1].weights[0],
            "dead": DEAD,
            **found,
        },
        answers=answers,
    )
