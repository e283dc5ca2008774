"""From an import path to what it names; what goes wrong in a person's own code becomes one sentence with their own line."""

from __future__ import annotations

import importlib
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from mha_viz.labs.examine.base import Trouble

#: "package.module:Class" or "package.module.Class".
PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*(:[^\W\d]\w*(\.[^\W\d]\w*)*)?")
_LONGEST = 300


def find(path: str, folder: str) -> Any:
    """What an import path names.

    Args:
        path: as PATH.
        folder: where imports are looked for first; the present one if "".

    Raises:
        Trouble: it cannot be imported, or there is none of that name.
    """
    place = Path(folder or ".").expanduser()
    if not place.is_dir():
        raise Trouble("examine.no.folder", "examine.todo.folder", got=str(place))
    sys.path.insert(0, str(place.resolve()))
    module_name, _, rest = path.partition(":")
    if not rest:
        module_name, _, rest = path.rpartition(".")
    if not module_name or not PATH.fullmatch(path):
        raise Trouble("examine.no.path", "examine.todo.path", got=path)
    found: Any = _imported(module_name, path)
    for name in rest.split("."):
        if not hasattr(found, name):
            names = _classes(found)
            key = "examine.no.name" if names else "examine.no.name_at_all"
            raise Trouble(key, "examine.todo.name", got=name, module=module_name, **({"names": names} if names else {}))
        found = getattr(found, name)
    return found


def _imported(name: str, path: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as problem:
        if problem.name is not None and (name == problem.name or name.startswith(problem.name + ".")):
            raise Trouble("examine.no.module", "examine.todo.module", got=problem.name, path=path) from problem
        raise Trouble("examine.no.package", "examine.todo.package", got=problem.name, where=where(problem)) from problem
    except BaseException as problem:
        raise Trouble("examine.no.import", "examine.todo.import", module=name, reason=reason_of(problem)) from problem


def _classes(found: Any) -> str:
    """The classes that a module itself defines, as far as a sentence holds them."""
    own = [key for key, value in vars(found).items() if isinstance(value, type) and value.__module__ == found.__name__]
    return ", ".join(own[:8])


def reason_of(problem: BaseException) -> str:
    """An exception in one line: its kind, what it says, and the line of the person's own file."""
    if isinstance(problem, SystemExit):
        said = f"sys.exit({problem.code!r})"
    else:
        said = f"{type(problem).__name__}: {' '.join(str(problem).split())}".rstrip(": ")
    said = said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"
    place = where(problem)
    return f"{said} ({place})" if place else said


def where(problem: BaseException) -> str:
    """ "file.py:12": the innermost line that is neither the app's nor a library's; "" if there is none."""
    if isinstance(problem, SyntaxError) and problem.filename:
        return f"{Path(problem.filename).name}:{problem.lineno}"
    ours = Path(__file__).resolve().parents[2]
    for frame in reversed(traceback.extract_tb(problem.__traceback__)):
        file = Path(frame.filename)
        library = {"site-packages", "dist-packages"} & set(file.parts) or str(file).startswith((sys.base_prefix, "<"))
        if not library and ours not in file.parents:
            return f"{file.name}:{frame.lineno}"
    return ""
