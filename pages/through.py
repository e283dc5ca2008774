"""Through the layers: rollout, attention flow, norm-based weights and averages of heads."""

from mha_viz.ui import frame, run, tokens_view

frame.through_app("through")

ran = run.current_run()
if ran is not None:
    tokens_view.render(ran)
