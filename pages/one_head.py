"""One head: what it reads, what it writes, and which heads are like it."""

from mha_viz.ui import frame, run, tokens_view

frame.through_app("one_head")

ran = run.current_run()
if ran is not None:
    tokens_view.render(ran)
