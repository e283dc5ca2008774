"""The spam classifier: its file, the same numbers by scikit-learn, training it again, and for whom it is."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score
from sklearn.model_selection import train_test_split

from mha_viz.analysis.spam import CLASSES, FILE, read_spam, spam_classifier
from mha_viz.errors import ModelError, RecordError
from mha_viz.models import packaged
from tools import train_spam

ROOT = Path(__file__).resolve().parents[2]


def by_scikit_learn(coefficients: np.ndarray, intercept: float) -> LogisticRegression:
    made = LogisticRegression()
    made.classes_ = np.array([0, 1])
    made.coef_, made.intercept_ = coefficients[None], np.array([intercept])
    return made


def test_probabilities_equal_scikit_learns_also_far_from_the_border():
    classifier = spam_classifier()
    vectors = np.random.default_rng(0).standard_normal((50, 384)) * np.logspace(-3, 3, 50)[:, None]
    expected = by_scikit_learn(classifier.coefficients, classifier.intercept).predict_proba(vectors)
    got = np.stack([classifier.probabilities(vector) for vector in vectors])
    assert np.abs(got - expected).max() <= 1e-12
    assert np.isfinite(got).all()
    assert np.abs(got.sum(axis=1) - 1).max() <= 1e-12


def test_the_file_says_where_it_came_from_and_how_good_it_is():
    classifier = spam_classifier()
    assert (classifier.model, classifier.revision, classifier.sha256) == (
        packaged.NAME,
        packaged.HUB_REVISION,
        packaged.SHA256,
    )
    assert classifier.coefficients.shape == (384,)
    held = classifier.held_out
    assert held.n == math.ceil(train_spam.HELD_OUT * (held.n + classifier.facts["n_train"]))
    assert 0.5 < held.balanced_accuracy <= held.accuracy < 1
    assert held.accuracy > held.always_ham
    assert {"seed", "n_train", "n_train_spam", "data", "data_sha256", "scikit-learn", "numpy"} <= set(classifier.facts)
    assert len(classifier.facts["data_sha256"]) == 64
    for shown in (f"{held.accuracy:.3f}", f"{held.balanced_accuracy:.3f}", f"{held.f1:.3f}", f"{held.n:,}"):
        assert shown in classifier.sentence


def test_the_file_holds_no_message():
    """Numbers, and a few short names."""
    texts = [value for value in flat(json.loads(FILE.read_text(encoding="utf-8"))) if isinstance(value, str)]
    assert len(texts) < 15
    assert max(map(len, texts)) <= 64


def flat(value):
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from flat(part)
    else:
        yield value


def test_an_embedding_of_another_width_is_refused_with_the_model_it_is_for():
    with pytest.raises(RecordError, match=r"16 numbers was given to a classifier of 384.*all-MiniLM-L6-v2"):
        spam_classifier().probabilities(np.zeros(16))


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"classes": ["spam", "ham"]}', '{"classes": ["ham", "spam"], "coefficients": ["x"]}']
)
def test_a_damaged_file_is_told(tmp_path, content):
    file = tmp_path / "spam.json"
    file.write_text(content)
    with pytest.raises(ModelError, match="Train it again with tools"):
        read_spam(file)
    with pytest.raises(ModelError, match="cannot be read"):
        read_spam(tmp_path / "missing.json")


def made_up(n: int = 400, width: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Embeddings of two overlapping classes, one of them rare."""
    random = np.random.default_rng(1)
    labels = (np.arange(n) % 5 == 0).astype(np.int64)
    return random.standard_normal((n, width)) + 1.2 * labels[:, None], labels


def test_training_gives_what_scikit_learn_gives_and_measures_on_what_was_held_out():
    embeddings, labels = made_up()
    content = train_spam.train(embeddings, labels, seed=3)
    trained, held, trained_labels, held_labels = train_test_split(
        embeddings, labels, test_size=0.2, random_state=3, stratify=labels
    )
    direct = LogisticRegression(C=content["facts"]["strength_C"], max_iter=5000).fit(trained, trained_labels)
    assert np.abs(np.array(content["coefficients"]) - direct.coef_[0]).max() <= 1e-6
    assert abs(content["intercept"] - direct.intercept_[0]) <= 1e-6
    told = direct.predict(held)
    for name, score in (("accuracy", accuracy_score), ("balanced_accuracy", balanced_accuracy_score), ("f1", f1_score)):
        assert content["held_out"][name] == pytest.approx(score(held_labels, told), abs=1e-4)
    assert content["held_out"]["accuracy"] > 0.8
    assert (content["held_out"]["n"], content["held_out"]["n_spam"]) == (80, 16)
    assert (content["facts"]["n_train"], content["facts"]["n_train_spam"]) == (320, 64)
    assert train_spam.train(embeddings, labels, seed=3) == content


def test_the_command_trains_again_from_kept_embeddings(tmp_path):
    embeddings, labels = made_up()
    kept, out = tmp_path / "kept.npz", tmp_path / "out.json"
    np.savez(kept, embeddings=embeddings, labels=labels, data_sha256="0" * 64)
    command = [sys.executable, "-m", "tools.train_spam", "nowhere.csv", "--embeddings", str(kept), "--out", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    classifier = read_spam(out)
    expected = train_spam.train(embeddings, labels, seed=0)
    assert classifier.coefficients.tolist() == expected["coefficients"]
    assert classifier.facts["data_sha256"] == "0" * 64
    assert classifier.names == ("no spam", "spam")
    assert len(CLASSES) == 2


def test_messages_with_the_same_words_are_taken_once(tmp_path):
    file = tmp_path / "data.csv"
    rows = [
        ",spam,text",
        '0,0,"Hello, you"',
        "1,1,WIN 100 now",
        '2,0,"hello,  YOU!!"',
        "3,1,win 2000 NOW",
        "4,1,",
        "5,0,ok",
    ]
    file.write_text("\n".join([*rows, "6,0,:-)", "7,0,12", "8,0,:-)", "9,0,  "]), encoding="utf-8")
    texts, labels = train_spam.messages(file)
    assert texts == ["Hello, you", "WIN 100 now", "ok", ":-)", "12"]
    assert labels.tolist() == [0, 1, 0, 0, 0]
