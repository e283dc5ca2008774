"""Numbers that leave: read by NumPy, pandas, pyarrow, csv and json they are those of the run, to the last bit."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as some
from pyarrow import parquet

from mha_viz.analysis.reading import Shown, read
from mha_viz.analysis.work import finished
from mha_viz.controls import Controls, HeadId
from mha_viz.errors import ExportError, InputError
from mha_viz.export import NUMBERS, Part, cell_text, numbers_file, read_npz, text_of_cell, trace_from_npz
from mha_viz.export.files import whole_file
from mha_viz.export.jsons import MOST_JSON
from mha_viz.export.npz import write_npz
from mha_viz.export.tables import FORMULA, MOST_CSV, MOST_PARQUET
from mha_viz.masks import MASKS, AllOf, AnyOf, Causal, GlobalTokens, HideQuery, LocalWindow, Not, Painted
from mha_viz.trace import AttentionTrace, HeadVectors
from mha_viz.version import VERSION
from tests.unit.build import sequence, trace

HOSTILE = [
    "<script>",
    "</script>",
    "$x$",
    "=1+1",
    "+2",
    "-3",
    "@x",
    "\ttab",
    "\rcr",
    "#000001",
    "a\x00b",
    "שלום",
    "😀",
    "猫",
]
HOSTILE += ["'quoted", '"', "a,b", "line\nbreak", "##ing", "\x00", "\ud800", "\u202e", "NULL", "nan", ""]
CONTROLS = Controls(
    temperature=math.inf,
    mask=(Causal() & LocalWindow(2)) | ~GlobalTokens(1),
    layers=frozenset({0, 1}),
    silenced=frozenset({HeadId(1, 0), HeadId(0, 1)}),
    uniform=frozenset({HeadId(0, 0)}),
)


def hostile(controls: Controls | None = None) -> AttentionTrace:
    return trace(sequence(HOSTILE), n_layers=2, n_heads=2, controls=controls)


def written(reading, tmp_path, kind, part=None):
    path = tmp_path / f"weights.{kind}"
    shares = list(numbers_file(reading, path, part or Part()))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert [left.name for left in tmp_path.iterdir()] == [path.name]
    return path


def same(one, other) -> None:
    assert one.spec == other.spec
    assert one.query_tokens == other.query_tokens
    assert one.key_tokens == other.key_tokens
    assert one.controls == other.controls
    for name in ("weights", "visible", "no_key"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


# --- NPZ ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("controls", [None, CONTROLS, Controls(mask=HideQuery(1))])
def test_a_run_comes_back_from_npz_as_it_was(tmp_path, controls):
    run = hostile(controls)
    back = trace_from_npz(written(run, tmp_path, "npz"))
    same(back, run)
    assert back.output is not None
    assert run.output is not None
    assert np.array_equal(back.output, run.output)
    assert back.conditions == run.conditions
    assert back.checks == run.checks


def test_vectors_come_back_and_can_be_left_out(tmp_path):
    random = np.random.default_rng(0)
    kinds = [tuple(random.random((2, 4, 3)).astype(np.float32) for _ in range(2)) for _ in HeadVectors._fields]
    run = trace(4, n_layers=2, vectors=HeadVectors(*kinds))
    back = trace_from_npz(written(run, tmp_path, "npz"))
    assert back.vectors is not None
    for ours, theirs in zip(back.vectors, kinds, strict=True):
        assert all(np.array_equal(one, other) for one, other in zip(ours, theirs, strict=True))
    few = io.BytesIO()
    finished(write_npz(run, few, vectors=False))
    assert trace_from_npz(few).vectors is None


@pytest.mark.parametrize(("level", "specials"), [("words", "raw"), ("words", "hidden"), ("pieces", "renormalised")])
def test_a_reading_comes_back_as_a_reading_and_is_no_run(tmp_path, level, specials):
    tokens = sequence(5, special=(True, False, False, False, True), word_ids=(None, 0, 0, 1, None))
    shown = read(trace(tokens, n_layers=2), level, specials)
    path = written(shown, tmp_path, "npz")
    back = read_npz(path)
    same(back, shown)
    assert isinstance(back, Shown)
    assert (back.level, back.specials, back.groups) == (level, specials, shown.groups)
    assert np.array_equal(back.padding, shown.padding)
    assert (back.removed is None) == (shown.removed is None)
    if shown.removed is not None and back.removed is not None:
        assert np.array_equal(back.removed, shown.removed)
    with pytest.raises(InputError, match=f"{level}, {specials}"):
        trace_from_npz(path)


def test_numpy_alone_reads_weights_tokens_and_what_they_are(tmp_path):
    run = trace(3, n_layers=2, controls=CONTROLS)
    with np.load(written(run, tmp_path, "npz"), allow_pickle=False) as stored:
        assert np.array_equal(stored["weights"], run.weights)
        assert stored["tokens"].tolist() == ["w0", "w1", "w2"]
        told = json.loads(str(stored["about"]))
    assert told["axes"] == ["layer", "head", "query", "key"]
    assert told["shape"] == [2, 2, 3, 3]
    assert (told["format"], told["version"]) == ("mha_viz/1", VERSION)
    assert 'temperature=float("inf")' in told["controls_text"]
    assert told["conditions"]["dtype"] == "float32"


@pytest.mark.parametrize("name", MASKS)
def test_every_mask_comes_back(tmp_path, name):
    mask = Painted.of(np.eye(3, dtype=bool)) if name == "painted" else MASKS[name]()
    for joined in (mask, Not(mask), AnyOf((mask, Not(Causal()))), AllOf((AllOf((mask, Causal())), LocalWindow(1)))):
        run = trace(3, controls=Controls(mask=joined))
        assert trace_from_npz(written(run, tmp_path, "npz")).controls == run.controls


def test_npz_that_is_none_damaged_or_holds_objects_is_refused(tmp_path):
    path = tmp_path / "x.npz"
    with pytest.raises(InputError, match="No such file"):
        read_npz(path)
    for content in (b"", b"no archive", b"PK\x03\x04 cut"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="cannot be read as NPZ"):
            read_npz(path)
    np.savez(path, weights=np.array([{"a": 1}], dtype=object), tokens=np.array(["a"]))
    with pytest.raises(InputError, match="pickled objects"):
        read_npz(path)
    np.savez(path, attention=np.ones((1, 1)))
    with pytest.raises(InputError, match="weights"):
        read_npz(path)
    finished(numbers_file(trace(6), path))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="cannot be read"):
        read_npz(path)
    middle = len(whole) // 2 - 200
    path.write_bytes(whole[:middle] + b"\xff" * 100 + whole[middle + 100 :])
    with pytest.raises(InputError):
        read_npz(path)


def test_npz_with_other_contents_than_it_says_or_of_a_newer_format_is_refused(tmp_path):
    path = written(trace(3), tmp_path, "npz")
    with np.load(path) as stored:
        arrays = dict(stored)
    told = json.loads(str(arrays["about"]))

    def changed(**parts):
        np.savez(path, **(arrays | parts))
        with pytest.raises(InputError) as caught:
            read_npz(path)
        return str(caught.value)

    assert "mha_viz/2" in changed(about=np.array(json.dumps(told | {"format": "mha_viz/2"})))
    assert "sums to 2" in changed(weights=arrays["weights"] * 2)
    assert "2 queries and 3 keys" in changed(weights=arrays["weights"][:, :, :2])
    assert "cannot be read" in changed(about=np.array(json.dumps(told | {"controls": {}})))
    mask = told["controls"] | {"mask": {"kind": "__import__", "name": "os"}}
    assert "cannot be read" in changed(about=np.array(json.dumps(told | {"controls": mask})))
    assert "cannot be read" in changed(about=np.array("[" * 100_000))


# --- CSV and Parquet ----------------------------------------------------------------------------------


def expected_rows(run, part=None):
    chosen = (part or Part()).within(run)
    for layer in chosen.layers:
        for head in chosen.heads:
            for query in chosen.queries:
                for key in range(chosen.n_key):
                    yield (
                        layer,
                        head,
                        query,
                        key,
                        run.weights[layer, head, query, key],
                        run.visible[layer, head, query, key],
                    )


def check_table(table, run, part=None):
    rows = list(zip(*(table[name] for name in ("layer", "head", "query", "key", "weight", "visible")), strict=True))
    wanted = list(expected_rows(run, part))
    assert len(rows) == len(wanted)
    for got, (*places, weight, visible) in zip(rows, wanted, strict=True):
        assert [int(number) for number in got[:4]] == places
        assert np.float32(got[4]) == weight
        assert got[5] in (visible, str(visible).lower())


def test_csv_read_by_the_csv_module_has_every_number_and_token(tmp_path):
    run = hostile(CONTROLS)
    with written(run, tmp_path, "csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    check_table({name: [line[name] for line in lines] for name in lines[0]}, run)
    valid = [text.encode("utf-8", "backslashreplace").decode() for text in HOSTILE]
    for line in lines:
        assert text_of_cell(line["query_token"]) == valid[int(line["query"])]
        assert text_of_cell(line["key_token"]) == valid[int(line["key"])]
        assert not line["query_token"].startswith(FORMULA)
        assert not line["about"].startswith(FORMULA)
    told = json.loads(lines[0]["about"])
    assert told["controls"]["temperature"] == "inf"
    assert told["version"] == VERSION
    assert {line["about"] for line in lines[1:]} == {""}


def test_csv_read_by_pandas_has_every_number(tmp_path):
    run = trace(sequence(["=1+1", "##ing", "a,b", '"', "x"]), n_layers=2, controls=Controls(mask=Causal()))
    table = pd.read_csv(written(run, tmp_path, "csv"), keep_default_na=False)
    check_table(table, run)
    assert table["query_token"].tolist()[0] == "'=1+1"
    assert table["key_token"].tolist()[:5] == ["'=1+1", "##ing", "a,b", '"', "x"]


def test_parquet_keeps_tokens_as_they_are_and_the_controls_beside(tmp_path):
    run = hostile(CONTROLS)
    table = parquet.read_table(written(run, tmp_path, "parquet"))
    columns = table.to_pydict()
    check_table(columns, run)
    valid = [text.encode("utf-8", "backslashreplace").decode() for text in HOSTILE]
    assert columns["key_token"][: len(valid)] == valid
    told = json.loads(table.schema.metadata[b"mha_viz"])
    assert told["controls"]["silenced"] == [[0, 1], [1, 0]]
    assert told["query_tokens"]["tokens"] == HOSTILE


@pytest.mark.parametrize("kind", ["csv", "parquet", "json"])
def test_only_a_part_is_written_if_one_is_chosen(tmp_path, kind):
    run = trace(5, n_layers=3, n_heads=4)
    part = Part(layers=(2,), heads=(3, 1), queries=(4, 0))
    path = written(run, tmp_path, kind, part)
    if kind == "json":
        told = json.loads(path.read_text())
        assert (told["layers"], told["heads"], told["queries"]) == ([2], [3, 1], [4, 0])
        assert np.array_equal(np.array(told["weights"], dtype=np.float32), run.weights[2:][:, [3, 1]][:, :, [4, 0]])
    else:
        table = pd.read_csv(path) if kind == "csv" else parquet.read_table(path).to_pydict()
        check_table(table, run, part)


@pytest.mark.parametrize(
    "part", [Part(layers=(1,)), Part(heads=(2,)), Part(heads=()), Part(queries=(5,)), Part(queries=())]
)
@pytest.mark.parametrize("kind", ["csv", "parquet", "json"])
def test_a_part_that_is_not_there_is_refused_and_nothing_is_left(tmp_path, part, kind):
    with pytest.raises(InputError):
        finished(numbers_file(trace(5), tmp_path / f"x.{kind}", part))
    assert list(tmp_path.iterdir()) == []


def test_positions_are_those_of_the_run_where_words_are_read(tmp_path):
    tokens = sequence(5, special=(True, False, False, False, True), word_ids=(None, 0, 0, 1, None))
    shown = read(trace(tokens), "words", "hidden")
    table = pd.read_csv(written(shown, tmp_path, "csv"))
    assert sorted(set(table["query"])) == [1, 3]
    assert json.loads(table["about"][0])["reading"]["level"] == "words"


@given(some.text(max_size=6))
def test_a_cell_is_no_formula_and_gives_its_text_back(text):
    cell = cell_text(text)
    assert not cell.startswith(FORMULA)
    assert text_of_cell(cell) == text


# --- JSON ---------------------------------------------------------------------------------------------


def test_json_has_weights_tokens_and_what_is_hidden(tmp_path):
    run = hostile(CONTROLS)
    told = json.loads(written(run, tmp_path, "json").read_text(encoding="ascii"))
    assert np.array_equal(np.array(told["weights"], dtype=np.float32), run.weights)
    assert np.array_equal(np.array(told["hidden"], dtype=bool), ~run.visible)
    assert told["query_tokens"] == HOSTILE
    assert told["about"]["controls_text"].startswith("Controls(temperature=")


def test_json_in_several_pieces_is_whole(tmp_path):
    run = trace(150, controls=Controls(mask=Causal()))
    told = json.loads(written(run, tmp_path, "json").read_text())
    assert np.array_equal(np.array(told["weights"], dtype=np.float32), run.weights)
    assert np.array_equal(np.array(told["hidden"], dtype=bool), ~run.visible)


def test_json_without_anything_hidden_says_null(tmp_path):
    told = json.loads(written(trace(3), tmp_path, "json").read_text())
    assert told["hidden"] is None


# --- Size, failure ------------------------------------------------------------------------------------


class Large:
    """The shape of a run of BERT with 512 tokens, without its memory."""

    def __init__(self) -> None:
        small = trace(512, n_heads=1, weights=np.full((1, 1, 512, 512), 1 / 512))
        self.spec = small.spec
        self.query_tokens = self.key_tokens = small.query_tokens
        self.controls = small.controls
        self.weights = np.broadcast_to(small.weights, (96, 12, 512, 512))
        self.visible = np.broadcast_to(np.True_, self.weights.shape)


@pytest.mark.parametrize(
    ("kind", "part", "limit"),
    [
        ("csv", Part(layers=tuple(range(6))), MOST_CSV),
        ("json", Part(layers=tuple(range(6))), MOST_JSON),
        ("parquet", Part(), MOST_PARQUET),
    ],
)
def test_too_many_rows_are_refused_with_what_to_do(tmp_path, kind, part, limit):
    with pytest.raises(InputError) as caught:
        finished(numbers_file(Large(), tmp_path / f"x.{kind}", part))  # type: ignore[arg-type]
    sentence = str(caught.value)
    assert f"{limit:,}" in sentence
    assert "NPZ" in sentence
    if kind != "parquet":
        assert "18,874,368" in sentence
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", NUMBERS)
def test_work_that_is_given_up_leaves_what_was_there(tmp_path, kind):
    path = tmp_path / f"x.{kind}"
    path.write_text("before")
    work = numbers_file(trace(5, n_layers=3), path)
    next(work)
    assert len(list(tmp_path.iterdir())) == 2
    work.close()
    assert [(left.name, left.read_text()) for left in tmp_path.iterdir()] == [(path.name, "before")]


@pytest.mark.parametrize("kind", NUMBERS)
def test_a_place_that_cannot_be_written_to_is_named_and_nothing_is_left(tmp_path, kind):
    folder = tmp_path / f"folder.{kind}"
    folder.mkdir()
    for path in (tmp_path / "none" / f"x.{kind}", folder):
        with pytest.raises(ExportError, match="cannot be written") as caught:
            finished(numbers_file(trace(3), path))
        assert str(path) in str(caught.value)
    assert list(tmp_path.iterdir()) == [folder]


def write_to_a_full_disk(path):
    with whole_file(path) as file:
        with open("/dev/full", "wb", buffering=0) as full:
            os.dup2(full.fileno(), file.fileno())
        file.write(b"x" * 100_000)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a disk that is always full")
def test_a_full_disk_leaves_nothing(tmp_path):
    with pytest.raises(ExportError, match="No space left"):
        write_to_a_full_disk(tmp_path / "x.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x", "x.txt", "x.png", ".csv"])
def test_an_unknown_ending_names_the_known_ones(tmp_path, name):
    with pytest.raises(InputError) as caught:
        finished(numbers_file(trace(3), tmp_path / name))
    assert ".parquet" in str(caught.value)
    assert name in str(caught.value)


def test_npz_of_many_layers_yields_its_progress():
    file = io.BytesIO()
    shares = list(write_npz(trace(4, n_layers=5), file))
    assert shares == [1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1.0]
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
