"""Probes: sentences with an expectation, tried on the model of the view."""

from mha_viz.ui import checks_view, frame, own_page, probes_view, run

frame.through_app("probes")

ran = run.current_run()
if ran is not None:
    if own_page.has(ran.choices, "probes"):
        probes_view.render(ran)
    checks_view.render(ran)
