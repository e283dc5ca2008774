"""Sparse attention: patterns as masks, buckets, segments, what they cost, and models that use them."""

from mha_viz.ui import (
    frame,
    own_page,
    run,
    sparse_buckets_view,
    sparse_models_view,
    sparse_patterns_view,
    sparse_segments_view,
    sparse_speed_view,
    tokens_view,
    views,
)
from mha_viz.ui.page_views import SPARSE_VIEWS

frame.through_app("sparse")

ON_SENTENCE = {
    "patterns": sparse_patterns_view.render,
    "buckets": sparse_buckets_view.render,
    "segments": sparse_segments_view.render,
}
MEASURED = {"speed": sparse_speed_view.render, "models": sparse_models_view.render}

view = views.choose("sparse_view", SPARSE_VIEWS)
if view in MEASURED:
    MEASURED[view]()
else:
    ran = run.current_run()
    if ran is not None and own_page.has(ran.choices, "sparse"):
        tokens_view.render(ran)
        ON_SENTENCE[view](ran)
