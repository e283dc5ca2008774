"""What a net on texts should beat: counts of words and pairs of words, and logistic regression (scikit-learn). Without torch."""

from __future__ import annotations

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from mha_viz.labs.texts_data import Split, words_of

#: Inverse strength of the penalty; not tuned on the validation part.
STRENGTH = 10.0


def baseline(parts: Split) -> tuple[float, float]:
    """Accuracy on the training and on the validation part.

    TF-IDF of words and pairs of neighbouring words, the same words that the nets read, logarithmic counts.
    """
    counts = TfidfVectorizer(
        tokenizer=words_of, token_pattern=None, lowercase=False, ngram_range=(1, 2), sublinear_tf=True
    )
    line = make_pipeline(counts, LogisticRegression(C=STRENGTH, max_iter=1_000))
    texts, labels = zip(*parts.train, strict=True)
    line.fit(texts, labels)
    train, validation = (line.score(*zip(*part, strict=True)) for part in parts)
    return float(train), float(validation)
