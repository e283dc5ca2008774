"""Downloads that fail: what breaks, breaks for real, and each says what to do next."""

from __future__ import annotations

import os
import signal
import sys

import pytest

import mha_viz
from mha_viz.models.hub import remote
from mha_viz.models.hub.downloads import Downloads
from mha_viz.settings import Settings
from tests.models import hub_models
from tests.models.hub_place import NAME, WEIGHTS, child_of_this_process, failed
from tests.models.hub_server import HubServer


def test_a_transfer_that_gets_nowhere_is_given_up_and_what_came_is_kept(place):
    place.hub.faults.break_after = 0
    assert "kept" in failed(place.fetch(), "error.hub_broken_off")
    place.hub.mend()
    assert place.fetch().state == "done"


def test_silence_ends_a_download(place):
    place.hub.faults.hang_after = 100_000
    place.downloads = Downloads(stall=2.0)
    assert "2 seconds" in failed(place.fetch(), "error.hub_stalled")


def test_wrong_bytes_are_thrown_away_and_fetched_anew(place):
    place.hub.faults.wrong_bytes = True
    assert WEIGHTS in failed(place.fetch(), "error.hub_wrong_bytes")
    assert not place.growing().exists()
    assert place.found() is None
    place.hub.mend()
    assert place.fetch().state == "done"
    assert place.hub.gets(WEIGHTS)[0].range is None
    assert place.found() is not None


def test_wrong_bytes_of_a_small_file_are_noticed_too(place):
    place.hub.faults.wrong_bytes, place.hub.faults.only = True, "tokenizer.json"
    assert "tokenizer.json" in failed(place.fetch(), "error.hub_wrong_bytes")


def test_a_wrong_beginning_from_an_earlier_start_is_noticed(place):
    offer = place.ask()
    place.growing().parent.mkdir(parents=True)
    place.growing().write_bytes(b"x" * 50_000)
    failed(place.wait(place.start(offer))[-1], "error.hub_wrong_bytes")
    assert place.fetch().state == "done"


@pytest.mark.parametrize(
    "damage", [lambda body: body[:-1_000], lambda body: b"\xff" * 8 + body[8:]], ids=["cut", "head"]
)
def test_fetching_again_replaces_a_damaged_file(place, big, damage):
    place.fetch()
    blob = place.growing().with_suffix("")
    blob.write_bytes(damage(blob.read_bytes()))
    with pytest.raises(mha_viz.ModelError) as caught:
        place.found()
    assert caught.value.key == "error.hub_damaged"
    assert place.fetch().state == "done"
    found = place.found()
    assert found is not None
    assert found.weights[0].read_bytes() == (big / WEIGHTS).read_bytes()


@pytest.mark.parametrize(
    ("status", "key"),
    [(401, "not_found"), (403, "refused"), (404, "not_found"), (429, "too_many"), (500, "trouble"), (503, "trouble")],
)
def test_a_file_that_is_refused_in_the_middle(place, status, key):
    place.hub.faults.file_status = status
    failed(place.fetch(), f"error.hub_{key}")


def test_a_file_that_is_gone(place, big, tmp_path):
    folder = hub_models.copy(big, tmp_path / "model")
    place.hub.models[NAME.text] = folder
    place.hub.commits[NAME.text] = "c" * 40
    offer = place.ask()
    (folder / WEIGHTS).unlink()
    failed(place.wait(place.start(offer))[-1], "error.hub_file_gone")


def test_a_network_that_goes_away(place, big, tmp_path):
    with HubServer({NAME.text: big}) as gone:
        offer = remote.ask(NAME, None, Settings(), endpoint=gone.address, cache_dir=place.cache)
    place.downloads.start(offer, endpoint=gone.address, cache_dir=place.cache)
    failed(place.wait(offer)[-1], "error.hub_no_network")


def test_offline_is_respected(place, monkeypatch):
    offer = place.ask()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    failed(place.wait(place.start(offer))[-1], "error.hub_offline")


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process")
def test_a_disk_that_is_full_is_said_and_what_came_is_kept(place):
    """No file may grow beyond a limit: the same refused write as on a full disk, from the same system call."""
    import resource

    offer = place.ask()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
        place.start(offer)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    failed(place.wait(offer)[-1], "error.hub_disk_full")
    assert 0 < place.growing().stat().st_size <= 300_000
    assert place.fetch().state == "done"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is forbidden to the superuser")
def test_a_cache_that_may_not_be_written_to(place):
    place.cache.mkdir()
    place.cache.chmod(0o500)
    failed(place.fetch(), "error.hub_not_writable")
    place.cache.chmod(0o700)


def test_a_cache_that_is_no_folder(place):
    offer = place.ask()
    place.cache.write_text("in the way")
    assert "HF_HOME" in failed(place.wait(place.start(offer))[-1], "error.hub_not_kept")


def test_a_child_that_is_killed_is_noticed(place):
    place.hub.faults.slow = 50_000
    offer = place.start()
    place.wait(offer, lambda progress: progress.done > 10_000)
    os.kill(child_of_this_process().pid, signal.SIGTERM)
    failed(place.wait(offer)[-1], "error.hub_fetch_ended")
