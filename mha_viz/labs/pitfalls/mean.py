"""The mean weight of a head as its importance; and weights that are unpacked from an answer without any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from mha_viz.controls import Controls
from mha_viz.labs.losses import Sample, even_sample
from mha_viz.labs.options import Options, one_of, whole
from mha_viz.labs.pitfalls.bag import Classifier, text_of
from mha_viz.labs.pitfalls.base import Told, Trial, claimed, right
from mha_viz.labs.pitfalls.minilm import minilm
from mha_viz.models import open_model
from mha_viz.models.base import AttentionModel
from mha_viz.words import say

#: What is tried, and on what.
TRIED = ("minilm", "toy", "unpack")
#: Relative differences below this are rounding: weights are float32.
ROUNDING = 1e-5
#: Batch sizes at which unpacking is tried besides the chosen one.
BATCHES = (1, 2, 3, 4)


@dataclass(frozen=True)
class MeanOptions(Options):
    """What is tried: on a model, or the unpacking; words of the sentence that is read, texts of a batch."""

    tried: str = one_of("minilm", *TRIED)
    words: int = whole(10, 2, 10)
    batch: int = whole(2, 1, 4)


CASES = tuple(MeanOptions(tried=tried) for tried in TRIED)


def mean_weight(weights: Tensor) -> Tensor:
    """As told: (batch, head, query, key) to a number a head."""
    return weights.mean(dim=(0, 2, 3))


def slope_in_gate(model: AttentionModel, sample: Sample) -> Tensor:
    """What Michel et al. 2019 do: (layer, head), how steeply the loss changes with a head's gate."""
    gates = torch.ones(model.spec.shape, requires_grad=True)
    loss = sample.measure(sample.run(model, Controls(), gates))
    return torch.autograd.grad(loss, gates)[0].abs()


def unpacked(model: Any, batch: Tensor) -> Tensor:
    """As told."""
    _, weights = model(batch)
    return weights


def asked_for(model: Any, batch: Tensor) -> Tensor:
    """With an answer that holds them."""
    _, weights = model(batch, need_weights=True)
    return weights


def try_it(options: MeanOptions) -> Trial:
    """Whether the mean weight tells heads apart, or whether what is unpacked are weights."""
    if options.tried == "unpack":
        return _unpacking(options.batch)
    model = minilm() if options.tried == "minilm" else open_model("toy", device="cpu")
    words = say("example.coreference").split()
    tokens = model.tokenize(" ".join(words[: options.words]))
    weights = torch.from_numpy(model.run(tokens).weights.copy()).double()
    means = torch.stack([mean_weight(layer[None]) for layer in weights])
    slopes = slope_in_gate(model, even_sample(model, tokens)).double().cpu()
    even = 1 / tokens.n_tokens
    off = float((means - even).abs().max())
    flat = float(means.max() - means.min()) < ROUNDING * float(means.max())
    values = {
        "n": means.numel(),
        "keys": tokens.n_tokens,
        "least": float(means.min()),
        "most": float(means.max()),
        "off": off,
        "times": float(slopes.max() / slopes.median().clamp(min=1e-12)),
    }
    return Trial(
        claim=Told("pitfalls.mean.claim"),
        outcome="false" if flat else "holds",
        verdict=Told("pitfalls.mean.flat" if flat else "pitfalls.mean.apart", values),
        instead=Told("pitfalls.mean.instead"),
        code=(claimed(mean_weight), right(slope_in_gate)),
        found={"means": means.tolist(), "slopes": slopes.tolist(), "keys": tokens.n_tokens},
    )


def _unpacking(batch: int) -> Trial:
    """What unpacking gives at each size of a batch; the picture is of the chosen one."""
    model = Classifier().eval()
    texts = {n: torch.cat([text_of(6, seed) for seed in range(n)]) for n in BATCHES}
    with torch.inference_mode():
        got = {n: _or_error(model, ids) for n, ids in texts.items()}
        answer = model(texts[batch])
        logits = answer[0] if isinstance(answer, tuple) else answer
        true = asked_for(Classifier().eval(), texts[batch])
    chosen = got[batch]
    is_weights = isinstance(chosen, Tensor) and chosen.shape == true.shape and bool((chosen == true).all())
    values: dict[str, Any] = {"batch": batch, "failed": ", ".join(str(n) for n in BATCHES if isinstance(got[n], str))}
    if isinstance(chosen, Tensor):
        values["shape"] = str(tuple(chosen.shape))
        key = "pitfalls.mean.weights" if is_weights else "pitfalls.mean.silent"
    else:
        values["error"] = chosen
        key = "pitfalls.mean.error"
    return Trial(
        claim=Told("pitfalls.mean.unpack.claim"),
        outcome="holds" if is_weights else "false",
        verdict=Told(key, values),
        instead=Told("pitfalls.mean.unpack.instead"),
        code=(claimed(unpacked), right(asked_for)),
        found={
            "logits": logits.tolist(),
            "unpacked": chosen.flatten().tolist() if isinstance(chosen, Tensor) and chosen.dim() == 1 else None,
            "got": [[n, _told(got[n])] for n in BATCHES],
        },
    )


def _or_error(model: Any, ids: Tensor) -> Tensor | str:
    try:
        return unpacked(model, ids)
    except ValueError as problem:
        return str(problem)


def _told(got: Tensor | str) -> str:
    return got if isinstance(got, str) else str(tuple(got.shape))
