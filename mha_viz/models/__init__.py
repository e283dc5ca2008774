"""Model sources: what a person can choose to run on. Importing this imports neither torch nor transformers.

To add a source: a class derived from ``mha_viz.models.base.AttentionModel`` and an entry in ``SOURCES``. The picker, the
caching and the shared conformance tests follow from that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol

from mha_viz.errors import InputError
from mha_viz.models import packaged
from mha_viz.models.place import Place
from mha_viz.models.toy.options import ToyOptions
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


SOURCES: dict[str, Source] = {
    source.name: source
    for source in (Source("toy", ToyOptions, _load_toy), Source("minilm", MiniLMOptions, _load_minilm))
}


def options_for(name: str, **options: Any) -> Options:
    """The validated options of a source.

    Raises:
        InputError: no such source, an option it does not have, or a value that is not allowed.
    """
    if name not in SOURCES:
        raise InputError("error.no_such_source", got=name, allowed=", ".join(SOURCES))
    known = [option.name for option in fields(SOURCES[name].options)]  # type: ignore[arg-type]
    strange = [option for option in options if option not in known]
    if strange:
        allowed = ", ".join(known) or "-"
        raise InputError("error.no_such_option", name=name, got=", ".join(strange), allowed=allowed)
    built: Options = SOURCES[name].options(**options)
    return built


def open_model(name: str, *, device: str = "auto", dtype: str = "float32", **options: Any) -> AttentionModel:
    """Opens a model.

    Args:
        name: "toy" or "minilm".
        device: "auto", "cpu", "cuda", "cuda:1" or "mps".
        dtype: "float32", "bfloat16" or "float16".
        options: of that source; the toy takes d_model, n_heads, seed and weights.

    Raises:
        InputError: as ``options_for``.
        ModelError: the model cannot be found or read.
    """
    chosen = options_for(name, **options)
    return SOURCES[name].load(chosen, Place(device, dtype))
