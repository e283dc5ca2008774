"""Overview: all heads of all layers in one picture, as a matrix of numbers, and as a map."""

from mha_viz.ui import frame, run, tokens_view

frame.through_app("overview")

ran = run.current_run()
if ran is not None:
    tokens_view.render(ran)
