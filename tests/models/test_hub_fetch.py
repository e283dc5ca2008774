"""Downloads that end well, are cancelled, go on, or are shared: real processes, the real client, a real server."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

import mha_viz
from mha_viz.models.hub import names, remote
from mha_viz.models.hub.downloads import Downloads, Progress
from mha_viz.settings import Settings
from tests.models import hub_models
from tests.models.hub_place import NAME, WEIGHTS, child_of_this_process

ROOT = Path(__file__).resolve().parents[2]


def test_a_model_is_fetched_and_found(place, big):
    assert place.found() is None
    offer = place.start()
    seen = place.wait(offer)
    assert seen[-1] == Progress("done", offer.n_bytes, offer.n_bytes, None, 0.0)
    found = place.found()
    assert found is not None
    assert (found.revision, found.architecture) == (offer.revision, offer.architecture)
    for file in offer.files:
        assert (found.folder / file).read_bytes() == (big / file).read_bytes()
    assert place.ask().missing_bytes == 0


def test_the_hubs_own_client_finds_what_was_fetched(place, big):
    from huggingface_hub import hf_hub_download, scan_cache_dir

    place.fetch()
    commit = place.hub.commit(NAME.text)
    path = hf_hub_download(NAME.text, WEIGHTS, revision=commit, cache_dir=place.cache, local_files_only=True)
    assert Path(path).read_bytes() == (big / WEIGHTS).read_bytes()
    report = scan_cache_dir(place.cache)
    assert list(report.warnings) == []
    assert [model.repo_id for model in report.repos] == [NAME.text]


def test_what_the_hubs_own_client_fetched_is_found_and_not_fetched_again(place):
    from huggingface_hub import hf_hub_download

    for file in place.ask().files:
        hf_hub_download(NAME.text, file, cache_dir=place.cache, endpoint=place.hub.address, token=False)
    assert place.found() is not None
    place.hub.requests.clear()
    assert place.fetch().state == "done"
    assert place.hub.gets(WEIGHTS) == []


def test_the_count_only_rises_and_ends_at_the_total(place):
    place.hub.faults.slow = 1_000_000
    seen = place.wait(place.start())
    counts = [progress.done for progress in seen]
    assert counts == sorted(counts)
    assert counts[-1] == seen[-1].total
    assert len(set(counts)) > 4  # it moves in small steps
    assert max(progress.bytes_per_second for progress in seen) > 10_000


def test_cancelled_and_started_again_it_goes_on_where_it_was(place, big):
    place.hub.faults.slow = 300_000
    offer = place.start()
    place.wait(offer, lambda progress: progress.done > 200_000)
    place.downloads.cancel(offer.name, offer.revision)
    assert place.progress(offer).state == "cancelled"
    kept = place.growing().stat().st_size
    assert kept > 150_000
    assert place.found() is None
    place.hub.mend()
    again = place.ask()
    assert again.missing_bytes == (big / WEIGHTS).stat().st_size - kept
    place.hub.requests.clear()
    assert place.wait(place.start(again))[-1].state == "done"
    (request,) = place.hub.gets(WEIGHTS)
    assert (request.range, request.sent) == (f"bytes={kept}-", again.missing_bytes)
    found = place.found()
    assert found is not None
    assert found.weights[0].read_bytes() == (big / WEIGHTS).read_bytes()


@pytest.mark.parametrize("fault", [{"slow": 20_000}, {"hang_after": 100_000}, {"hang_at_once": True}], ids=str)
def test_a_download_is_cancelled_whatever_it_waits_for(place, fault):
    """The server lets go of nothing before the test ends; so ``cancel`` waits for no answer."""
    offer = place.ask()
    for name, value in fault.items():
        setattr(place.hub.faults, name, value)
    place.hub.requests.clear()
    place.start(offer)
    while not place.hub.requests:
        time.sleep(0.02)
    child = child_of_this_process()
    place.downloads.cancel(offer.name, offer.revision)
    assert place.progress(offer).state == "cancelled"
    assert not child.is_running()


def test_a_transfer_that_breaks_off_goes_on_by_itself(place, big):
    place.hub.faults.break_after, place.hub.faults.breaks = 100_000, 5
    assert place.fetch().state == "done"
    requests = place.hub.gets(WEIGHTS)
    assert len(requests) == 6
    assert all(request.range for request in requests[1:])
    assert sum(request.sent for request in requests) == (big / WEIGHTS).stat().st_size


def test_a_server_that_cannot_go_on_sends_all_again(place, big):
    place.hub.faults.slow, place.hub.faults.no_range = 300_000, True
    offer = place.start()
    place.wait(offer, lambda progress: progress.done > 150_000)
    place.downloads.cancel(offer.name, offer.revision)
    place.hub.faults.slow = 0
    place.hub.requests.clear()
    assert place.fetch().state == "done"
    (request,) = place.hub.gets(WEIGHTS)
    assert request.range is not None
    assert request.sent == (big / WEIGHTS).stat().st_size
    assert place.found() is not None


def test_all_sessions_share_one_download(place):
    place.hub.faults.slow = 300_000
    offer = place.start()
    for _ in range(3):
        place.start(offer)
    child_of_this_process()  # there is one
    place.downloads.forget(offer.name, offer.revision)  # it runs, so it stays
    assert place.wait(offer)[-1].state == "done"
    assert len(place.hub.gets(WEIGHTS)) == 1
    place.downloads.forget(offer.name, offer.revision)
    assert place.downloads.progress(offer.name, offer.revision) is None
    place.downloads.cancel(offer.name, offer.revision)  # nothing there, nothing happens


def test_two_run_at_a_time_and_a_third_is_told_so(place, big):
    place.hub.models |= {f"org/{number}": big for number in range(3)}
    place.hub.faults.slow = 50_000
    offers = [
        remote.ask(names.HubName(f"org/{number}"), None, Settings(), endpoint=place.hub.address, cache_dir=place.cache)
        for number in range(3)
    ]
    for offer in offers[:2]:
        place.start(offer)
    with pytest.raises(mha_viz.ModelError, match=r"2 models.*org/2") as caught:
        place.start(offers[2])
    assert caught.value.key == "error.hub_busy"
    place.downloads.cancel(offers[0].name, offers[0].revision)
    place.start(offers[2])
    assert place.progress(offers[2]).state == "running"


def test_two_processes_fetch_the_same_model_once_between_them(place, big):
    place.hub.faults.slow = 400_000
    other = Downloads(pause=0.01)
    offer = place.start()
    place.start(offer, other)
    assert place.wait(offer)[-1].state == "done"
    while (progress := other.progress(offer.name, offer.revision)) and progress.state == "running":
        time.sleep(0.02)
    assert progress is not None
    assert progress.state == "done"
    assert sum(request.sent for request in place.hub.gets(WEIGHTS)) == (big / WEIGHTS).stat().st_size
    assert place.found() is not None


ABANDONED = """
import os, sys, time
from mha_viz.models.hub import names, remote
from mha_viz.models.hub.downloads import downloads
from mha_viz.settings import Settings
offer = remote.ask(names.HubName("org/big"), None, Settings())
downloads().start(offer)
while downloads().progress(offer.name, offer.revision).done < 50_000: time.sleep(0.02)
time.sleep(1)  # by now it waits in silence, so it does not notice by writing to nobody
import psutil
print(psutil.Process().children()[0].pid, flush=True)
{end}
"""


@pytest.mark.parametrize("end", ["pass", "os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_download_ends_with_the_app_however_that_ends(place, tmp_path, end):
    place.hub.faults.slow, place.hub.faults.hang_after = 100_000, 70_000
    environment = {"HF_ENDPOINT": place.hub.address, "HF_HUB_CACHE": str(place.cache), "NO_PROXY": "*"}
    with subprocess.Popen(
        [sys.executable, "-c", ABANDONED.format(end=end)],
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a pipe would be the child's too, and stay open as long as that lives
        text=True,
    ) as app:
        assert app.stdout is not None
        told = app.stdout.read()
    try:
        child = psutil.Process(int(told))
    except psutil.NoSuchProcess:
        return
    child.wait(timeout=10)  # raises if it lives on; its own patience with a silent server is longer


def test_a_model_in_parts_is_fetched(place, tiny_folder, tmp_path):
    place.hub.models[NAME.text] = hub_models.sharded(hub_models.copy(tiny_folder, tmp_path / "parts"))
    assert place.fetch().state == "done"
    found = place.found()
    assert found is not None
    assert len(found.weights) == 2


def test_the_server_runs_by_itself_as_the_browser_tests_use_it(big, tmp_path):
    hub_models.copy(big, tmp_path / "models" / "org" / "big")
    hub_models.copy(big, tmp_path / "models" / "plain")
    command = [sys.executable, "-m", "tests.models.hub_server", str(tmp_path / "models"), "--slow", "1000000"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        try:
            for name in ("org/big", "plain"):
                offer = remote.ask(
                    names.HubName(name), None, Settings(), endpoint=address, cache_dir=tmp_path / "cache"
                )
                assert offer.missing_bytes == offer.n_bytes
        finally:
            server.terminate()
