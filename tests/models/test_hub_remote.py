"""Asking the Hub: the real client against a real server, and against networks that are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

import mha_viz
from mha_viz.models.hub import names, remote
from mha_viz.models.hub.remote import Offer
from mha_viz.settings import Settings
from tests.models import hub_models
from tests.models.hub_server import HubServer, etag_of

ANY = Settings()


@pytest.fixture
def ask(hub: HubServer, tmp_path: Path):
    def asked(text: str = "org/tiny", revision: str | None = None, settings: Settings = ANY) -> Offer:
        name = names.parse(text, settings)
        return remote.ask(name, revision, settings, endpoint=hub.address, cache_dir=tmp_path / "cache")

    return asked


def refusal(ask, *arguments: object, **options: object) -> mha_viz.ModelError:
    with pytest.raises(mha_viz.ModelError) as caught:
        ask(*arguments, **options)
    sentence = str(caught.value)
    assert "http" not in sentence
    assert "Traceback" not in sentence
    return caught.value


def test_what_the_hub_offers(hub, ask, tiny_folder, tmp_path):
    offer = ask()
    wanted = ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors")
    assert (offer.name, offer.revision, offer.files) == ("org/tiny", hub.commit("org/tiny"), wanted)
    assert offer.n_bytes == offer.missing_bytes == sum((tiny_folder / file).stat().st_size for file in wanted)
    assert offer.architecture.spec == mha_viz.ModelSpec("org/tiny", 3, 2, 16, 32)
    assert offer.free_bytes > 0
    assert not (tmp_path / "cache").exists()  # asking leaves nothing behind


def test_a_few_kilobytes_and_never_a_weight(hub, ask):
    ask()
    assert sum(request.sent for request in hub.requests) < 5_000
    assert [request for request in hub.requests if "safetensors" in request.path] == []


def test_nothing_but_what_a_model_needs_is_wanted(hub, ask, tmp_path, tiny_folder):
    folder = hub_models.copy(tiny_folder, tmp_path / "model")
    for file in (
        "README.md",
        "pytorch_model.bin",
        "tf_model.h5",
        "modeling.py",
        "model.fp16.safetensors",
        "training.pt",
    ):
        (folder / file).write_bytes(b"x")
    for file in ("vocab.txt", "merges.txt", "spiece.model", "added_tokens.json"):
        (folder / file).write_bytes(b"x")
    hub.models["org/tiny"] = folder
    expected = {"config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"}
    assert set(ask().files) == expected | {"vocab.txt", "merges.txt", "spiece.model", "added_tokens.json"}


def test_a_version_is_what_was_asked_for(hub, ask):
    commit = hub.commit("org/tiny")
    assert ask(revision="main").revision == ask(revision=commit).revision == commit
    assert refusal(ask, revision="0" * 40).key == "error.hub_no_revision"
    with pytest.raises(mha_viz.InputError):
        ask(revision="../x")


def test_weights_in_several_files(hub, ask, tmp_path, tiny_folder):
    folder = hub_models.sharded(hub_models.copy(tiny_folder, tmp_path / "parts"))
    hub.models["org/tiny"] = folder
    parts = tuple(f"model-0000{part}-of-00002.safetensors" for part in (1, 2))
    assert ask().files[-3:] == ("model.safetensors.index.json", *parts)
    (folder / parts[1]).unlink()
    problem = refusal(ask)
    assert (problem.key, problem.values["file"]) == ("error.hub_part_missing", parts[1])


def test_what_is_here_already_need_not_be_fetched(hub, ask, tiny_folder, tmp_path):
    whole = ask()
    blobs = tmp_path / "cache" / "models--org--tiny" / "blobs"
    blobs.mkdir(parents=True)
    weights, config = tiny_folder / "model.safetensors", tiny_folder / "config.json"
    (blobs / f"{etag_of(weights)}.incomplete").write_bytes(weights.read_bytes()[:7_000])
    (blobs / etag_of(config)).write_bytes(config.read_bytes())
    assert ask().missing_bytes == whole.n_bytes - 7_000 - config.stat().st_size


@pytest.mark.parametrize(
    ("status", "key"),
    [
        (401, "error.hub_not_found"),
        (404, "error.hub_not_found"),
        (403, "error.hub_refused"),
        (429, "error.hub_too_many"),
        (500, "error.hub_trouble"),
        (503, "error.hub_trouble"),
        (400, "error.hub_strange"),
        (418, "error.hub_strange"),
    ],
)
def test_each_refusal_has_its_own_sentence(hub, ask, status, key):
    hub.faults.status = status
    assert refusal(ask).key == key
    assert len(hub.requests) == 1  # it is not asked again behind the person's back


def test_an_unknown_model(ask):
    assert refusal(ask, "org/nothing").key == "error.hub_not_found"


def test_a_gated_model_says_how_to_get_it(hub, ask):
    hub.faults.gated = True
    problem = refusal(ask)
    assert problem.key == "error.hub_gated"
    assert "hf download org/tiny" in str(problem)


def test_a_gated_file_says_so_too(hub, ask):
    hub.faults.file_status, hub.faults.only = 403, "config.json"
    assert refusal(ask).key == "error.hub_refused"


def test_a_model_that_was_taken_down(hub, ask):
    hub.faults.disabled = True
    assert refusal(ask).key == "error.hub_disabled"


def test_a_login_page_is_not_the_hub(hub, ask):
    hub.faults.garbage = True
    assert refusal(ask).key == "error.hub_strange"


KINDS = [
    *hub_models.UNFIT,
    (lambda folder: (folder / "config.json").write_text("[]") and folder, "error.config_unreadable"),
    (lambda folder: (folder / "config.json").write_text("{") and folder, "error.config_unreadable"),
    (lambda folder: (folder / "config.json").rename(folder / "model_index.json").parent, "error.config_unreadable"),
]


@pytest.mark.parametrize(("make", "key"), KINDS, ids=[f"{number}-{key}" for number, (_, key) in enumerate(KINDS)])
def test_what_is_no_model_for_this_app_says_what_it_is(hub, ask, tmp_path, tiny_folder, make, key):
    hub.models["org/tiny"] = make(hub_models.copy(tiny_folder, tmp_path / "model"))
    assert refusal(ask).key == key


def test_too_big_for_the_setting(ask):
    problem = refusal(ask, settings=Settings(largest=10_000))
    assert problem.key == "error.hub_too_large"


def test_too_big_for_the_disk(hub, ask):
    hub.faults.sizes["model.safetensors"] = 10**16
    problem = refusal(ask, settings=Settings(largest=10**17))
    assert problem.key == "error.hub_no_space"
    assert float(str(problem.values["need"])) > float(str(problem.values["free"])) > 0


def test_the_setting_can_forbid_the_hub_or_all_but_the_list(hub, ask):
    assert refusal(ask, settings=Settings(hub="off")).key == "error.hub_off"
    assert refusal(ask, settings=Settings(hub="listed")).key == "error.hub_not_listed"
    assert hub.requests == []
    hub.models["albert/albert-base-v2"] = hub.models["org/tiny"]
    assert ask("albert-base-v2", settings=Settings(hub="listed")).name == "albert/albert-base-v2"


def test_no_account_is_used_even_where_one_is_signed_in(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_not_to_be_sent")
    sent = []

    handler = hub._server.RequestHandlerClass
    monkeypatch.setattr(handler, "log_message", lambda self, *_: sent.append(dict(self.headers)))
    remote.ask(names.HubName("org/tiny"), None, ANY, endpoint=hub.address, cache_dir=tmp_path)
    assert len(sent) == 2
    assert not [headers for headers in sent if "authorization" in {key.lower() for key in headers}]
