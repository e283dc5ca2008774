"""A file of weights in place of a model: every view shows its numbers, what needs a model says so, and wrong files are told."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cachetools import LRUCache
from streamlit import config
from streamlit.testing.v1 import AppTest

import mha_viz
from mha_viz.export import write_npz
from mha_viz.metrics import measured
from mha_viz.settings import settings
from mha_viz.ui import own_store, page_views, state
from mha_viz.ui.page_table import PAGES
from mha_viz.words import say
from mha_viz.words.en import EN
from tests.app.driver import HEADS, SENTENCE, bodies, button, large_weights, opened, plain, said, untroubled

FIVE = ["the", "cat", "sat", "on", "it"]
HOSTILE = [
    "<script>x</script>",
    "$x$",
    "![i](http://x/y.png)",
    "\u202eab\x00",
    "",
    "2024-01-01",
    "猫" * 300,
    "%{z} \\ '\"",
]
#: What a page shows by parameter, beyond its first view.
VIEWS: dict[str, list[dict[str, str]]] = {
    "overview": [
        *({"overview_view": view} for view in page_views.OVERVIEW_VIEWS),
        {"overview_view": "map", "map_by": "outputs"},
        {"overview_view": "matrix", "metric": "output_share"},
        {"overview_view": "all", "order": "high"},
    ],
    "tokens": [{}, {"token_view": "find", "focus": "0", "key": "0"}],
    "one_head": [{"head_view": view} for view in page_views.HEAD_VIEWS],
    "through": [{"through_view": view} for view in page_views.THROUGH_VIEWS],
    "heads": [{"level": "words", "specials": "hidden"}],
    "lines": [{"line_layout": "arcs"}],
}
#: Pages and views that need a model, by the end of the key of their sentence.
NEEDS = {
    "masks": ({}, "masks"),
    "splitting": ({}, "splitting"),
    "change": ({}, "change"),
    "probes": ({}, "probes"),
    "one_head": ({"head_view": "stages"}, "stages"),
    "through": ({"through_view": "norms"}, "norms"),
    "overview": ({"overview_view": "types"}, "set"),
}


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server that only its own computer can reach, with nothing kept."""
    monkeypatch.delenv("MHA_VIZ_OWN", raising=False)
    settings.cache_clear()
    before = config.get_option("server.address")
    config.set_option("server.address", "localhost")
    own_store.forget()
    yield
    config.set_option("server.address", before)
    settings.cache_clear()


def rows(*shape: int) -> np.ndarray:
    odds = np.exp(np.random.default_rng(0).standard_normal(shape))
    return odds / odds.sum(axis=-1, keepdims=True)


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def exported(trace: mha_viz.AttentionTrace) -> bytes:
    file = io.BytesIO()
    for _ in write_npz(trace, file):
        pass
    return file.getvalue()


def plain_file() -> bytes:
    return npz(weights=rows(2, 3, 5, 5), tokens=FIVE)


def causal() -> bytes:
    weights = rows(2, 3, 5, 5) * np.tril(np.ones((5, 5)))
    return npz(weights=weights / weights.sum(axis=-1, keepdims=True), tokens=FIVE)


def without_keys() -> bytes:
    weights = rows(2, 3, 5, 5)
    weights[0, 0, 2] = weights[1, 1] = 0
    return npz(weights=weights, tokens=FIVE)


def of_minilm(controls: mha_viz.Controls | None = None) -> mha_viz.AttentionTrace:
    model = mha_viz.open_model("minilm")
    return model.run(model.tokenize(SENTENCE), controls)


FILES = {
    "plain": plain_file,
    "one head": lambda: npz(weights=rows(5, 5), tokens=FIVE),
    "one token": lambda: npz(weights=np.ones((1, 1)), tokens=["a"]),
    "causal": causal,
    "without keys": without_keys,
    "all without keys": lambda: npz(weights=np.zeros((2, 2, 3, 3)), tokens=FIVE[:3]),
    "hostile": lambda: npz(weights=rows(2, 3, 8, 8), tokens=HOSTILE),
    "300 tokens": lambda: npz(weights=rows(2, 3, 300, 300), tokens=[f"t{place}" for place in range(300)]),
    "of a run": lambda: exported(of_minilm()),
}


def showing(data: bytes, page: str = HEADS, name: str = "mine.npz", **link: str) -> AppTest:
    return opened(page, source="own", file=own_store.keep(name, data), **link)


def _link(app: AppTest) -> dict[str, str]:
    """What the address bar holds."""
    return {name: "".join(value) for name, value in app.query_params.items()}


def upload(app: AppTest, data: bytes, name: str = "mine.npz") -> AppTest:
    (uploader,) = app.file_uploader
    return uploader.upload(name, data).run()


@pytest.mark.parametrize("entry", [entry for entry in PAGES if entry.reads], ids=lambda entry: entry.name)
@pytest.mark.parametrize("kind", FILES)
def test_every_view_of_every_page_shows_the_file_or_says_why_not(entry: Any, kind: str) -> None:
    data = FILES[kind]()
    for link in VIEWS.get(entry.name, [{}]):
        app = showing(data, entry.file, **link)
        assert untroubled(app), link
        assert not app.error, link
        assert app.segmented_control(key="source").value == "own"
        assert not [box for box in app.text_input if box.key in ("text", "pair")]
        needs = NEEDS.get(entry.name)
        if needs is not None and needs[0].items() <= link.items():
            assert say(f"own_page.no.{needs[1]}") in said(app)


def test_the_large_head_is_that_of_the_file() -> None:
    app = showing(plain_file(), layer="1", head="2")
    np.testing.assert_allclose(large_weights(app), rows(2, 3, 5, 5)[1, 2], rtol=0, atol=1e-6)
    (name,) = bodies(app, "mha-own")
    assert plain(name) == "mine.npz2 layers of 3 heads, 5 tokens"
    (tokens,) = bodies(app, "mha-tokens")
    assert plain(tokens).startswith("".join(FIVE))


def test_nothing_that_acts_in_a_model_is_drawn() -> None:
    app = showing(plain_file())
    keys = {widget.key for kind in (app.toggle, app.multiselect, app.selectbox, app.select_slider) for widget in kind}
    assert not keys & set(state.WITHOUT_MODEL)
    assert EN["controls.reset"] not in [found.label for found in app.button]
    assert {"layer", "head"} <= keys
    checks = plain(bodies(app, "mha-badge")[0])
    assert EN["checks.eval"] not in checks
    assert EN["own_page.no.agreement"] in checks


@pytest.mark.model
def test_metrics_of_an_exported_run_are_those_of_the_run() -> None:
    trace = of_minilm(mha_viz.Controls(mha_viz.Controls().temperature, mha_viz.Causal()))
    stored = own_store.find(own_store.keep("run.npz", exported(trace)))
    assert stored is not None
    back = stored.trace
    assert np.array_equal(back.weights, trace.weights)
    assert (back.spec, back.controls, back.query_tokens) == (trace.spec, trace.controls, trace.query_tokens)
    of_run, of_file = measured(trace), measured(back)
    for name in of_run:
        np.testing.assert_array_equal(of_file[name], of_run[name])
    app = showing(exported(trace), "pages/one_head.py", head_view="vectors")
    assert [chart.key for chart in app.get("plotly_chart")] == ["vectors"]
    assert not app.info


@pytest.mark.model
def test_a_file_is_compared_with_the_run_that_it_was_saved_from() -> None:
    app = showing(exported(of_minilm()), name="saved.npz")
    button(app, "held.hold").click().run()
    assert any("saved" in caption.value for caption in app.caption)
    app.segmented_control(key="source").set_value("minilm").run()
    app.switch_page("pages/compare.py").run()
    assert untroubled(app)
    (two,) = bodies(app, "mha-two")
    assert "saved.npz" in plain(two)
    charts = [chart.key for chart in app.get("plotly_chart")]
    assert "change_matrix" in charts


def test_a_file_is_uploaded_and_its_link_finds_it_again() -> None:
    app = opened(HEADS, source="own")
    assert app.get("plotly_chart") == []
    upload(app, plain_file())
    np.testing.assert_allclose(large_weights(app), rows(2, 3, 5, 5)[0, 0], rtol=0, atol=1e-6)
    assert set(_link(app)) == {"source", "file"}
    again = opened(HEADS, **_link(app))
    np.testing.assert_array_equal(large_weights(again), large_weights(app))


def test_a_link_to_a_file_that_is_gone_says_so_and_asks_for_it_again() -> None:
    digest = own_store.keep("mine.npz", plain_file())
    own_store.forget()
    app = opened(HEADS, source="own", file=digest, head="2")
    (told,) = said(app)
    assert digest[:8] in told
    assert "Give it once more" in told
    upload(app, plain_file())
    np.testing.assert_allclose(large_weights(app), rows(2, 3, 5, 5)[0, 2], rtol=0, atol=1e-6)
    assert _link(app)["file"] == digest


def test_the_oldest_file_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    first, size = own_store.keep("a.npz", plain_file()), own_store._size(own_store.Stored("", _traced(plain_file())))
    monkeypatch.setattr(own_store, "_STORE", LRUCache(2 * size + 10, getsizeof=own_store._size))
    digests = [own_store.keep(f"{n}.npz", npz(weights=rows(2, 3, 5, 5) * 0 + 0.2, tokens=[*"abcd", n])) for n in "xyz"]
    assert own_store.find(first) is None
    assert [own_store.find(digest) is not None for digest in digests] == [False, True, True]


def _traced(data: bytes) -> mha_viz.AttentionTrace:
    return mha_viz.trace_from_npz(io.BytesIO(data))


def _pickled() -> bytes:
    return npz(weights=np.array([[{"a": 1}]], dtype=object), tokens=np.array(["a"]))


def _spoilt(**changes: Any) -> bytes:
    weights = rows(2, 3, 5, 5)
    for name, value in changes.items():
        if name == "nan":
            weights[1, 0, 2, 1] = np.nan
        elif name == "sum":
            weights[0, 2, 1] *= value
        elif name == "negative":
            weights[1, 1, 1, 1] = -0.5
    return npz(weights=weights, tokens=FIVE)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (lambda: npz(weights=rows(2, 3, 5, 5), tokens=FIVE[:4]), ("(2, 3, 5, 5)", "4 and 4 tokens")),
        (lambda: _spoilt(sum=1.1), ("layer 0, head 2, query 1", "sums to 1.1")),
        (lambda: _spoilt(nan=True), ("nan at layer 1, head 0, query 2, key 1",)),
        (lambda: _spoilt(negative=True), ("-0.5 at layer 1, head 1, query 1, key 1",)),
        (lambda: npz(weights=rows(2, 5, 5)), ("mine.npz", "tokens")),
        (lambda: npz(weights=rows(3, 5), tokens=FIVE[:3], key_tokens=FIVE), ("mine.npz", "other tokens")),
        (lambda: npz(weights=rows(1, 513, 1, 1), tokens=["a"]), ("513 heads", "256 heads")),
        (lambda: npz(weights=np.full((1, 1, 600, 600), 1 / 600), tokens=["a"] * 600), ("600 tokens", "512 tokens")),
        (_pickled, ("mine.npz", "pickled objects")),
        (lambda: pickle.dumps({"weights": 1}), ("mine.npz", "cannot be read as NPZ")),
        (lambda: b"", ("mine.npz", "cannot be read as NPZ")),
        (lambda: plain_file()[:-60], ("mine.npz", "cannot be read as NPZ")),
    ],
)
def test_a_wrong_file_is_told_with_what_is_wrong_and_the_next_one_is_taken(data: Any, told: tuple[str, ...]) -> None:
    app = upload(opened(HEADS, source="own"), data())
    assert untroubled(app)
    (sentence,) = said(app)
    for part in told:
        assert part in sentence
    assert app.get("plotly_chart") == []
    upload(app, plain_file())
    assert said(app) == []
    np.testing.assert_allclose(large_weights(app), rows(2, 3, 5, 5)[0, 0], rtol=0, atol=1e-6)
    upload(app, b"wrong again", "other.npz")
    (sentence,) = said(app)
    assert "other.npz" in sentence
    assert len(app.get("plotly_chart")) == 2  # the file before it is still shown
    button(app, "own_page.close").click().run()
    assert said(app) == []


@pytest.mark.model
@pytest.mark.parametrize(
    "change",
    [
        lambda about: about["query_tokens"].update(tokens=[1] * 16),
        lambda about: about["query_tokens"].update(surfaces=None),
        lambda about: about["query_tokens"].update(text=5),
        lambda about: about["model"].update(name=7),
        lambda about: about["model"].update(n_heads="12"),
        lambda about: about["conditions"].update(dtype="int8"),
        lambda about: about["conditions"].update(device=[1]),
        lambda about: about.update(controls=None),
        lambda about: about["controls"].update(mask={"kind": "no such"}),
        lambda about: about["controls"].update(mask=_nested(400)),
        lambda about: about.pop("model"),
    ],
)
def test_a_saved_run_that_was_tampered_with_is_refused_in_a_sentence(change: Any) -> None:
    with np.load(io.BytesIO(exported(of_minilm()))) as stored:
        arrays = dict(stored)
    about = json.loads(str(arrays["about"]))
    change(about)
    arrays["about"] = np.array(json.dumps(about))
    app = upload(opened(HEADS, source="own"), npz(**arrays))
    assert untroubled(app)
    (sentence,) = said(app)
    assert "mine.npz" in sentence or "50 deep" in sentence
    assert "mistake of the program" not in sentence


def _nested(depth: int) -> dict[str, Any]:
    mask: dict[str, Any] = {"kind": "causal"}
    for _ in range(depth):
        mask = {"kind": "not", "mask": mask}
    return mask


@pytest.mark.model
@pytest.mark.parametrize("name", ["vectors/query", "vectors/head_output", "output"])
def test_wrong_vectors_of_a_saved_run_are_refused(name: str) -> None:
    with np.load(io.BytesIO(exported(of_minilm()))) as stored:
        arrays = dict(stored)
    right = arrays[name]
    for wrong in (right[..., :-1], np.full_like(right, np.nan), np.full(right.shape, "x")):
        with pytest.raises(mha_viz.InputError):
            own_store.keep("mine.npz", npz(**arrays | {name: wrong}))
    assert own_store.keep("mine.npz", npz(**arrays))


def test_controls_of_a_link_are_told_and_left_out() -> None:
    app = showing(plain_file(), temperature="2", causal="1", off="L0H1", text="hello", scale="log")
    (told,) = said(app)
    for part in ("temperature = 2", "causal = 1", "off = L0H1", "text = hello"):
        assert part in told
    assert "scale" not in told
    assert set(app.query_params) == {"source", "file", "scale"}
    app.run()
    assert said(app) == []


def test_the_sentence_and_the_controls_come_back_with_the_model() -> None:
    digest = own_store.keep("mine.npz", plain_file())
    app = opened(HEADS, text="a rose is a rose", temperature="3")
    app.segmented_control(key="source").set_value("own").run()
    assert _link(app) == {"source": "own"}
    upload(app, plain_file())
    assert _link(app)["file"] == digest
    app.segmented_control(key="source").set_value("toy").run()
    assert _link(app) == {"text": "a rose is a rose", "temperature": "3"}
    assert app.text_input(key="text").value == "a rose is a rose"


@pytest.mark.parametrize(
    ("address", "setting", "offered"),
    [
        ("localhost", None, True),
        ("127.0.0.1", None, True),
        ("::1", None, True),
        ("0.0.0.0", None, False),
        ("192.168.1.5", "local", False),
        ("example.org", "local", False),
        (None, None, False),
        (None, "any", True),
        ("0.0.0.0", "any", True),
        ("localhost", "off", False),
    ],
)
def test_files_are_opened_only_where_they_may_be(
    monkeypatch: pytest.MonkeyPatch, address: str | None, setting: str | None, offered: bool
) -> None:
    config.set_option("server.address", address)
    if setting:
        monkeypatch.setenv("MHA_VIZ_OWN", setting)
    settings.cache_clear()
    digest = own_store.keep("mine.npz", plain_file())
    app = opened(HEADS)
    assert (EN["source.own"] in app.segmented_control(key="source").options) == offered
    app = opened(HEADS, source="own", file=digest)
    assert untroubled(app)
    assert (app.segmented_control(key="source").value == "own") == offered
    if offered:
        assert said(app) == []
        return
    assert len(app.get("plotly_chart")) == 2  # of the toy
    (told,) = said(app)
    assert "MHA_VIZ_OWN" in told
    assert setting == "off" or (address or "0.0.0.0") in told


def test_the_example_on_the_page_makes_a_file_that_is_taken(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(HEADS, source="own")
    code = app.code[0].value
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "example", "exec"), {})
    upload(app, (tmp_path / "weights.npz").read_bytes(), "weights.npz")
    assert said(app) == []
    assert "2 layers of 4 heads, 3 tokens" in plain(bodies(app, "mha-own")[0])


def test_the_python_to_take_away_opens_the_file_by_its_name(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from mha_viz.export import PythonView, python_code_of_file

    name = 'it\'s "mine".npz'
    (tmp_path / name).write_bytes(plain_file())
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    *lines, last = python_code_of_file(name, PythonView("head", 1, 2)).splitlines()
    exec("\n".join(lines), names)
    figure = eval(last, names)
    np.testing.assert_allclose(np.array(figure.data[0].z, dtype=float), rows(2, 3, 5, 5)[1, 2], rtol=0, atol=1e-6)
