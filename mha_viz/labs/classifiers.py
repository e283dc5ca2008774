"""Which classifier on embeddings goes with which model."""

from __future__ import annotations

from mha_viz.analysis.spam import SpamClassifier, spam_classifier
from mha_viz.models import packaged
from mha_viz.models.base import AttentionModel

#: Name and revision of a model as its source gives them: from the package, and from the Hub.
_MINILM = ((packaged.NAME, ""), (packaged.HUB_ID, packaged.HUB_REVISION))


def classifier_for(model: AttentionModel) -> SpamClassifier | None:
    """The classifier that was trained on this very model's embeddings; None for every other model.

    Raises:
        ModelError: its file cannot be read.
    """
    if (model.spec.name, model.revision) not in _MINILM:
        return None
    found = spam_classifier()
    same = found.revision == packaged.HUB_REVISION and found.sha256 == packaged.SHA256
    return found if same and len(found.coefficients) == model.spec.d_model else None
