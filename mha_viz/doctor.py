"""What ``python -m mha_viz doctor`` tells: versions, devices, models, limits, what can be reached. Nothing is changed by it."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterator

import psutil

from mha_viz.errors import MhaVizError
from mha_viz.export.browser import drawing_browser
from mha_viz.models import packaged
from mha_viz.models.hub import architecture
from mha_viz.models.hub.cache import cache_folder
from mha_viz.models.hub.catalogue import LISTED
from mha_viz.models.hub.files import SINGLE
from mha_viz.models.hub.local import cached
from mha_viz.models.hub.names import parse
from mha_viz.models.hub.remote import ask, free_bytes
from mha_viz.settings import Settings, settings
from mha_viz.words import say
from mha_viz.words.amounts import size_text, version_text

PACKAGES = (
    *("streamlit", "torch", "transformers", "plotly", "numpy", "safetensors", "huggingface_hub", "psutil"),
    *("pyarrow", "kaleido"),
)


def report() -> Iterator[str]:
    """The report, a line at a time; slow lines come last."""
    yield from _versions()
    yield from _memory()
    yield from _devices()
    try:
        chosen = settings()
        yield from _chosen(chosen)
    except MhaVizError as problem:
        yield _line("wrong", str(problem))
        chosen = Settings(hub="off")  # what is wrong allows nothing
    else:
        yield from _settings(chosen)
    yield from _models(chosen)
    yield from _reach(chosen)


def _line(what: str, value: object) -> str:
    return f"{say(f'doctor.{what}'):<22}{value}"


def _versions() -> Iterator[str]:
    yield _line("python", f"{platform.python_version()} ({platform.system()} {platform.machine()})")
    for package in PACKAGES:
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            version = say("doctor.missing")
        yield f"{package:<22}{version}"
    yield _line("browser", drawing_browser() or say("doctor.no_browser"))


def _memory() -> Iterator[str]:
    memory = psutil.virtual_memory()
    yield _line("cores", psutil.cpu_count() or "?")
    yield _line("memory", say("doctor.free_of", free=size_text(memory.available), all=size_text(memory.total)))


def _devices() -> Iterator[str]:
    from mha_viz.models import devices  # imports torch

    for name, maker, free in devices.described():
        yield _line("device", f"{name} ({maker}), {say('doctor.free', free=size_text(free))}")


def _chosen(chosen: Settings) -> Iterator[str]:
    from mha_viz.models import devices
    from mha_viz.models.place import Place

    yield _line("threads", chosen.threads or devices.default_threads())
    yield _line("chosen", devices.find_device(Place()))


def _settings(chosen: Settings) -> Iterator[str]:
    folders = ", ".join(map(str, chosen.folders)) or say("doctor.none")
    yield _line("hub", chosen.hub)
    yield _line("folders", folders)
    yield _line("resident", chosen.resident)
    yield _line("largest", size_text(chosen.largest))
    yield _line("own", chosen.own)
    yield _line("examine", chosen.examine)
    limits = {"layers": architecture.MOST_LAYERS, "heads": architecture.MOST_HEADS, "tokens": architecture.MOST_TOKENS}
    yield _line("limits", say("doctor.limits_are", **limits))


def _models(chosen: Settings) -> Iterator[str]:
    folder = packaged.packaged_folder()
    if folder is None:
        yield _line("model", say("doctor.no_minilm", package=packaged.PACKAGE))
    else:
        yield _line("model", f"{packaged.NAME}, {size_text((folder / SINGLE).stat().st_size)}")
    for model in cached(chosen):
        told = model.problem or say(
            "doctor.version", size=size_text(model.n_bytes), revision=version_text(model.revision)
        )
        yield _line("model", f"{model.name}, {told}")
    place = cache_folder(None)
    yield _line("cache", say("doctor.free_on", place=place, free=size_text(free_bytes(place))))


def _reach(chosen: Settings) -> Iterator[str]:
    """Whether a model of the short list could be fetched now."""
    name = LISTED[0].id
    try:
        offer = ask(parse(name, chosen), None, chosen)
    except MhaVizError as problem:
        yield _line("reach", str(problem))
    else:
        yield _line("reach", say("doctor.offered", name=name, size=size_text(offer.n_bytes)))
