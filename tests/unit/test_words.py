"""The table of words and the code fit together: no key is missing, none is left over, every place gets its value."""

from __future__ import annotations

import ast
import re
import string
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

import pytest

from mha_viz.masks import MASKS
from mha_viz.metrics import METRICS
from mha_viz.models import SOURCES
from mha_viz.models.toy.jobs import job_of
from mha_viz.ui.page_table import PAGES
from mha_viz.words import LANGUAGE, TABLES, say
from tests.unit.sentences import VALUE, joined

ROOT = Path(__file__).resolve().parents[2]
TABLE = TABLES[LANGUAGE]
SECTIONS = {key.split(".")[0] for key in TABLE}


class Use(NamedTuple):
    """One look-up in the code: where, which key (VALUE for what is filled in), which values; None if unknown."""

    place: str
    key: str
    values: frozenset[str] | None


def code() -> list[Path]:
    package = [path for path in (ROOT / "mha_viz").rglob("*.py") if "words" not in path.relative_to(ROOT).parts]
    return sorted([*package, *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"])


def uses() -> list[Use]:
    """Every ``say(...)``, ``Told(...)`` and error of the project with a string or f-string as key."""
    found = []
    for path in code():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            if node.func.id not in ("say", "Told") and not node.func.id.endswith("Error"):
                continue
            key = joined(node.args[0])
            if key is None:
                continue
            names = [keyword.arg for keyword in node.keywords]
            unknown = None in names or node.func.id == "Told"  # whose values are a mapping
            values = None if unknown else frozenset(name for name in names if name)
            found.append(Use(f"{path.relative_to(ROOT)}:{node.lineno}", key, values))
    return found


def matching(key: str) -> set[str]:
    """The keys of the table that a key with values in it can become."""
    pattern = re.compile("[^.]+".join(re.escape(part) for part in key.split(VALUE)))
    return {known for known in TABLE if pattern.fullmatch(known)}


def places(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


USES = uses()


def test_look_ups_are_found_in_every_room():
    rooms = {use.place.split(":")[0] for use in USES}
    assert {"mha_viz/controls.py", "mha_viz/figures/head.py", "mha_viz/ui/sidebar.py", "pages/heads.py"} <= rooms


@pytest.mark.parametrize("use", USES, ids=lambda use: f"{use.place} {use.key.replace(VALUE, '*')}")
def test_every_key_looked_up_exists_and_gets_its_values(use):
    keys = matching(use.key)
    assert keys, f"{use.place}: the table has no {use.key!r}"
    if use.values is None:
        return
    if VALUE in use.key:  # which of the keys it becomes is checked below, for each list that keys are made from
        assert any(places(TABLE[key]) <= use.values for key in keys)
    else:
        assert places(TABLE[use.key]) == use.values


def test_every_string_that_reads_like_a_key_is_one():
    """Also those that are kept in a variable before they are looked up."""
    reads_like_a_key = re.compile(rf"(?:{'|'.join(sorted(SECTIONS))})\.[a-z_.]+")
    strange = []
    for path in code():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                continue
            text = node.value
            is_other = text.endswith(
                (".", ".py", ".css", ".js", ".png", ".json", ".toml", ".safetensors")
            )  # the start of a key, or a file
            if reads_like_a_key.fullmatch(text) and text not in TABLE and not is_other:
                strange.append(f"{path.name}:{node.lineno} {text}")
    assert not strange


def test_every_key_of_the_table_is_used():
    used = set().union(*(matching(use.key) for use in USES))
    constants = {
        node.value
        for path in code()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(TABLE) - used - constants == set()


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_a_title_a_meaning_and_a_denominator(name):
    assert 1 <= len(say(f"metric.{name}")) <= 16  # it stands on a card and over a narrow column
    assert say(f"metric.{name}.denominator").endswith(".")
    assert say(f"metric.{name}.meaning").endswith(".")


def test_no_two_metrics_have_the_same_title():
    assert len({say(f"metric.{name}") for name in METRICS}) == len(METRICS)


@pytest.mark.parametrize("name", MASKS)
def test_every_mask_has_words_for_its_switch_and_its_numbers(name):
    assert say(f"mask.{name}")
    assert say(f"mask.{name}.help").endswith(".")
    for parameter in [field for field in fields(MASKS[name]) if field.metadata]:
        assert say(f"mask.{name}_{parameter.name}")


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_has_a_title(name):
    assert say(f"source.{name}")


@pytest.mark.parametrize("head", range(11))
def test_every_job_of_a_designed_head_is_named_and_explained(head):
    job = job_of(head)
    assert say(f"job.{job.kind}", distance=job.distance)
    assert say(f"job.{job.kind}.how", distance=job.distance).endswith(".")


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.name)
def test_every_page_has_a_title_a_description_and_a_door(entry):
    assert say(f"page.{entry.name}")
    assert say(f"page.{entry.name}.help").endswith(".")
    assert entry.default or say(f"page.{entry.name}.door")


@pytest.mark.parametrize("language", TABLES)
def test_all_languages_have_the_same_keys_with_the_same_places(language):
    assert {key: places(text) for key, text in TABLES[language].items()} == {
        key: places(text) for key, text in TABLE.items()
    }


@pytest.mark.parametrize("key", TABLE)
def test_every_place_of_a_sentence_has_a_name_and_the_sentence_is_not_blank(key):
    assert TABLE[key].strip()
    assert all(name.isidentifier() for name in places(TABLE[key]))


@pytest.mark.parametrize("key", [key for key in TABLE if key.startswith("error.")])
def test_every_error_is_a_whole_sentence(key):
    assert TABLE[key].endswith(".")
    assert len(TABLE[key].split()) > 4


def test_a_missing_value_or_key_is_a_mistake_that_shows():
    with pytest.raises(KeyError):
        say("no.such.key")
    with pytest.raises(KeyError):
        say("error.temperature")


def test_no_key_stands_in_two_files():
    """The second would silently take the first one's place."""
    found = [
        key
        for path in sorted((ROOT / "mha_viz/words/en").glob("*.py"))
        for key in re.findall(r'^    "([a-z_.A-Z0-9]+)":', path.read_text(), re.M)
    ]
    assert len(found) > 500
    assert [key for key in set(found) if found.count(key) > 1] == []
