"""What is proven of a freshly loaded model before anybody sees a number of it, and what is learnt on the way.

One short run through the kernel must record each layer, see the mask the description promises, and equal Hugging Face's eager
attention on the same weights. Models that go their own way (MPNet does not ask for an attention function; some return no
weights; some scale or cap their scores) are found out here, whatever their name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from mha_viz.errors import ModelError
from mha_viz.models.huggingface.eager import eager_twin, eager_weights
from mha_viz.models.huggingface.flow import Flow, Products
from mha_viz.models.huggingface.kernel import PROBE
from mha_viz.models.probe import Probe
from mha_viz.spec import ModelSpec

#: Largest difference from eager attention, by precision. float32: the two differ by rounding alone.
TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 3e-2, torch.float16: 5e-3}


class Proven(NamedTuple):
    """What the proof learnt of a network's layers.

    Attributes:
        merges: W_O of each layer: the module that the heads' joined output went into.
        products: the projections of each layer and its W_O as matrices; [] unless every layer has them.
    """

    merges: list[Callable[[torch.Tensor], torch.Tensor]]
    products: list[Products]


def prove(network: Any, spec: ModelSpec, inputs: dict[str, torch.Tensor], new_probe: Callable[[], Probe]) -> Proven:
    """Runs the model once and holds it against eager attention.

    Args:
        network: freshly loaded; nobody else uses it yet.
        spec: what its config.json says.
        inputs: of a short text, without padding.
        new_probe: makes the probe of that text.

    Returns:
        the modules of each layer that project, and that merge the heads.

    Raises:
        ModelError: a layer was not recorded, the mask is another one, no weights come back from eager attention, they differ,
            or no module takes the heads' joined output.
    """
    probe = new_probe()
    flow = Flow(network, probe)
    try:
        with torch.inference_mode():
            output = network.base_model(**inputs, **{PROBE: probe}).last_hidden_state[0].float().cpu()
    except (RuntimeError, ValueError, TypeError, KeyError, AttributeError, IndexError) as problem:
        raise ModelError("error.cannot_run", name=spec.name, reason=str(problem).splitlines()[0]) from problem
    finally:
        flow.stop()
    weights = probe.weights()  # raises if a layer is missing
    _same_mask(spec, probe)
    expected, expected_output = eager_weights(eager_twin(network), inputs)
    if expected is None or expected.shape != weights.shape:
        raise ModelError("error.no_weights", name=spec.name)
    difference = max(float((weights - expected).abs().max()), _relative(output, expected_output))
    tolerance = TOLERANCE[network.dtype]
    if not difference <= tolerance:
        raise ModelError("error.differs", name=spec.name, got=difference, tolerance=tolerance)
    products = [flow.products[layer] for layer in sorted(flow.products)]
    return Proven([*flow.modules(spec)], products if len(products) == spec.n_layers else [])


def _relative(got: torch.Tensor, expected: torch.Tensor) -> float:
    """Difference of the outputs, in units of the largest."""
    return float((got - expected).abs().max() / expected.abs().max().clamp(min=1.0))


def _same_mask(spec: ModelSpec, probe: Probe) -> None:
    """In every layer the model hides what its spec says: what follows a token, or nothing."""
    n_tokens = probe.n_tokens
    everything = torch.ones((n_tokens, n_tokens), dtype=torch.bool)
    expected = everything.tril() if spec.causal else everything
    for visible in probe.visible_to_model:
        seen = everything if visible is None else visible.cpu().expand(1, 1, n_tokens, n_tokens)[0, 0]
        if not torch.equal(seen, expected):
            raise ModelError("error.own_mask", name=spec.name)
