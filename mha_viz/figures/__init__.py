"""Figures: pure functions from a trace to a Plotly figure. They build and return, and never show."""

from mha_viz.figures.animation import SplittingAnimation, splitting_animation
from mha_viz.figures.changes import aligned_labels, change_heatmap, change_matrix, change_step, depth_plot
from mha_viz.figures.colour import Colour
from mha_viz.figures.difference import difference_grid, difference_heatmap
from mha_viz.figures.grid import grid_step, head_grid
from mha_viz.figures.head import head_heatmap
from mha_viz.figures.kinds import head_map, layer_colours, type_colours, type_matrix
from mha_viz.figures.layers import Square, layer_rows, norm_heatmaps, row_keys
from mha_viz.figures.mask import mask_picture
from mha_viz.figures.matrix import metric_by_layer, metric_matrix
from mha_viz.figures.overview import thumbnails
from mha_viz.figures.panels import panel_step
from mha_viz.figures.paper import on_paper
from mha_viz.figures.print_cells import print_cells, print_grid
from mha_viz.figures.print_lines import lines_figure, print_lines
from mha_viz.figures.print_overview import print_overview
from mha_viz.figures.probes import probe_dots
from mha_viz.figures.square import square_heatmap
from mha_viz.figures.stages import bar_keys, stage_bars, stage_heatmaps
from mha_viz.figures.temperature import entropy_curve, layer_difference
from mha_viz.figures.token import bar_places, token_bars
from mha_viz.figures.vectors import vector_plane

__all__ = [
    "Colour",
    "SplittingAnimation",
    "Square",
    "aligned_labels",
    "bar_keys",
    "bar_places",
    "change_heatmap",
    "change_matrix",
    "change_step",
    "depth_plot",
    "difference_grid",
    "difference_heatmap",
    "entropy_curve",
    "grid_step",
    "head_grid",
    "head_heatmap",
    "head_map",
    "layer_colours",
    "layer_difference",
    "layer_rows",
    "lines_figure",
    "mask_picture",
    "metric_by_layer",
    "metric_matrix",
    "norm_heatmaps",
    "on_paper",
    "panel_step",
    "print_cells",
    "print_grid",
    "print_lines",
    "print_overview",
    "probe_dots",
    "row_keys",
    "splitting_animation",
    "square_heatmap",
    "stage_bars",
    "stage_heatmaps",
    "thumbnails",
    "token_bars",
    "type_colours",
    "type_matrix",
    "vector_plane",
]
