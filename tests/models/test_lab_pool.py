"""Labs in processes of their own: real ones, small."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from mha_viz.errors import InputError
from mha_viz.labs.lookups import run
from mha_viz.labs.plans import LookupOptions
from mha_viz.labs.pool import Pool, Training
from mha_viz.labs.registry import LABS

SMALL = LABS["lookups"].small
#: Far more than a test waits for: many short trainings, or one long one.
MANY = LookupOptions(heads=(1,), seeds=20, steps=100)
_PATIENCE = 120.0


@pytest.fixture
def pools() -> Iterator[Callable[..., Pool]]:
    made: list[Pool] = []

    def make(most: int = 1, grace: float = 15.0) -> Pool:
        made.append(Pool(most, grace))
        return made[-1]

    yield make
    for pool in made:
        pool.close()


def wait(until: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE
    while not until():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def process(training: Training) -> psutil.Process:
    assert training._child is not None
    return psutil.Process(training._child.pid)


def without_time(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def test_a_child_gives_the_rows_of_this_process_and_the_next_waits_for_it(pools):
    pool = pools(most=1)
    first, second = pool.start("lookups", SMALL), pool.start("lookups", MANY)
    assert (first.state, second.state) == ("running", "waiting")
    assert (pool.before(first), pool.before(second)) == (0, 1)
    assert not second.result().rows
    wait(lambda: second.state != "waiting")
    assert (first.state, first.share, first.error) == ("done", 1.0, None)
    result = first.result()
    assert result.whole
    assert result.live is None
    assert result.facts["command"] == "python -m mha_viz lab lookups --heads 1 2 --steps 40"
    here = [step.row for step in LABS["lookups"].run(SMALL) if step.row is not None]
    assert without_time(result.rows) == without_time(here)

    wait(lambda: bool(second.result().rows))
    assert 0 < second.share < 1
    assert pool.before(second) == 0
    child = process(second)
    assert child.nice() > psutil.Process().nice() or psutil.WINDOWS
    second.stop()
    stopped = second.result()
    assert second.state == "stopped"
    assert not stopped.whole
    assert 1 <= len(stopped.rows) < MANY.seeds
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
    second.stop()  # nothing more happens
    assert (second.state, len(second.result().rows)) == ("stopped", len(stopped.rows))


def test_a_training_of_somebody_who_has_gone_is_stopped_and_one_of_somebody_here_goes_on(pools):
    pool = pools(most=2, grace=0.4)
    here = True
    gone = pool.start("lookups", MANY, lambda: False)
    stays = pool.start("lookups", MANY, lambda: here)
    wait(lambda: not gone.active)
    assert gone.state == "stopped"
    assert gone.error is None
    assert stays.active
    here = False
    wait(lambda: not stays.active)
    assert stays.state == "stopped"


def test_a_child_that_is_killed_fails_with_a_sentence_and_keeps_its_rows(pools):
    training = pools().start("lookups", MANY)
    wait(lambda: bool(training.result().rows))
    os.kill(process(training).pid, signal.SIGTERM)
    wait(lambda: not training.active)
    assert training.state == "failed"
    assert "lookups" in str(training.error)
    assert "run it again" in str(training.error)
    assert training.result().rows
    assert not training.result().whole


def test_what_a_child_told_before_it_was_stopped_is_not_heard_afterwards(pools):
    training = pools().start("lookups", MANY)
    wait(lambda: training.result().live is not None)
    training.stop()
    before = training.result().rows
    training._hear({"share": 0.9, "row": {"late": 1}, "live": {"late": 1}})
    assert training.result().live is None
    assert training.result().rows == before
    assert training.share < 0.9


def test_an_error_of_the_lab_comes_through_in_its_own_words(pools):
    training = pools().start("lookups", LookupOptions(heads=(3,), steps=20))
    wait(lambda: not training.active)
    assert training.state == "failed"
    with pytest.raises(InputError) as here:
        list(run(LookupOptions(heads=(3,), steps=20)))
    assert str(training.error) == str(here.value)
    assert training.result().rows == ()


def test_one_that_waits_can_be_stopped_and_a_closed_pool_stops_all(pools):
    pool = pools(most=0)
    first, second = pool.start("lookups", SMALL), pool.start("lookups", SMALL)
    first.stop()
    assert (first.state, second.state, pool.before(second)) == ("stopped", "waiting", 1)
    pool.close()
    assert second.state == "stopped"
    assert first._child is None
    assert second._child is None


def test_an_unknown_lab_is_told_at_once(pools):
    with pytest.raises(InputError, match="lookups"):
        pools().start("nothing", SMALL)
