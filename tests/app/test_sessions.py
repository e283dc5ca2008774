"""Sessions share models and results, never what somebody typed; and no two runs share a place in the cache."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pytest
import streamlit as st

from mha_viz import SOURCES, Causal, Controls, HeadId, LocalWindow, Mask, Padding
from mha_viz.models import options_for
from mha_viz.models.place import Place
from mha_viz.ui import cache
from mha_viz.ui.choices import Choices, Text
from tests.app.driver import HEADS, Wanted, axis_texts, grid_weights, opened, shows, where


def _text(first: str = "a rose is a rose", second: str | None = None, *, read_special: bool = False) -> Text:
    return Text(first, second, cut=False, read_special=read_special)


def _choices(source: str = "toy", **changes: object) -> Choices:
    chosen = Choices(
        source=source,
        options=options_for(source),
        text=_text(),
        place=Place(),
        mask=None,
        temperature=1.0,
        layer=0,
        head=0,
    )
    return replace(chosen, **changes)  # type: ignore[arg-type]


def test_two_sessions_do_not_see_each_others_sentence() -> None:
    mine, yours = opened(HEADS), opened(HEADS)
    mine.text_input(key="text").set_value("my secret plan").run()
    yours.text_input(key="text").set_value("your own tulips here").run()
    mine.run()
    shows(mine, Wanted(text="my secret plan"))
    shows(yours, Wanted(text="your own tulips here"))
    assert axis_texts(mine) == ["my", "secret", "plan"]
    assert axis_texts(yours) == ["your", "own", "tulips", "here"]
    for app, others in ((mine, "tulips"), (yours, "secret")):
        assert others not in where(app)
        assert others not in str(app.query_params)
        assert others not in str(app.main)


def test_two_sessions_with_one_sentence_keep_their_own_controls() -> None:
    mine = opened(HEADS, source="minilm", temperature="0.5")
    yours = opened(HEADS, source="minilm", causal="1")
    mine.run()
    shows(mine, Wanted(source="minilm", controls=Controls(temperature=0.5)))
    yours.run()
    shows(yours, Wanted(source="minilm", controls=Controls(mask=Causal())))


def test_a_model_is_loaded_once_for_two_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    st.cache_resource.clear()
    st.cache_data.clear()
    cache.forget_runs()
    loaded = []
    toy = SOURCES["toy"]

    def load(options, place):
        loaded.append(options)
        return toy.load(options, place)

    monkeypatch.setitem(SOURCES, "toy", replace(toy, load=load))
    for text in ("first visitor", "second visitor"):
        assert axis_texts(opened(HEADS, text=text)) == text.split()
    assert len(loaded) == 1
    assert len(grid_weights(opened(HEADS, heads="4"))) == 4
    assert len(loaded) == 2


@dataclass(frozen=True)
class _Twin(Mask):
    """As LocalWindow in its field, the opposite in what it shows."""

    radius: int = 2
    name = "twin"

    def visible(self, tokens):
        return ~LocalWindow(self.radius).visible(tokens)


_KEYS = [
    Controls(),
    Controls(temperature=2.0),
    Controls(mask=Causal()),
    Controls(mask=Padding(2)),
    Controls(mask=LocalWindow(2)),
    Controls(mask=_Twin(2)),
    Controls(mask=Causal() & LocalWindow(2)),
    Controls(mask=Causal() & _Twin(2)),
    Controls(temperature=2.0, layers=frozenset()),
    Controls(silenced=frozenset({HeadId(0, 1)})),
    Controls(uniform=frozenset({HeadId(0, 1)})),
]


def test_masks_with_equal_fields_do_not_share_a_place_in_the_cache() -> None:
    """Streamlit hashes a record by its fields alone; were the records the keys, these would be mixed up."""
    st.cache_data.clear()
    cache.forget_runs()
    choices = _choices()
    for controls in _KEYS:
        assert not cache.run(choices, controls).cached, controls
    model = cache.model(choices)
    for controls in _KEYS:
        ran = cache.run(choices, controls)
        assert ran.cached
        assert ran.trace.controls == controls
        np.testing.assert_array_equal(ran.trace.visible, model.run(cache.tokens(choices), controls).visible)


def test_every_part_of_the_view_that_changes_the_run_has_its_own_place() -> None:
    st.cache_data.clear()
    cache.forget_runs()
    views = [
        _choices(),
        _choices(text=_text("a rose is a tulip")),
        _choices(text=_text(second="or not")),
        _choices("minilm"),
        _choices("minilm", text=_text("a [MASK] rose")),
        _choices("minilm", text=_text("a [MASK] rose", read_special=True)),
        _choices(options=options_for("toy", n_heads=4)),
        _choices(options=options_for("toy", seed=4)),
        _choices(options=options_for("toy", weights="random")),
    ]
    for choices in views:
        assert not cache.run(choices, Controls()).cached
    for choices in views:
        ran = cache.run(choices, Controls())
        assert ran.cached
        assert ran.trace.query_tokens.text == choices.text.first
        assert ran.trace.spec == choices.options.spec
    # What is only looked at needs no new run.
    assert cache.run(_choices(layer=3, head=5), Controls()).cached


def test_half_a_character_can_be_read_and_kept() -> None:
    """A lone surrogate, which no encoding can carry; Streamlit would refuse it in a key."""
    choices = _choices(text=_text("a\ud800b c"))
    assert cache.run(choices, Controls()).trace.query_tokens.tokens == ("a\ufffdb", "c")
    assert cache.run(choices, Controls()).cached


def test_a_cached_trace_cannot_be_spoiled_by_a_page() -> None:
    ran = cache.run(_choices(), Controls())
    with pytest.raises(ValueError, match="read-only"):
        ran.trace.weights[0, 0, 0, 0] = 9.0
    again = cache.run(_choices(), Controls())
    assert again.cached
    np.testing.assert_array_equal(again.trace.weights, ran.trace.weights)
    assert not again.trace.weights.flags.writeable


def test_many_visitors_at_once_get_their_own_runs() -> None:
    st.cache_data.clear()
    cache.forget_runs()
    choices = _choices("minilm", text=_text("the cat sat on the mat"))
    wanted = [Controls(temperature=temperature) for temperature in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)]
    with ThreadPoolExecutor(6) as visitors:
        runs = list(visitors.map(lambda controls: cache.run(choices, controls), wanted * 3))
    for ran, controls in zip(runs, wanted * 3, strict=True):
        alone = cache.model(choices).run(cache.tokens(choices), controls)
        np.testing.assert_allclose(ran.trace.weights, alone.weights, atol=2e-6)
