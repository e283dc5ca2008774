"""Metrics: one number a head, each with its meaning and with what even attention would give."""

from mha_viz.metrics.base import METRICS, Metric, Rows, row_entropy, rows_of

__all__ = ["METRICS", "Metric", "Rows", "row_entropy", "rows_of"]
