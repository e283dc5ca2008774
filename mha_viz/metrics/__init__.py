"""Metrics: one number a head, each with its meaning and with what even attention would give."""

from mha_viz.metrics.base import GROUPS, METRICS, Metric, even_values, layers_of, measured
from mha_viz.metrics.rows import Rows, mean_over, row_entropy, rows_of

__all__ = [
    "GROUPS",
    "METRICS",
    "Metric",
    "Rows",
    "even_values",
    "layers_of",
    "mean_over",
    "measured",
    "row_entropy",
    "rows_of",
]
