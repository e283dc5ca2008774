"""What may be typed to name a model, and that no text leads out of the allowed folders."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]
from hypothesis import example, given
from hypothesis import strategies as st

import mha_viz
from mha_viz.models.hub import local, names
from mha_viz.models.hub.catalogue import LISTED
from mha_viz.settings import Settings
from mha_viz.words import say


@pytest.fixture
def root(tmp_path: Path, tiny_folder: Path) -> Path:
    """An allowed folder with two models; beside it, not allowed, a third."""
    for place in ("allowed/tiny", "allowed/deep/er", "secret"):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        for file in tiny_folder.iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
    return (tmp_path / "allowed").resolve()


@pytest.fixture
def allowed(root: Path) -> Settings:
    return Settings(folders=(root,))


def refused(text: str, settings: Settings) -> mha_viz.InputError:
    with pytest.raises(mha_viz.InputError) as caught:
        names.parse(text, settings)
    assert str(caught.value)
    return caught.value


def theirs(text: str) -> bool:
    try:
        validate_repo_id(text)
    except HFValidationError:
        return False
    return True


@given(st.text(st.sampled_from("aZ09-_./\\ é猫\n:%\x00"), max_size=12))
@example("a" * 96 + "/" + "b" * 96)
@example("a" * 97)
@example("x.git")
@example("a--b")
@example("a..b")
@example("datasets/foo/bar")
@example("_x")
@example("x\n")
def test_an_id_is_what_the_hubs_own_client_takes_for_one(text):
    assert names.is_id(text) == theirs(text)


@pytest.mark.parametrize("listed", LISTED, ids=lambda listed: listed.id)
def test_the_short_list_has_full_ids_sizes_and_words(listed):
    assert names.parse(listed.id, Settings()).text == listed.id
    assert names.parse(listed.id.split("/")[1], Settings()).text == listed.id  # as it was called before it had an owner
    assert listed.id.count("/") == 1
    assert 10 < listed.megabytes < 1_000
    assert listed.language in ("en", "zh", "many")
    assert listed.good_for == say(f"listed.{listed.key}")


def test_spaces_around_an_id_are_nothing():
    assert names.parse("  org/name \n", Settings()) == names.HubName("org/name")


@pytest.mark.parametrize("text", ["a/b/c", "a b", "https://huggingface.co/gpt2", "x" * 200, "a/%2e%2e", "é", "a\x00b"])
def test_what_is_no_id_is_answered_with_what_one_looks_like(text):
    problem = refused(text, Settings())
    assert problem.key == "error.hub_id"
    assert "google-bert/bert-base-uncased" in str(problem)
    assert len(str(problem)) < 400


def test_nothing_typed():
    assert refused(" \t", Settings()).key == "error.hub_no_name"


PATHS = [
    "/etc",
    "/no/such/place",
    "./x",
    "../x",
    "~",
    "~root/x",
    "C:\\x",
    "c:/x",
    "a\\b",
    "file:///etc",
    "a/../b",
    ".",
    "..",
]
PATHS += ["folder:x", "folder:/etc", "folder:", "folder:..", "\\\\server\\share"]


@pytest.mark.parametrize("text", PATHS)
def test_no_path_is_taken_where_no_folder_is_allowed(text):
    assert refused(text, Settings()).key == "error.hub_no_folders"


@pytest.mark.parametrize(
    "text", ["folder:tiny", "folder:./tiny", " folder:tiny/ ", "folder:deep/../tiny", "{root}/tiny"]
)
def test_a_folder_below_an_allowed_one_is_found_however_it_is_written(root, allowed, text):
    name = names.parse(text.format(root=root), allowed)
    assert name == names.HubName("folder:tiny", root / "tiny")
    assert names.parse(name.text, allowed) == name  # what is shown can be typed


def test_an_id_never_opens_a_folder(root, allowed, monkeypatch):
    monkeypatch.chdir(root)
    assert names.parse("tiny", allowed).folder is None
    assert names.parse("deep/er", allowed).folder is None
    assert local.find(names.parse("tiny", allowed), None, allowed, cache_dir=root / "no-cache") is None


OUTSIDE = ["../secret", "tiny/../../secret", "{outside}/secret", "/etc", "/no/such/place", "~", "~/x", "\x00", "a\x00b"]
OUTSIDE += ["x" * 5_000, "\ud800", "tiny/../../no-such"]


@pytest.mark.parametrize("text", OUTSIDE)
def test_no_path_leads_outside_and_the_sentence_does_not_tell_what_is_there(root, allowed, text):
    problem = refused("folder:" + text.format(outside=root.parent), allowed)
    assert problem.key == "error.hub_outside"
    assert set(problem.values) == {"got"}


@pytest.mark.parametrize("text", ["./tiny", "../allowed/tiny", "~/tiny", "file://{root}/tiny", "\\tiny", "..\\secret"])
def test_what_depends_on_where_the_app_was_started_is_no_path(root, allowed, text, monkeypatch):
    monkeypatch.chdir(root)
    monkeypatch.setenv("HOME", str(root))
    assert refused(text.format(root=root), allowed).key == "error.hub_outside"


@pytest.mark.parametrize("text", ["%2e%2e/secret", "..%2fsecret", "tiny%00", "no-such", "．．/secret", "deep"])
def test_signs_that_only_look_like_a_way_out_are_names_of_nothing(root, allowed, text):
    assert refused(f"folder:{text}", allowed).key == "error.hub_folder"


@pytest.mark.parametrize("target", ["secret", "no-such"])
def test_a_link_that_leads_outside_is_outside(root, allowed, target):
    (root / "link").symlink_to(root.parent / target)
    assert refused("folder:link", allowed).key == "error.hub_outside"
    (root / "up").symlink_to(root.parent)
    assert refused(f"folder:up/{target}", allowed).key == "error.hub_outside"
    assert "folder:link" not in names.folders(allowed)


def test_links_in_a_circle_are_outside(root, allowed):
    (root / "a").symlink_to(root / "b")
    (root / "b").symlink_to(root / "a")
    assert refused("folder:a/x", allowed).key in ("error.hub_outside", "error.hub_folder")


def test_a_link_that_stays_inside_is_the_folder_it_leads_to(root, allowed):
    (root / "link").symlink_to(root / "deep" / "er")
    assert names.parse("folder:link", allowed) == names.HubName("folder:deep/er", root / "deep" / "er")


@given(st.text(max_size=40))
@example("../secret/.")
def test_whatever_is_typed_stays_inside_or_is_refused(tmp_path_factory, text):
    root = tmp_path_factory.getbasetemp().resolve()
    settings = Settings(folders=(root,))
    for written in (text, f"folder:{text}", f"folder:../{text}", f"{root}/{text}"):
        with contextlib.suppress(mha_viz.InputError):
            name = names.parse(written, settings)
            assert name.folder is None or name.folder.is_relative_to(root)


def test_the_list_of_folders_can_be_typed(root, allowed):
    assert names.folders(allowed) == ("folder:tiny",)  # deep/er is two below
    assert names.folders(Settings()) == ()
    itself = Settings(folders=(root / "tiny",))
    assert names.folders(itself) == ("folder:.",)
    assert names.parse("folder:.", itself).folder == root / "tiny"


def test_of_two_folders_of_one_name_the_second_is_written_in_full(root):
    second = root / "deep" / "second"
    os.renames(root / "deep" / "er", second / "tiny")
    both = Settings(folders=(root, second))
    assert names.folders(both) == ("folder:tiny", "folder:deep/second/tiny")
    apart = Settings(folders=(second, root))
    assert names.folders(apart) == ("folder:tiny", f"folder:{root}/tiny")
    assert [names.parse(text, apart).folder for text in names.folders(apart)] == [second / "tiny", root / "tiny"]


@pytest.mark.parametrize("text", ["main", "refs/pr/4", "v1.0", "a" * 40])
def test_versions(text):
    names.check_revision(text)
    names.check_revision(None)


@pytest.mark.parametrize(
    "text", ["", "..", "../../x", "/x", "a//b", "a/", "-x", "a b", "x\n", "é", "a" * 201, "a\\b", "~"]
)
def test_what_can_be_no_version_is_refused(text):
    with pytest.raises(mha_viz.InputError) as caught:
        names.check_revision(text)
    assert caught.value.key == "error.hub_revision"


@pytest.mark.parametrize(
    "pasted",
    [
        "https://huggingface.co/google/some-bert",
        "huggingface.co/google/some-bert/tree/main",
        "http://www.huggingface.co/google/some-bert?library=transformers",
        " google/some\u200b-bert\u2060 ",
    ],
)
def test_an_address_and_invisible_characters_are_taken_for_the_id_they_hold(pasted):
    assert names.parse(pasted, Settings()).text == "google/some-bert"


@pytest.mark.parametrize("foreign", ["https://example.com/google/some-bert", "https://huggingface.co/"])
def test_another_address_is_no_id(foreign):
    with pytest.raises(mha_viz.InputError):
        names.parse(foreign, Settings())
