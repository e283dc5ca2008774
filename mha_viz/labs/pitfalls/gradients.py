"""Checks of gradients: what the usual ones miss, and one that works."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from mha_viz.labs.nets import HeadsAttention, head_width
from mha_viz.labs.options import Options, one_of, whole
from mha_viz.labs.pitfalls.base import Outcome, Told, Trial, claimed, right
from mha_viz.words import say

N_HEADS, N_TOKENS, N_SEQUENCES = 4, 16, 2
#: Norm of a gradient over the norm of the weights, with a random target: what lies outside is told. A healthy layer has
#: about 0.01 to 10.
TOO_SMALL, TOO_LARGE = 1e-6, 1e3
#: The thresholds that are told.
LARGEST_STD, LARGEST_MEAN = 1e3, 1e2
CALLS = 4
#: Of random targets. With the seed that inputs were drawn with, target and input would be equal, and say little.
TARGET_SEED = 20_173
CLAIMS = ("sum", "thresholds", "again", "tuple")


@dataclass(frozen=True)
class GradientOptions(Options):
    """What is claimed, and the width of the layers that are checked."""

    claim: str = one_of("sum", *CLAIMS)
    d_model: int = whole(64, N_HEADS, 512)


CASES = tuple(GradientOptions(claim) for claim in CLAIMS)


class Flow(NamedTuple):
    """What reaches one matrix.

    Attributes:
        name: of the matrix, as the module names it; a packed W_Q, W_K, W_V is told as three.
        ratio: norm of its gradient over norm of its weights; None if that is not finite.
        state: "fine", "small", "large", or "broken" if it is not finite.
    """

    name: str
    ratio: float | None
    state: str


def check_gradients(module: nn.Module, inputs: tuple[Tensor, ...], seed: int = TARGET_SEED) -> tuple[Flow, ...]:
    """A check that works: the gradient of every matrix of a module, against a random target.

    Args:
        module: any; of a tuple that it returns, the first tensor counts. It is left without gradients.
        inputs: what it is called with.
        seed: of the target.

    Returns:
        An entry for each matrix. Biases are left out: that of the keys has no gradient by right, since it moves all scores
        of a row alike.
    """
    module.zero_grad()
    output = first_tensor(module(*inputs))
    target = random_like(output, seed)
    loss = (output * target).sum() / math.sqrt(output.numel())
    if loss.requires_grad:
        loss.backward()
    found = flows(module)
    module.zero_grad()
    return found


def gradients_of_sum(module: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Flow, ...]:
    """As told: the sum of the output as a loss."""
    module.zero_grad()
    module(*inputs).sum().backward()
    return flows(module)


def gradients_again(module: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Flow, ...]:
    """As told: nothing is cleared first."""
    output = module(*inputs)
    (output * random_like(output, TARGET_SEED)).sum().backward()
    return flows(module)


def passes_thresholds(module: nn.Module) -> bool:
    """As told, for gradients that are there."""
    parameters = list(module.parameters())
    slopes = [one.grad for one in parameters if one.grad is not None]
    calm = [slope.std() < LARGEST_STD for slope in slopes]
    small = [slope.mean().abs() < LARGEST_MEAN for slope in slopes]
    return all(calm) and all(small)


def first_tensor(output: Any) -> Any:
    """The output itself, or the first of a tuple."""
    while isinstance(output, tuple):
        output = output[0]
    return output


def random_like(output: Tensor, seed: int) -> Tensor:
    """Independent standard normal numbers in the shape of ``output``."""
    draw = torch.Generator().manual_seed(seed)
    return torch.randn(output.shape, generator=draw, dtype=torch.float64).to(output)


def flows(module: nn.Module) -> tuple[Flow, ...]:
    """What the last backward pass left, for each matrix; no gradient at all counts as 0."""
    return tuple(_flow(name, weights, slope) for name, weights, slope in _matrices(module))


def _matrices(module: nn.Module) -> Iterator[tuple[str, Tensor, Tensor]]:
    for name, weights in module.named_parameters():
        if weights.ndim < 2:
            continue
        slope = torch.zeros_like(weights) if weights.grad is None else weights.grad
        names = [f"{name}.{part}" for part in "QKV"] if name.endswith("in_proj_weight") else [name]
        yield from zip(names, weights.detach().chunk(len(names)), slope.chunk(len(names)), strict=True)


def _flow(name: str, weights: Tensor, slope: Tensor) -> Flow:
    size, reached = float(weights.double().norm()), float(slope.double().norm())
    ratio = reached / size if size > 0 else reached
    if not math.isfinite(ratio):
        return Flow(name, None, "broken")
    return Flow(name, ratio, "small" if ratio < TOO_SMALL else "large" if ratio > TOO_LARGE else "fine")


class Layer(nn.Module):
    """Attention added to what it read, then LayerNorm (post-LN). ``gate`` multiplies what attention adds; ``cut``: no gradient
    passes there."""

    def __init__(self, d_model: int, *, gate: float = 1.0, cut: bool = False) -> None:
        super().__init__()
        self.attention, self.norm = HeadsAttention(d_model, N_HEADS), nn.LayerNorm(d_model)
        self.gate, self.cut = gate, cut

    def forward(self, x: Tensor) -> Tensor:
        """(batch, token, d_model) to the same."""
        added = self.attention(x)[0]
        normalised: Tensor = self.norm(x + self.gate * (added.detach() if self.cut else added))
        return normalised


def try_it(options: GradientOptions) -> Trial:
    """One of the checks that are told, beside one that works."""
    tried: dict[str, Callable[[GradientOptions], Trial]] = {
        "sum": _sum,
        "thresholds": _thresholds,
        "again": _again,
        "tuple": _tuple,
    }
    head_width(options.d_model, N_HEADS)
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        torch.manual_seed(0)
        return tried[options.claim](options)


def _input(options: GradientOptions) -> Tensor:
    return torch.randn(N_SEQUENCES, N_TOKENS, options.d_model, dtype=torch.float64)


def _largest(found: tuple[Flow, ...]) -> float:
    return max(flow.ratio or 0.0 for flow in found)


def _sum(options: GradientOptions) -> Trial:
    """The sum of what comes out of a LayerNorm is a constant."""
    layer, x = Layer(options.d_model).double(), _input(options)
    told, ours = gradients_of_sum(layer, (x,)), check_gradients(layer, (x,))
    blind = all(flow.state == "small" for flow in told) and all(flow.state == "fine" for flow in ours)
    values = {"told": _largest(told), "ours": _largest(ours)}
    return Trial(
        claim=Told("pitfalls.gradients.sum.claim"),
        outcome="false" if blind else "holds",
        verdict=Told("pitfalls.gradients.sum.blind" if blind else "pitfalls.gradients.sum.sees", values),
        instead=Told("pitfalls.gradients.instead"),
        code=(claimed(gradients_of_sum), right(check_gradients)),
        found={
            "claim": options.claim,
            "names": [flow.name for flow in ours],
            "told": [flow.ratio for flow in told],
            "ours": [flow.ratio for flow in ours],
        },
    )


def patients(d_model: int) -> dict[str, Layer]:
    """A healthy layer and sick ones, by what ails them."""
    made = {
        "healthy": Layer(d_model),
        "dead": Layer(d_model, gate=0.0),
        "cut": Layer(d_model, cut=True),
        "fading": Layer(d_model, gate=1e-9),
        "exploding": Layer(d_model),
        "nan": Layer(d_model),
    }
    with torch.no_grad():
        made["exploding"].norm.weight.mul_(1e6)
        made["nan"].attention.value.weight[0, 0] = math.nan
    return {name: layer.double() for name, layer in made.items()}


def _thresholds(options: GradientOptions) -> Trial:
    """Thresholds that only know too much, on healthy and sick layers."""
    x = _input(options)
    found: list[dict[str, Any]] = []
    for name, layer in patients(options.d_model).items():
        gradients_again(layer, (x,))
        spread = max(float(slope.std()) for _, _, slope in _matrices(layer))
        passes = passes_thresholds(layer)
        states = [flow.state for flow in check_gradients(layer, (x,))]
        bad = next((state for state in states if state != "fine"), "fine")
        found.append(
            {"name": name, "spread": spread if math.isfinite(spread) else None, "passes": passes, "state": bad}
        )
    sick = [one for one in found if one["name"] != "healthy"]
    missed = [say(f"pitfalls.gradients.layer.{one['name']}") for one in sick if one["passes"]]
    outcome: Outcome = "holds" if not missed else "partly" if len(missed) < len(sick) else "false"
    caught = sum(one["state"] != "fine" for one in sick)
    values = {"sick": len(sick), "missed": len(missed), "which": ", ".join(missed), "caught": caught}
    return Trial(
        claim=Told("pitfalls.gradients.thresholds.claim"),
        outcome=outcome,
        verdict=Told("pitfalls.gradients.thresholds.miss" if missed else "pitfalls.gradients.thresholds.see", values),
        instead=Told("pitfalls.gradients.instead"),
        code=(claimed(passes_thresholds), right(check_gradients)),
        found={"claim": options.claim, "layers": found, "level": LARGEST_STD},
    )


def _again(options: GradientOptions) -> Trial:
    """The same check, called several times."""
    layer, x = Layer(options.d_model).double(), _input(options)
    told = [_largest(gradients_again(layer, (x,))) for _ in range(CALLS)]
    ours = [_largest(check_gradients(layer, (x,))) for _ in range(CALLS)]
    grown = [value / told[0] for value in told]
    same = max(grown) - min(grown) < 1e-9
    values = {"second": grown[1], "last": grown[-1], "calls": CALLS, "ours": ours[-1] / ours[0]}
    return Trial(
        claim=Told("pitfalls.gradients.again.claim"),
        outcome="holds" if same else "false",
        verdict=Told("pitfalls.gradients.again.same" if same else "pitfalls.gradients.again.adds", values),
        instead=Told("pitfalls.gradients.instead"),
        code=(claimed(gradients_again), right(check_gradients)),
        found={"claim": options.claim, "told": grown, "ours": [value / ours[0] for value in ours]},
    )


def _tuple(options: GradientOptions) -> Trial:
    """Modules that return more than their output."""
    width, x = options.d_model, _input(options)
    modules: dict[str, tuple[nn.Module, tuple[Tensor, ...]]] = {
        "Linear": (nn.Linear(width, width), (x,)),
        "TransformerEncoderLayer": (nn.TransformerEncoderLayer(width, N_HEADS, width, 0.0, batch_first=True), (x,)),
        "MultiheadAttention": (nn.MultiheadAttention(width, N_HEADS, batch_first=True), (x, x, x)),
        "HeadsAttention": (HeadsAttention(width, N_HEADS), (x,)),
    }
    told: list[float | None] = []
    ours: list[float] = []
    for module, inputs in modules.values():
        module.double()
        try:
            told.append(_largest(gradients_of_sum(module, inputs)))
        except AttributeError:
            told.append(None)
        ours.append(_largest(check_gradients(module, inputs)))
    failed = [name for name, value in zip(modules, told, strict=True) if value is None]
    values = {"failed": len(failed), "tried": len(modules), "which": ", ".join(failed), "ours": len(ours)}
    return Trial(
        claim=Told("pitfalls.gradients.tuple.claim"),
        outcome="false" if failed else "holds",
        verdict=Told("pitfalls.gradients.tuple.fails" if failed else "pitfalls.gradients.tuple.runs", values),
        instead=Told("pitfalls.gradients.instead"),
        code=(claimed(gradients_of_sum), right(check_gradients)),
        found={"claim": options.claim, "names": list(modules), "told": told, "ours": ours},
    )
