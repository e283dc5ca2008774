"""Figures: pure functions from a trace to a Plotly figure. They build and return, and never show."""

from mha_viz.figures.grid import grid_step, head_grid
from mha_viz.figures.head import head_heatmap

__all__ = ["grid_step", "head_grid", "head_heatmap"]
