"""Finds text for people that is written in code, where only the table of words may hold it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

#: Stands for a value in a string that is put together.
VALUE = "\x00"

_TAG = re.compile(r"<!?/?[A-Za-z][^<>]*>|<[A-Za-z/][^<>]*$|^[^<>]*>", re.DOTALL)
_READ_ALOUD = re.compile(r"\b(?:title|alt|aria-label|placeholder)\s*=\s*(?:'([^']*)'|\"([^\"]*)\")")
_ICON = re.compile(r":[a-z]+/[a-z_]+:")
_WORDS = re.compile(r"[^\W\d_]{2,}(?:['’][^\W\d_]+)?[,;:.!?]?\s+(?:[^\W\d_]\s+)?[^\W\d_]{2,}")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]{2,}")
_LETTERS = re.compile(r"[^\W\d_]{2,}")

#: Calls whose first argument people read, whatever it is called on: st, a column, the sidebar.
_SHOWING = frozenset(
    """
    button badge caption checkbox code color_picker data_editor date_input download_button error exception expander feedback
    file_uploader form_submit_button header html info latex link_button markdown menu_button metric multiselect number_input
    page_link pills popover progress radio segmented_control select_slider selectbox slider spinner status subheader success
    tabs text text_area text_input time_input title toast toggle warning write
    """.split()  # noqa: SIM905 - one string reads better than fifty
)
#: Arguments and entries that people read wherever they are given.
_READ = frozenset(
    {"alt", "body", "caption", "help", "hovertemplate", "hovertext", "label", "page_title", "placeholder"}
)
_READ |= {"text", "ticktext", "title", "tooltip"}


class Found(NamedTuple):
    """Text in code: its line and what it says."""

    line: int
    text: str


def shown_part(text: str) -> str:
    """What is left of a string for people to read: markup, icons and values taken out."""
    aloud = " | ".join(first or second for first, second in _READ_ALOUD.findall(text))
    return _ICON.sub(" ", f"{_TAG.sub(' ', text)} | {aloud}").replace(VALUE, " ~ ")


def is_sentence(text: str) -> bool:
    """Whether a string holds two or more words for people."""
    shown = shown_part(text)
    return bool(_WORDS.search(shown) or _IDEOGRAPHS.search(shown))


def in_python(source: str, keys: frozenset[str] = frozenset()) -> list[Found]:
    """Sentences, and labels handed to what draws them; docstrings and ``keys`` excepted."""
    tree = ast.parse(source)
    skipped = _docstrings(tree)
    found = {
        Found(node.lineno, text) for node, text in _strings(tree, skipped) if text not in keys and is_sentence(text)
    }
    for node in _read_by_people(tree):
        text = str(joined(node))
        if text not in keys and _LETTERS.search(shown_part(text)):
            found.add(Found(node.lineno, text))
    return sorted(found)


def in_javascript(source: str) -> list[Found]:
    """Quoted strings of several words; comments excepted."""
    pattern = re.compile(
        r"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)",
        re.DOTALL,
    )
    found = []
    for match in pattern.finditer(source):
        text = re.sub(r"\$\{[^}]*\}", VALUE, (match["text"] or "")[1:-1])
        if is_sentence(text):
            found.append(Found(source.count("\n", 0, match.start()) + 1, text))
    return found


def in_css(source: str) -> list[Found]:
    """Texts that a style sheet puts on the page."""
    source = re.sub(r"/\*.*?\*/", lambda match: "\n" * match[0].count("\n"), source, flags=re.DOTALL)
    contents = re.finditer(r"\bcontent\s*:\s*(?:\"([^\"]*)\"|'([^']*)')", source)
    return [
        Found(source.count("\n", 0, match.start()) + 1, match[1] or match[2] or "")
        for match in contents
        if _LETTERS.search(match[1] or match[2] or "")
    ]


def in_file(path: Path, keys: frozenset[str] = frozenset()) -> list[Found]:
    """By the file's kind."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return in_python(source, keys)
    return in_javascript(source) if path.suffix == ".js" else in_css(source)


def joined(node: ast.AST) -> str | None:
    """The text of a string or f-string, with VALUE for each value; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(VALUE if isinstance(part, ast.FormattedValue) else str(joined(part)) for part in node.values)
    return None


def _strings(tree: ast.AST, skipped: set[int]) -> Iterator[tuple[ast.expr, str]]:
    """Each string once, an f-string as a whole."""
    if id(tree) in skipped:
        return
    text = joined(tree)
    if text is not None and isinstance(tree, ast.expr):
        yield tree, text
        if isinstance(tree, ast.JoinedStr):
            for part in tree.values:
                if isinstance(part, ast.FormattedValue):  # strings inside a value; its format is none
                    yield from _strings(part.value, skipped)
        return
    for child in ast.iter_child_nodes(tree):
        yield from _strings(child, skipped)


def _docstrings(tree: ast.AST) -> set[int]:
    """Strings that stand as a statement of their own."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and joined(node.value) is not None}


def _read_by_people(tree: ast.AST) -> Iterator[ast.expr]:
    """Strings written where only text for people stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in _SHOWING and node.args:
                yield from _literals(node.args[0])
            for keyword in node.keywords:
                if keyword.arg in _READ:
                    yield from _literals(keyword.value)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in _READ:
                    yield from _literals(value)


def _literals(node: ast.expr) -> Iterator[ast.expr]:
    """The node itself if it is a string, or the strings that it is put together from."""
    if joined(node) is not None:
        yield node
    elif isinstance(node, ast.BinOp):
        yield from _literals(node.left)
        yield from _literals(node.right)
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)
    elif isinstance(node, ast.List | ast.Tuple):
        for element in node.elts:
            yield from _literals(element)
