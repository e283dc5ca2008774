"""Model sources: what a person can choose to run on. Importing this imports neither torch nor transformers.

To add a source: a class derived from ``mha_viz.models.base.AttentionModel`` and an entry in ``SOURCES``. The picker, the
caching and the shared conformance tests follow from that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from mha_viz.errors import DamagedModelError, InputError, NotHereError
from mha_viz.models import packaged
from mha_viz.models.hub.local import Found, find
from mha_viz.models.hub.names import parse
from mha_viz.models.place import Place
from mha_viz.models.toy.options import ToyOptions
from mha_viz.settings import settings
from mha_viz.spec import ModelSpec

if TYPE_CHECKING:
    from mha_viz.models.base import AttentionModel


class Options(Protocol):
    """What a person may choose about a source: a frozen, hashable dataclass that validates itself."""

    @property
    def spec(self) -> ModelSpec:
        """What the model will be, before it is loaded."""
        ...


@dataclass(frozen=True)
class MiniLMOptions:
    """Nothing to choose: one checkpoint, one size."""

    @property
    def spec(self) -> ModelSpec:
        """6 layers of 12 heads."""
        return packaged.spec()


@dataclass(frozen=True)
class HubOptions:
    """A model of the Hugging Face Hub, or one in a folder that may be opened.

    Attributes:
        model: its id ("google-bert/bert-base-uncased") or "folder:" and its path.
        revision: the commit; "" for the one that is on this computer.
        stamp: of a folder, whose files can change; two stamps are two models.
    """

    model: str = ""
    revision: str = ""
    stamp: int = field(default=0, metadata={"own": True})

    def found(self) -> Found:
        """The model's files.

        Raises:
            InputError: ``model`` or ``revision`` cannot be one.
            NotHereError: it is not on this computer, or not completely.
            ModelError: it is, and cannot be used.
        """
        name = parse(self.model, settings())
        found = find(name, self.revision or None, settings())
        if found is None:
            raise NotHereError("error.not_here", name=name.text)
        return found

    def pinned(self) -> HubOptions:
        """The same with the revision, or the stamp, of the files that are here now.

        Raises:
            MhaVizError: as ``found``.
        """
        found = self.found()
        stamp = 0 if found.revision else max(file.stat().st_mtime_ns for file in (*found.weights, found.folder))
        return HubOptions(found.name, found.revision, stamp)

    @cached_property
    def spec(self) -> ModelSpec:
        """As its config.json says; read once, so that a page is of one mind about it.

        Raises:
            MhaVizError: as ``found``.
        """
        return self.found().architecture.spec


@dataclass(frozen=True)
class Source:
    """One entry of the picker.

    Attributes:
        name: for ``open_model`` and for links; "source.NAME" is its title in the table of words.
        options: class of its options.
        load: options and place to model; imports what it needs when called.
    """

    name: str
    options: Callable[..., Any]
    load: Callable[[Any, Place], AttentionModel]


def _load_toy(options: ToyOptions, place: Place) -> AttentionModel:
    from mha_viz.models.toy.model import ToyModel

    return ToyModel(options, place)


def _load_minilm(options: MiniLMOptions, place: Place) -> AttentionModel:
    from mha_viz.models.huggingface import HuggingFaceModel

    return HuggingFaceModel(packaged.model_folder(), packaged.NAME, place)


def _load_hub(options: HubOptions, place: Place) -> AttentionModel:
    found = options.found()
    from mha_viz.models import memory
    from mha_viz.models.devices import find_device, find_dtype
    from mha_viz.models.huggingface import HuggingFaceModel

    needed = memory.needed_bytes(found.parameters, found.architecture.spec, find_dtype(place))
    memory.require(found.name, needed, find_device(place))
    return HuggingFaceModel(found.folder, found.name, place, found.revision)


SOURCES: dict[str, Source] = {
    source.name: source
    for source in (
        Source("toy", ToyOptions, _load_toy),
        Source("minilm", MiniLMOptions, _load_minilm),
        Source("hub", HubOptions, _load_hub),
    )
}


def options_for(name: str, **options: Any) -> Options:
    """The validated options of a source.

    Raises:
        InputError: no such source, an option it does not have, or a value that is not allowed.
    """
    if name not in SOURCES:
        raise InputError("error.no_such_source", got=name, allowed=", ".join(SOURCES))
    known = [option.name for option in fields(SOURCES[name].options) if not option.metadata]  # type: ignore[arg-type]
    strange = [option for option in options if option not in known]
    if strange:
        allowed = ", ".join(known) or "-"
        raise InputError("error.no_such_option", name=name, got=", ".join(strange), allowed=allowed)
    built: Options = SOURCES[name].options(**options)
    return built


def open_model(name: str, *, device: str = "auto", dtype: str = "float32", **options: Any) -> AttentionModel:
    """Opens a model.

    Args:
        name: "toy", "minilm" or "hub".
        device: "auto", "cpu", "cuda", "cuda:1" or "mps".
        dtype: "float32", "bfloat16" or "float16".
        options: of that source; the toy takes d_model, n_heads, seed and weights, "hub" takes model and revision.

    Raises:
        InputError: as ``options_for``.
        NotHereError: a model of the Hub that was not fetched yet; ``fetch_model`` does.
        ModelError: the model cannot be found, read, run or trusted.
    """
    chosen = options_for(name, **options)
    return SOURCES[name].load(chosen, Place(device, dtype))


def fetch_model(model: str, revision: str = "") -> str:
    """Fetches a model from the Hugging Face Hub into its cache, and waits for it; returns at once if it is there.

    Args:
        model: its id.
        revision: commit, branch or tag; "" for the newest.

    Returns:
        the commit that was fetched.

    Raises:
        InputError: no id.
        ModelError: it cannot be had, or cannot be shown; nothing was fetched then.
    """
    name = parse(model, settings())
    try:
        found = find(name, revision or None, settings())
    except DamagedModelError:
        found = None
    if found is not None:
        return found.revision
    from mha_viz.models.hub.downloads import downloads
    from mha_viz.models.hub.remote import ask

    offer = ask(name, revision or None, settings())
    downloads().start(offer)
    while True:
        progress = downloads().progress(offer.name, offer.revision)
        if progress is None or progress.state != "running":
            break
        time.sleep(0.1)
    downloads().forget(offer.name, offer.revision)
    if progress is not None and progress.error is not None:
        raise progress.error
    return offer.revision
