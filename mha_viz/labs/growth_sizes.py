"""The sizes that the lab on growth measures. Without torch."""

from __future__ import annotations

from mha_viz.labs.cost_formula import Size
from mha_viz.labs.plans_cost import COST_AXES, GrowthOptions


def sizes_of(axis: str, options: GrowthOptions) -> list[Size]:
    """Along one axis, from small to large; without lengths beyond ``longest`` and numbers of heads that do not divide d_model."""
    base = Size(options.length, options.heads, options.d_model, options.layers)
    sizes = [base._replace(**{axis: value}) for value in COST_AXES[axis]]
    return [
        size
        for size in sizes
        if size.d_model % size.heads == 0 and (axis != "length" or size.length <= options.longest)
    ]
