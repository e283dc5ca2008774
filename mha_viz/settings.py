"""What the person who starts the app may set, in the environment. Read once a process; every value is checked.

MHA_VIZ_HUB       any: models by any Hub id; listed: only those of the short list; off: nothing is fetched
MHA_VIZ_FOLDERS   folders whose sub-folders may be opened as models, separated as in PATH; none by default
MHA_VIZ_DEVICE    auto, cpu, cuda, cuda:1, mps
MHA_VIZ_THREADS   threads of a forward pass on the CPU
MHA_VIZ_RESIDENT  models kept in memory
MHA_VIZ_LARGEST   gigabytes of weights of one model
MHA_VIZ_OWN       local: files of weights may be opened in the app where only this computer can reach it; any: anywhere; off: not
MHA_VIZ_EXAMINE   local: a person's own modules, which are code, run in the app where only this computer can reach it; off: not
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mha_viz.errors import InputError

_PREFIX = "MHA_VIZ_"
NAMES = tuple(
    _PREFIX + name for name in ("HUB", "FOLDERS", "DEVICE", "THREADS", "RESIDENT", "LARGEST", "OWN", "EXAMINE")
)
HUB = ("any", "listed", "off")
OWN = ("local", "any", "off")
EXAMINE = ("local", "off")
#: What a device may be called, and examples of it.
DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d{1,2})?")
DEVICES = ("auto", "cpu", "cuda", "cuda:0", "mps")


@dataclass(frozen=True)
class Settings:
    """One process's settings.

    Attributes:
        hub: which models may be fetched: "any", "listed" or "off".
        folders: where local models may lie; resolved, existing folders.
        device: where models run unless a person says otherwise.
        threads: of a forward pass on the CPU; None for the measured default.
        resident: models kept in memory.
        largest: bytes of weights that one model may have.
        own: where files of weights may be opened in the app: "local", "any" or "off".
        examine: where modules of a person's own may be run: "local" or "off".
    """

    hub: str = "any"
    folders: tuple[Path, ...] = ()
    device: str = "auto"
    threads: int | None = None
    resident: int = 2
    largest: int = 8 * 10**9
    own: str = "local"
    examine: str = "local"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """The settings that ``environment`` holds.

        Raises:
            InputError: a value that is not allowed; the sentence names it and what is.
        """
        for name in environment:
            if name.startswith(_PREFIX) and name not in NAMES:
                raise InputError("error.setting_unknown", got=name, allowed=", ".join(NAMES))
        defaults = cls()
        threads = environment.get("MHA_VIZ_THREADS")
        return cls(
            hub=_one_of("MHA_VIZ_HUB", environment.get("MHA_VIZ_HUB") or defaults.hub, HUB),
            folders=_folders(environment.get("MHA_VIZ_FOLDERS", "")),
            device=_device(environment.get("MHA_VIZ_DEVICE") or defaults.device),
            threads=_whole("MHA_VIZ_THREADS", threads, 1, 256) if threads else None,
            resident=_whole("MHA_VIZ_RESIDENT", environment.get("MHA_VIZ_RESIDENT") or "2", 1, 64),
            largest=_whole("MHA_VIZ_LARGEST", environment.get("MHA_VIZ_LARGEST") or "8", 1, 1_000) * 10**9,
            own=_one_of("MHA_VIZ_OWN", environment.get("MHA_VIZ_OWN") or defaults.own, OWN),
            examine=_one_of("MHA_VIZ_EXAMINE", environment.get("MHA_VIZ_EXAMINE") or defaults.examine, EXAMINE),
        )


@functools.cache
def settings() -> Settings:
    """Those of this process.

    Raises:
        InputError: as ``Settings.from_environment``.
    """
    return Settings.from_environment(os.environ)


def _one_of(name: str, got: str, allowed: tuple[str, ...]) -> str:
    if got not in allowed:
        raise InputError("error.setting", name=name, got=got, allowed=", ".join(allowed))
    return got


def _device(got: str) -> str:
    if not DEVICE.fullmatch(got):
        raise InputError("error.setting", name="MHA_VIZ_DEVICE", got=got, allowed=", ".join(DEVICES))
    return got


def _whole(name: str, got: str, low: int, high: int) -> int:
    if not got.isascii() or not got.isdigit() or not low <= int(got) <= high:
        raise InputError("error.setting", name=name, got=got, allowed=f"{low} … {high}")
    return int(got)


def _folders(text: str) -> tuple[Path, ...]:
    folders = [Path(part).expanduser() for part in text.split(os.pathsep) if part]
    for folder in folders:
        if not folder.is_dir():
            raise InputError("error.setting_folder", got=folder)
    return tuple(folder.resolve() for folder in folders)
