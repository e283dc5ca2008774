"""Lines: several heads drawn as lines between tokens, side by side or as arcs."""

from mha_viz.ui import checks_view, frame, lines_view, run, tokens_view

frame.through_app("lines")

ran = run.current_run()
if ran is not None:
    tokens_view.render(ran)
    lines_view.render(ran)
    checks_view.render(ran)
