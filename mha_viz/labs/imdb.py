"""The IMDb reviews from the Hub (Maas et al. 2011), fetched by the datasets library when they are asked for. Without torch."""

from __future__ import annotations

from pathlib import Path

from mha_viz.errors import InputError
from mha_viz.settings import settings

HUB_ID = "stanfordnlp/imdb"
REVISION = "e6281661ce1c48d982bc483cf8a173c1bbeb5d31"
#: The part that is read: 25,000 reviews, half of them with label 1 (positive).
PART = "train"


def reviews(source: str = HUB_ID, cache: Path | None = None) -> list[tuple[str, int]]:
    """Texts and labels, in the order of the data set. Fetched once; the library keeps them.

    Args:
        source: the Hub's data set, or a folder of the same layout.
        cache: where the library keeps what it fetched; its own place by default.

    Raises:
        InputError: nothing may be fetched, cannot be, or is not what it should be; the sentence says what to do.
    """
    if source == HUB_ID and settings().hub == "off":
        raise InputError("error.imdb_off", hub_id=HUB_ID)
    import datasets

    datasets.disable_progress_bars()
    revision = REVISION if source == HUB_ID else None
    place = str(cache) if cache is not None else None
    try:
        rows = datasets.load_dataset(source, split=PART, revision=revision, cache_dir=place)
        return [(str(text), int(label)) for text, label in zip(rows["text"], rows["label"], strict=True)]
    # ConnectionError is one of OSError; the library's own errors are of both kinds.
    except (OSError, ValueError, KeyError, TypeError, datasets.exceptions.DatasetsError) as problem:
        raise InputError("error.imdb", hub_id=source, got=type(problem).__name__) from problem
