"""Downloads: real processes, the real client, a real server; what breaks, breaks for real."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

import mha_viz
from mha_viz.models.hub import local, names, remote
from mha_viz.models.hub.downloads import Downloads, Progress
from mha_viz.models.hub.remote import Offer
from mha_viz.settings import Settings
from tests.models import hub_models
from tests.models.hub_server import HubServer, etag_of

ROOT = Path(__file__).resolve().parents[2]
NAME = names.HubName("org/big")
WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def big(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of one megabyte."""
    return hub_models.padded(hub_models.copy(tiny_folder, tmp_path_factory.mktemp("big") / "model"))


class Place:
    """A Hub with one model, a cache of its own, and downloads between the two."""

    def __init__(self, hub: HubServer, cache: Path) -> None:
        self.hub, self.cache = hub, cache
        self.downloads = Downloads(pause=0.01)

    def ask(self) -> Offer:
        return remote.ask(NAME, None, Settings(), endpoint=self.hub.address, cache_dir=self.cache)

    def start(self, offer: Offer | None = None, downloads: Downloads | None = None) -> Offer:
        offer = offer or self.ask()
        (downloads or self.downloads).start(offer, endpoint=self.hub.address, cache_dir=self.cache)
        return offer

    def progress(self, offer: Offer) -> Progress:
        progress = self.downloads.progress(offer.name, offer.revision)
        assert progress is not None
        return progress

    def wait(self, offer: Offer, until: Callable[[Progress], bool] = lambda progress: False) -> list[Progress]:
        """Everything that was seen until the download ended, or ``until``."""
        seen = [self.progress(offer)]
        while seen[-1].state == "running" and not until(seen[-1]):
            time.sleep(0.02)
            seen.append(self.progress(offer))
        return seen

    def fetch(self) -> Progress:
        return self.wait(self.start())[-1]

    def found(self) -> local.Found | None:
        return local.find(NAME, None, Settings(), cache_dir=self.cache)

    def growing(self) -> Path:
        folder = self.cache / "models--org--big" / "blobs"
        return folder / f"{etag_of(self.hub.models[NAME.text] / WEIGHTS)}.incomplete"


@pytest.fixture
def place(big: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    from huggingface_hub.utils._http import close_session

    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "*")
    close_session()
    with HubServer({NAME.text: big}) as hub:
        place = Place(hub, tmp_path / "cache")
        yield place
        place.downloads.close()
    close_session()


def failed(progress: Progress, key: str) -> str:
    assert progress.state == "failed"
    assert progress.error is not None
    assert progress.error.key == key
    return str(progress.error)


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


def child_of_this_process() -> psutil.Process:
    (child,) = [child for child in psutil.Process().children() if "mha_viz.models.hub.fetch" in child.cmdline()]
    return child


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


def test_a_transfer_that_gets_nowhere_is_given_up_and_what_came_is_kept(place):
    place.hub.faults.break_after = 0
    assert "kept" in failed(place.fetch(), "error.hub_broken_off")
    place.hub.mend()
    assert place.fetch().state == "done"


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
import psutil
print(psutil.Process().children()[0].pid, flush=True)
{end}
"""


@pytest.mark.parametrize("end", ["pass", "os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_download_ends_with_the_app_however_that_ends(place, tmp_path, end):
    place.hub.faults.slow = 50_000
    environment = {"HF_ENDPOINT": place.hub.address, "HF_HUB_CACHE": str(place.cache), "NO_PROXY": "*"}
    code = ABANDONED.format(end=end)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    try:
        child = psutil.Process(int(done.stdout))
    except psutil.NoSuchProcess:
        return
    child.wait(timeout=30)  # raises if it lives on


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
