"""What a person types to name a model: an id of the Hub, or a folder where folders are allowed.

The two can never be mistaken for each other. An id is ``NAME`` or ``OWNER/NAME`` and is only ever looked for in the Hub's cache
and on the Hub, whatever lies in the current directory. A folder is written ``folder:PATH``, PATH being below one of the allowed
folders: ``folder:tiny-bert``, ``folder:bert/tiny``, ``folder:.`` for an allowed folder itself. A colon is in no id. An absolute
path is taken too, with or without ``folder:``, and turned into the short form.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from mha_viz.errors import InputError
from mha_viz.models.hub.catalogue import FULL_NAMES
from mha_viz.models.hub.files import ADAPTER, CONFIG
from mha_viz.settings import Settings

FOLDER = "folder:"
#: Longer texts are no names; none is looked up.
_LONGEST = 1_000
#: What the Hub's client takes for an id; a test compares the two.
_ID = re.compile(r"(\b[\w\-.]{1,96}\b/)?\b[\w\-.]{1,96}\b", re.ASCII)
_REVISION = re.compile(r"[A-Za-z0-9][\w.\-]*(/[A-Za-z0-9][\w.\-]*)*", re.ASCII)
#: The page of a model; what follows its id is a page about it.
_ADDRESS = re.compile(r"(https?://)?(www\.)?huggingface\.co/(?P<id>[^/?#]+/[^/?#]+)([/?#].*)?", re.ASCII)
_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True)
class HubName:
    """A model by name.

    Attributes:
        text: as it is written everywhere: the id, or "folder:" and the path below the allowed folder.
        folder: set if it is a local folder: resolved, below an allowed one, with a config.json.
    """

    text: str
    folder: Path | None = None


def parse(text: str, settings: Settings) -> HubName:
    """What a person's text names. Nothing outside the allowed folders is looked at, and no network is asked.

    Raises:
        InputError: it is no id; a path where none is allowed, or that leaves every allowed folder (whether something is there
            or not, the sentence is the same); a folder without a model.
    """
    text = _pasted(text)
    if not text:
        raise InputError("error.hub_no_name")
    if _is_path(text):
        return _folder(text, settings)
    if not is_id(text):
        raise InputError("error.hub_id", got=_short(text))
    return HubName(FULL_NAMES.get(text, text))


def _pasted(text: str) -> str:
    """The text without what copying brings along: blanks, invisible characters, the address before an id."""
    text = "".join(character for character in text if unicodedata.category(character) != "Cf").strip()
    address = _ADDRESS.fullmatch(text)
    return address["id"] if address else text


def is_id(text: str) -> bool:
    """Whether the Hub could have a model of this name."""
    return bool(_ID.fullmatch(text)) and "--" not in text and ".." not in text and not text.endswith(".git")


def check_revision(revision: str | None) -> None:
    """Refuses what can be neither a commit nor a branch or tag; it becomes part of a path.

    Raises:
        InputError: it is none.
    """
    if revision is not None and (len(revision) > 200 or ".." in revision or not _REVISION.fullmatch(revision)):
        raise InputError("error.hub_revision", got=_short(revision))


def folders(settings: Settings) -> tuple[str, ...]:
    """The models in the allowed folders and directly below them, as they are typed."""
    found = []
    for root in settings.folders:
        for folder in (root, *_below(root)):
            try:
                found.append(parse(f"{FOLDER}{folder}", settings).text)
            except InputError:
                continue
    return tuple(dict.fromkeys(found))


def _is_path(text: str) -> bool:
    begins = text.startswith(("/", "~", ".", FOLDER, "file:")) or bool(_DRIVE.match(text))
    return begins or "\\" in text or ".." in text.split("/")


def _folder(text: str, settings: Settings) -> HubName:
    if not settings.folders:
        raise InputError("error.hub_no_folders", got=_short(text))
    written = text.removeprefix(FOLDER).strip()
    # Without "folder:" only a whole path is taken: "./x" would depend on where the app was started, "~" on who did.
    readable = written and (written.startswith("/") or text.startswith(FOLDER) or _DRIVE.match(written))
    folder = _allowed(Path(written), settings) if readable and not written.startswith("~") else None
    if folder is None:
        raise InputError("error.hub_outside", got=_short(text))
    if not any((folder / name).is_file() for name in (CONFIG, ADAPTER)):
        raise InputError("error.hub_folder", got=_short(text))
    return HubName(_spelled(folder, settings), folder)


def _allowed(path: Path, settings: Settings) -> Path | None:
    """The folder that a path leads to, all links followed; None if that is outside of every allowed folder.

    A relative path belongs to the first allowed folder that has it, else to the first.
    """
    inside = [
        folder for root in settings.folders if (folder := _resolved(root / path)) and _is_inside(folder, settings)
    ]
    return next((folder for folder in inside if folder.is_dir()), inside[0] if inside else None)


def _resolved(path: Path) -> Path | None:
    try:
        if len(str(path)) > _LONGEST:
            return None
        folder = path.resolve()
        folder.is_dir()  # some file systems refuse a name only when asked
    except (OSError, ValueError, RuntimeError):  # too long, not encodable, links in a circle
        return None
    return folder


def _is_inside(folder: Path, settings: Settings) -> bool:
    return any(folder.is_relative_to(root) for root in settings.folders)


def _spelled(folder: Path, settings: Settings) -> str:
    """The short form, or the whole path if an earlier allowed folder has something of the same name."""
    for root in settings.folders:
        if folder.is_relative_to(root):
            below = folder.relative_to(root)
            if _allowed(below, settings) == folder:
                return f"{FOLDER}{below.as_posix()}"
    return f"{FOLDER}{folder.as_posix()}"


def _below(root: Path) -> list[Path]:
    try:
        return sorted(path for path in root.iterdir() if path.is_dir())
    except OSError:
        return []


def _short(text: str) -> str:
    """Enough of a text to recognise it in a sentence."""
    return text if len(text) <= 80 else f"{text[:79]}…"
