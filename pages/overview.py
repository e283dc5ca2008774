"""Overview: all heads of all layers in one picture, as a matrix of numbers, by type, and as a map."""

from mha_viz.ui import clicks, frame, map_view, matrix_view, overview_view, run, tokens_view, types_view, views
from mha_viz.ui.parameters import OVERVIEW_VIEWS

frame.through_app("overview")

SHOW = {
    "all": overview_view.render,
    "matrix": matrix_view.render,
    "types": types_view.render,
    "map": map_view.render,
}

ran = run.current_run()
if ran is not None:
    tokens_view.render(ran)
    SHOW[views.choose("overview_view", OVERVIEW_VIEWS)](ran)
    clicks.listen()
