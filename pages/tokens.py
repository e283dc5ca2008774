"""Tokens: what every head does with one token, and which head links two of them."""

from mha_viz.ui import frame, run, tokens_view

frame.through_app("tokens")

ran = run.current_run()
if ran is not None:
    tokens_view.render(ran)
