"""What the page on sparse attention says is true of what it shows, at the ends of its choices too."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import streamlit

import mha_viz
from mha_viz import Controls, LocalWindow
from mha_viz.labs import lsh
from mha_viz.labs.plans_cost import SparseCostOptions
from mha_viz.labs.results import LabResult
from mha_viz.labs.stored import stored
from mha_viz.ui import sparse_models_view, sparse_speed_view
from mha_viz.words import say
from tests.app.driver import SENTENCE, Wanted, bodies, decoded, figure, opened, plain, said, untroubled

PAGE = "pages/sparse.py"


def _captions(app: Any) -> str:
    return "\n".join(caption.value for caption in app.caption)


def test_buckets_at_temperature_0_put_all_weight_on_one_key() -> None:
    app = opened(PAGE, sparse_view="buckets", sparse_buckets="2", sparse_rounds="8", temperature="0.0", head="1")
    assert untroubled(app)
    shown = decoded(figure(app, "sparse_buckets_picture")["data"][0]["z"])
    assert np.isin(shown[~np.isnan(shown)], (0.0, 1.0)).all()
    model = mha_viz.open_model("toy")
    query = model.inspect_layer(model.tokenize(SENTENCE), Controls(temperature=0.0), 0).query[1]
    scores = query @ (query / np.linalg.norm(query, axis=1, keepdims=True)).T
    np.fill_diagonal(scores, -np.inf)
    drawn = np.nan_to_num(shown).max(axis=1) == 1  # rows whose largest score shares a bucket
    assert drawn.any()
    taken = np.take_along_axis(scores, np.nan_to_num(shown).argmax(axis=1)[:, None], axis=1)[:, 0]
    np.testing.assert_allclose(
        taken[drawn], scores.max(axis=1)[drawn], rtol=1e-5
    )  # float32: near ties may change places


def test_random_directions_have_the_sizes_of_the_head() -> None:
    app = opened(PAGE, sparse_view="buckets", sparse_buckets="4", head="2")
    table = app.dataframe[0].value
    model = mha_viz.open_model("toy")
    detail = model.inspect_layer(model.tokenize(SENTENCE), Controls(), 0)
    wanted = lsh.random_kept(detail.query[2], detail.scaling, 4)
    np.testing.assert_allclose(table.iloc[:, 3], [one.mass for one in wanted], atol=1e-5)
    np.testing.assert_allclose(table.iloc[:, 4], [one.pairs for one in wanted], atol=1e-5)
    own, random = (table.iloc[1, column] / table.iloc[1, column + 1] for column in (1, 3))
    assert f"keeps {own:.2f} times its share" in _captions(app)
    assert f"random directions {random:.2f} times theirs" in _captions(app)
    assert f"{own:.2f} times" in plain(bodies(app, "mha-cards")[0])


def test_a_lone_token_looks_at_itself_and_no_head_is_blamed() -> None:
    app = opened(PAGE, sparse_view="buckets", text="Hi")
    assert said(app) == [say("sparse.buckets.lone")]
    assert say("sparse.buckets.caption") not in _captions(app)


def test_few_buckets_and_many_rounds_are_not_called_a_property_of_the_head() -> None:
    app = opened(PAGE, sparse_view="buckets", sparse_buckets="2", sparse_rounds="8")
    assert app.dataframe[0].value.iloc[7, 4] > 0.95
    assert say("sparse.buckets.any") in said(app)


def test_segments_that_keep_nothing_or_are_one_lose_nothing_and_say_so() -> None:
    for link, name in (({"sparse_memory": "0"}, "nothing"), ({"sparse_segment": "64"}, "one")):
        app = opened(PAGE, sparse_view="segments", **link)
        assert say(f"sparse.segments.lost.{name}") in _captions(app)
        assert say(f"sparse.segments.without.{name}") in plain(bodies(app, "mha-cards")[0])
        assert "layers: 1; at most" in plain(bodies(app, "mha-cards")[0])  # of the toy, not of the picture's six
        assert say("sparse.segments.lost.later") not in _captions(app)
    assert say("sparse.segments.sidebar") not in _captions(app)
    app = opened(PAGE, sparse_view="segments", temperature="0.0")
    assert say("sparse.segments.sidebar") in _captions(app)


def test_the_largest_change_names_its_head_and_that_of_the_pictures() -> None:
    app = opened(PAGE, sparse_pattern="window", sparse_radius="2")
    change = np.abs(Wanted(controls=Controls(mask=LocalWindow(2))).trace.weights - Wanted().trace.weights)
    change = change.max(axis=(2, 3))
    top = divmod(int(change.argmax()), change.shape[1])
    told = plain(bodies(app, "mha-cards")[0])
    assert f"{change.max():.3f}" in told
    assert f"in L{top[0]} H{top[1]}; L0 H0 of the pictures: {change[0, 0]:.3f}" in told


def test_blocks_without_random_ones_draw_none() -> None:
    app = opened(PAGE, sparse_pattern="blocks", sparse_random="0")
    assert "at random" not in _captions(app)
    assert "partly drawn" not in plain(bodies(app, "mha-cards")[0])


def test_the_share_of_bigbird_is_told_as_it_is() -> None:
    rows = list(stored("sparse_models").rows)
    told = sparse_models_view._bigbird(rows)
    bigbird = {row["tokens"]: row for row in rows if row["model"] == "bigbird"}
    full = max(tokens for tokens, row in bigbird.items() if row["kind"] == "original_full")
    assert f"up to {full} tokens" in told
    sparse = sorted(tokens for tokens in bigbird if tokens > full)
    rises = [(a, b) for a, b in itertools.pairwise(sparse) if bigbird[b]["share"] > bigbird[a]["share"]]
    assert told.count("rises") == len(rises)
    for shorter, longer in rises:
        assert f"{100 * bigbird[shorter]['share']:.1f} % at {shorter} tokens" in told
        assert f"{100 * bigbird[longer]['share']:.1f} % at {longer}" in told
    falling = [row for row in rows if row["tokens"] != 29]
    assert "rises" not in sparse_models_view._bigbird(falling)
    least = min(row["row_sum"] for row in bigbird.values() if row["row_sum"] is not None)
    assert f"**{least:.2f}**" in sparse_models_view._random(rows)[0]


@pytest.mark.parametrize("view", ["speed", "models"])
def test_the_measured_views_say_that_they_do_not_use_the_sentence(view: str) -> None:
    app = opened(PAGE, sparse_view=view)
    assert say("sparse.measured") in _captions(app)


@pytest.mark.parametrize(("power", "side"), [(2.6, "above"), (2.03, "near"), (1.5, "below")])
def test_powers_are_set_beside_the_2_of_the_formula(power: float, side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(streamlit, "caption", told.append)
    lengths = (512, 1_024, 2_048)
    rows = [{"kind": "eager", "tokens": n, "seconds": 1e-9 * n**power, "bytes": 8 * n**2} for n in lengths]
    result = LabResult("sparse_cost", SparseCostOptions(tokens=lengths).plain(), tuple(rows))
    sparse_speed_view._powers(rows, result)
    way = say("sparse_speed.kind.eager")
    assert say(f"sparse_speed.powers.{side}", ways=way) in told[0]
    assert ("dearer" in told[0]) == (side == "above")
    if side == "above":
        assert f"takes {512**0.6:.1f} ns at 512 tokens and {2_048**0.6:.1f} ns at 2,048" in told[0]
