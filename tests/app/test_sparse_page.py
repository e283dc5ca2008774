"""The page on sparse attention: what it shows are the numbers of the Python API, and the link holds its choices."""

from __future__ import annotations

import numpy as np

import mha_viz
from mha_viz import Controls, LocalWindow
from mha_viz.figures.reach import reach_heatmap
from mha_viz.masks import layers_until
from tests.app.driver import Wanted, assert_same, bodies, decoded, figure, large_weights, opened, plain, untroubled

PAGE = "pages/sparse.py"
LONG = " ".join(["the cat sat on the mat and the dog sat on the cat"] * 4)


def _cells(app: object, key: str) -> np.ndarray:
    return decoded(figure(app, key)["data"][0]["z"])  # type: ignore[arg-type]


def test_the_pattern_acts_inside_the_model_and_the_mask_is_its_own() -> None:
    app = opened(PAGE, sparse_pattern="window", sparse_radius="1", head="2")
    assert untroubled(app)
    wanted = Wanted(controls=Controls(mask=LocalWindow(1)), head=2)
    assert_same(large_weights(app), wanted.large)
    layers = layers_until(LocalWindow(1).visible(wanted.tokens), 6).astype(float)
    np.testing.assert_array_equal(_cells(app, "sparse_reach"), np.where(layers > 6, np.nan, layers))
    n = wanted.tokens.n_tokens
    told = plain(bodies(app, "mha-cards")[0])
    assert f"{3 * n - 2} of {n * n}; formula: {3 * n - 2}" in told
    assert app.query_params == {"sparse_radius": "1", "head": "2"}
    table = app.dataframe[0].value
    assert table.shape[0] == 5
    assert table.iloc[0, 3] == 0
    full = Wanted().trace.weights
    assert table.iloc[1, 3] == np.abs(full - wanted.trace.weights).max()


def test_the_choices_of_the_page_survive_in_the_link() -> None:
    link = {"sparse_view": "segments", "sparse_segment": "3", "sparse_memory": "2", "sparse_pattern": "blocks"}
    app = opened(PAGE, **link)
    app.run()
    assert untroubled(app)
    assert app.query_params == link
    assert any("e" in plain(body) for body in bodies(app, "mha-cards"))


def test_every_view_takes_a_long_sentence_and_a_single_word() -> None:
    for text in ("word", LONG):
        app = opened(PAGE, text=text, sparse_pattern="blocks")
        for view in ("patterns", "buckets", "segments"):
            app.session_state["sparse_view"] = view
            app.run()
            assert untroubled(app)
            assert not app.error


def test_buckets_keep_more_with_more_rounds() -> None:
    app = opened(PAGE, sparse_view="buckets", sparse_buckets="8", sparse_rounds="4", head="1")
    assert untroubled(app)
    kept = app.dataframe[0].value
    assert kept.shape == (8, 5)
    assert (np.diff(kept.iloc[:, 1]) >= -1e-12).all()
    shown = _cells(app, "sparse_buckets_picture")
    assert np.isnan(shown).any()
    np.testing.assert_allclose(np.nansum(shown) / len(shown), kept.iloc[3, 1], atol=1e-5)


def test_the_measured_views_show_their_stored_results() -> None:
    app = opened(PAGE, sparse_view="speed")
    assert untroubled(app)
    assert [chart.key for chart in app.get("plotly_chart")] == ["sparse_speed_time", "sparse_speed_memory"]
    app = opened(PAGE, sparse_view="models")
    assert untroubled(app)
    assert [chart.key for chart in app.get("plotly_chart")] == ["sparse_models_chart"]


def test_a_long_text_has_no_numbers_in_its_cells_and_a_short_one_has() -> None:
    model = mha_viz.open_model("toy")
    for text, numbered in (("one two three", True), (LONG, False)):
        tokens = model.tokenize(text)
        made = reach_heatmap(layers_until(LocalWindow(1).visible(tokens), 6), tokens, 6)
        assert (made.data[0].texttemplate is not None) == numbered
        assert len(made.layout.xaxis.ticktext) <= 12 < len(LONG.split())  # more labels than that lie over each other
