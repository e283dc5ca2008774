"""Probes: sentences with an expectation, tried on the model of the view."""

from mha_viz.ui import checks_view, frame, probes_view, run

frame.through_app("probes")

ran = run.current_run()
if ran is not None:
    probes_view.render(ran)
    checks_view.render(ran)
