"""What somebody may type or link as a model: ids, folders where they are allowed, and anything else as text in a sentence."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from mha_viz.models.hub.catalogue import LISTED
from tests.app.driver import (
    HEAD_PAGES,
    HEADS,
    assert_same,
    bodies,
    button,
    large_weights,
    opened,
    plain,
    said,
    shows,
    untroubled,
)
from tests.app.hub import TEXT, Computer, sentence, shown, typed, wanted
from tests.models import families, hub_models

_PAGES = pytest.mark.parametrize("page", HEAD_PAGES)
_MARKED = "![i](http://x.invalid/y.png)**b**:red[r]$x$<script>alert(1)</script>"
_NOT_IDS = [
    ("a b", "error.hub_id"),
    ("org/name/more", "error.hub_id"),
    ("org//name", "error.hub_id"),
    ("http://127.0.0.1:9/x", "error.hub_id"),
    ("a--b/c", "error.hub_id"),
    (_MARKED, "error.hub_id"),
    ("猫/模型", "error.hub_id"),
    ("x" * 300, "error.hub_id"),
    ("/etc", "error.hub_no_folders"),
    ("../../etc", "error.hub_no_folders"),
    ("~", "error.hub_no_folders"),
    ("C:\\models", "error.hub_no_folders"),
    ("folder:/etc", "error.hub_no_folders"),
    ("file:///etc/passwd", "error.hub_no_folders"),
    ("a/../../b", "error.hub_no_folders"),
]


def _named(name: str) -> str:
    return name if len(name) <= 80 else name[:79] + "…"


@pytest.mark.parametrize(("name", "key"), _NOT_IDS)
def test_a_link_to_what_is_no_id_gets_a_sentence_and_a_way_out(computer: Computer, name: str, key: str) -> None:
    computer.has("org/tiny")
    app = shown(name)
    assert untroubled(app)
    assert said(app) == [sentence(key, got=_named(name))]
    assert app.get("plotly_chart") == []
    button(app, "run.choose_another").click().run()
    assert said(app) == []
    assert len(bodies(app, "mha-model")) == len(LISTED)


@_PAGES
@pytest.mark.usefixtures("computer")
def test_markup_in_a_name_stays_text_on_every_page(page: str) -> None:
    app = shown(_MARKED, page)
    assert said(app) == [sentence("error.hub_id", got=_MARKED)]
    for kind in ("markdown", "caption", "info", "warning", "error"):
        for element in app.get(kind):
            unescaped = re.sub(r"\\.", "", str(getattr(element, "value", "")))
            assert "](" not in unescaped
            assert "<script" not in unescaped
    assert not [element for element in app.get("html") if "<script>" in element.proto.body]


@pytest.mark.parametrize("name", ["x" * 301, "a\nb", "a\x00b", "\u202eabc"])
@pytest.mark.usefixtures("computer")
def test_what_no_model_can_be_called_is_left_out_of_the_link(name: str) -> None:
    app = shown(name)
    assert untroubled(app)
    (told,) = said(app)
    assert told.startswith("The link")
    assert "model" in told
    assert len(bodies(app, "mha-model")) == len(LISTED)
    assert "model" not in app.query_params


@pytest.mark.parametrize("name", ["x" * 2_000, "a\nb", " ", "\u200b"])
@pytest.mark.usefixtures("computer")
def test_odd_names_may_be_typed_too(name: str) -> None:
    app = opened(HEADS, source="hub")
    typed(app, name).run()
    assert untroubled(app)
    assert len(said(app)) == 1
    button(app, "run.choose_another").click().run()
    assert said(app) == []


@pytest.mark.parametrize("revision", ["main", "../../x", "z" * 40, "A" * 40])
def test_a_version_that_cannot_be_one_is_told_and_left_out(computer: Computer, revision: str) -> None:
    commit = computer.has("org/tiny")
    app = shown("org/tiny", revision=revision)
    (told,) = said(app)
    assert "revision" in told
    assert revision in told
    shows(app, wanted("org/tiny", commit))


def test_an_old_short_name_means_the_model_that_it_meant(computer: Computer) -> None:
    commit = computer.has("openai-community/gpt2", "gpt2")
    shows(shown("gpt2"), wanted("openai-community/gpt2", commit))


# Folders


def _folder_app(name: str) -> AppTest:
    return opened(HEADS, source="hub", model=name, text=TEXT)


def test_models_of_allowed_folders_can_be_chosen(computer: Computer, tmp_path: Path) -> None:
    shutil.copytree(computer.family("albert"), tmp_path / "mine" / "small")
    hub_models.only_pickle(hub_models.copy(computer.family("bert"), tmp_path / "mine" / "pickled"))
    computer.set(FOLDERS=str(tmp_path / "mine"))
    app = opened(HEADS, source="hub", text=TEXT)
    assert app.selectbox(key="model").options == ["folder:small", *(listed.id for listed in LISTED)]
    app.selectbox(key="model").set_value("folder:small").run()
    shows(app, wanted("folder:small"))
    assert app.query_params == {"source": "hub", "model": "folder:small", "text": TEXT}
    assert plain(bodies(app, "mha-badge")[0]).count("folder:small") == 1
    shows(_folder_app("folder:small"), wanted("folder:small"))


def test_a_changed_file_is_another_model(computer: Computer, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "changing"
    shutil.copytree(computer.family("bert"), folder)
    computer.set(FOLDERS=str(tmp_path / "mine"))
    app = _folder_app("folder:changing")
    before = large_weights(app)
    hub_models.tripled(folder)
    app.run()
    after = large_weights(app)
    assert abs(after - before).max() > 1e-3
    assert_same(large_weights(_folder_app("folder:changing")), after)
    assert_same(after, wanted("folder:changing").large)


@pytest.mark.parametrize(
    "name", ["folder:../other", "folder:small/../../other", "/etc", "folder:/etc", "~/x", "./small"]
)
def test_no_name_leads_out_of_the_allowed_folders(computer: Computer, tmp_path: Path, name: str) -> None:
    for place in ("mine/small", "other"):
        shutil.copytree(computer.family("bert"), tmp_path / place)
    computer.set(FOLDERS=str(tmp_path / "mine"))
    app = _folder_app(name)
    assert untroubled(app)
    assert said(app) == [sentence("error.hub_outside", got=name)]
    assert app.get("plotly_chart") == []


def test_a_link_out_of_the_folder_is_not_followed(computer: Computer, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "out").symlink_to(computer.family("bert"))
    computer.set(FOLDERS=str(tmp_path / "mine"))
    assert said(_folder_app("folder:out")) == [sentence("error.hub_outside", got="folder:out")]


def test_a_folder_that_is_gone_has_a_sentence(computer: Computer, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    computer.set(FOLDERS=str(tmp_path / "mine"))
    assert said(_folder_app("folder:gone")) == [sentence("error.hub_folder", got="folder:gone")]


def test_a_folders_damaged_weights_are_named(computer: Computer, tmp_path: Path) -> None:
    hub_models.truncated(hub_models.copy(computer.family("bert"), tmp_path / "mine"), 100)
    computer.set(FOLDERS=str(tmp_path / "mine"))
    app = _folder_app("folder:.")
    assert said(app) == [sentence("error.hub_damaged_folder", name="folder:.", file="model.safetensors")]
    button(app, "run.choose_another").click().run()
    assert said(app) == []


def test_a_markdown_name_of_a_folder_is_text_everywhere(computer: Computer, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "![i](x.png) $x$ __b__"
    shutil.copytree(computer.family("bert"), folder)
    computer.set(FOLDERS=str(tmp_path / "mine"))
    app = _folder_app(f"folder:{folder.name}")
    assert said(app) == []
    helps = [box.help or "" for box in app.selectbox]
    assert not [text for text in helps if "![i]" in text]
    assert "![i](x.png) $x$ __b__" in plain(bodies(app, "mha-badge")[0])


# A model's own words


def test_a_special_token_that_is_markup_stays_text(computer: Computer, tmp_path: Path) -> None:
    odd = "`![i](http://x.invalid/y.png)`"
    folder = families.save(tmp_path / "mine", "bert")
    hub_models.edit_tokenizer(folder, additional_special_tokens=[odd])
    computer.set(FOLDERS=str(tmp_path / "mine"))
    app = opened(HEADS, source="hub", model="folder:.", text=f"the cat {odd}")
    assert untroubled(app)
    (toggle,) = [toggle for toggle in app.toggle if toggle.key == "special"]
    assert "![i](" not in toggle.label
    assert r"\!\[i\]\(" in toggle.label


# Settings


@_PAGES
@pytest.mark.parametrize("source", ["toy", "minilm", "hub"])
@pytest.mark.parametrize(("name", "value"), [("HUB", "maybe"), ("RESIDENT", "0"), ("FOLDERS", "/no/such/folder")])
def test_a_wrong_setting_is_named_on_every_page(
    computer: Computer, page: str, source: str, name: str, value: str
) -> None:
    computer.set(**{name: value})
    app = opened(page, source=source)
    assert untroubled(app)
    (told,) = said(app)
    assert f"MHA_VIZ_{name}" in told
    assert value in told
    assert app.get("plotly_chart") == []
    assert len(app.button) == 0
