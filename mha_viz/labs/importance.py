"""The runs behind ``analysis.importance``: gradients into the heads' gates, heads taken out one at a time, or one by one.

Each is work in slices that may be stopped; what is done by then is kept (``analysis.work.Partly``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch.nn import functional

from mha_viz.analysis.importance import HeadImportance, RemovalCurve, taken_out
from mha_viz.analysis.work import Partly, Work
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import InputError
from mha_viz.labs.losses import FLAT, Sample, pooled
from mha_viz.models.base import AttentionModel
from mha_viz.models.passed import Forwarded


def gradient_importance(
    model: AttentionModel, samples: Sequence[Sample], controls: Controls | None = None
) -> Work[HeadImportance]:
    """|dL / d gate| of each head at gates of 1, one backward pass a sample (Michel et al. 2019).

    Args:
        model: the model.
        samples: as ``losses.samples_of`` gives them, all of one loss.
        controls: what is changed besides; a silenced head gets 0.

    Returns:
        Work; stopped early, ``Partly.result`` is over the samples that are done.

    Raises:
        InputError: no samples, samples of several losses or of one without a gradient, or controls that do not fit the
            model; raised at once.
    """
    loss = _loss_of(samples)
    if loss in FLAT:
        raise InputError("error.loss_flat", got=loss)
    controls = controls or Controls()
    controls.check_against(model.spec)
    return _gradients(model, samples, controls, loss)


def _gradients(model: AttentionModel, samples: Sequence[Sample], controls: Controls, loss: str) -> Work[HeadImportance]:
    gradients, base = [], []
    for sample in samples:
        gates = torch.ones(model.spec.shape, device=model.device, requires_grad=True)
        value = sample.measure(sample.run(model, controls, gates))
        gradients.append(torch.autograd.grad(value, gates)[0].cpu().double().numpy())
        base.append(float(value.detach()))
        done = HeadImportance("gradient", loss, np.stack(gradients), np.array(base))
        yield Partly(len(base) / len(samples), done)
    return done


def ablation_importance(
    model: AttentionModel, samples: Sequence[Sample], how: str = "zero", controls: Controls | None = None
) -> Work[HeadImportance]:
    """The change of the loss when one head at a time is really taken out of the run, layer by layer.

    Args:
        model: the model.
        samples: as ``losses.samples_of`` gives them, all of one loss.
        how: "zero" (its output is 0, Michel et al. 2019) or "uniform" (its weights are even, Kovaleva et al. 2019).
        controls: what is changed besides, with the head and without it.

    Returns:
        Work; stopped early, ``Partly.result`` has NaN for the heads that were not reached.

    Raises:
        InputError: as ``gradient_importance``, or no such way.
    """
    loss = _loss_of(samples)
    controls = taken_out((), how, controls)
    controls.check_against(model.spec)
    return _ablations(model, samples, how, controls, loss)


def _ablations(
    model: AttentionModel, samples: Sequence[Sample], how: str, controls: Controls, loss: str
) -> Work[HeadImportance]:
    heads = list(np.ndindex(model.spec.shape))
    total = len(samples) * (len(heads) + 1)
    base, changes = np.empty(len(samples)), np.full((len(samples), *model.spec.shape), np.nan)

    def part(n_runs: int) -> Partly[HeadImportance]:
        done = HeadImportance(how, loss, changes.copy(), base.copy())
        return Partly(n_runs / total, done)

    for turn, sample in enumerate(samples):
        base[turn] = _value(model, sample, controls)
        yield Partly((turn + 1) / total, HeadImportance(how, loss, changes[: turn + 1].copy(), base[: turn + 1].copy()))
    for at, head in enumerate(heads):
        without = taken_out([HeadId(*head)], how, controls)
        changed = np.empty(len(samples))
        for turn, sample in enumerate(samples):
            changed[turn] = _value(model, sample, without) - base[turn]
            if turn + 1 < len(samples):
                yield part((at + 1) * len(samples) + turn + 1)
        changes[:, *head] = changed
        yield part((at + 2) * len(samples))
    return HeadImportance(how, loss, changes, base)


def removal_curve(
    model: AttentionModel,
    samples: Sequence[Sample],
    heads: Sequence[HeadId],
    how: str = "zero",
    *,
    step: int = 1,
    controls: Controls | None = None,
) -> Work[RemovalCurve]:
    """What is lost as heads go one after the other and stay away.

    Args:
        model: the model.
        samples: as ``losses.samples_of`` gives them, all of one loss.
        heads: the order in which they go, as ``analysis.importance.order_of`` gives it.
        how: "zero" or "uniform".
        step: how many go at a time; the last time those that are left.
        controls: what is changed from the start.

    Returns:
        Work; stopped early, ``Partly.result`` ends at the steps that are done.

    Raises:
        InputError: as ``ablation_importance``, or a step below 1.
    """
    loss = _loss_of(samples)
    if step < 1:
        raise InputError("error.curve_step", got=step)
    taken_out(heads, how, controls).check_against(model.spec)
    return _removals(model, samples, tuple(heads), how, [*range(0, len(heads), step), len(heads)], controls, loss)


def _removals(
    model: AttentionModel,
    samples: Sequence[Sample],
    heads: tuple[HeadId, ...],
    how: str,
    counts: list[int],
    controls: Controls | None,
    loss: str,
) -> Work[RemovalCurve]:
    full: list[list[torch.Tensor]] = []
    losses, cosines = np.empty((len(samples), len(counts))), np.empty((len(samples), len(counts)))

    def part(n_steps: int) -> RemovalCurve:
        done = (array[:, :n_steps].copy() for array in (losses, cosines))
        return RemovalCurve(heads, how, loss, np.array(counts[:n_steps]), *done)

    for at, count in enumerate(counts):
        changed = taken_out(heads[:count], how, controls)
        for turn, sample in enumerate(samples):
            with torch.inference_mode():
                passed = sample.run(model, changed)
                losses[turn, at] = float(sample.measure(passed))
                found = _embeddings(sample, passed)
                full += [found] if at == 0 else []
                pairs = zip(found, full[turn], strict=True)
                cosines[turn, at] = np.mean([float(functional.cosine_similarity(*pair, dim=0)) for pair in pairs])
            if at and turn + 1 < len(samples):
                yield Partly((at * len(samples) + turn + 1) / (len(counts) * len(samples)), part(at))
        yield Partly((at + 1) / len(counts), part(at + 1))
    return part(len(counts))


def _embeddings(sample: Sample, passed: Sequence[Forwarded]) -> list[torch.Tensor]:
    """The mean-pooled embedding of each sequence that was read; double, so that 1 is 1."""
    return [pooled(one.output, tokens).cpu().double() for one, tokens in zip(passed, sample.read, strict=True)]


def _value(model: AttentionModel, sample: Sample, controls: Controls) -> float:
    with torch.inference_mode():
        return float(sample.measure(sample.run(model, controls)))


def _loss_of(samples: Sequence[Sample]) -> str:
    """The one loss of all samples.

    Raises:
        InputError: there is none, or several.
    """
    names = sorted({sample.loss for sample in samples})
    if len(names) != 1:
        raise InputError("error.samples", got=", ".join(names) or "-")
    return names[0]
