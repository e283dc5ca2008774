"""The grid of 12 heads x 20 tokens in a browser, against the same heads in 12 charts of their own."""

from __future__ import annotations

import contextlib
import pickle
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, Error, sync_playwright

from tests.benchmarks import both_ways
from tests.benchmarks.report import ratios, table, verdict
from tests.benchmarks.served import Rerun, Served
from tests.serving import BROWSER_ARGUMENTS, chromium

TOKENS = 20
ROUNDS, WARM_UPS = 12, 2
#: The apps that are measured in turn.
GRID, LABELLED, BARE = "grid", "labelled", "bare"
SOCKET_BYTES, SERVER_MILLISECONDS, PAINTED_RATIO = 45_000, 30.0, 0.5

Measured = dict[str, Sequence[Rerun]]


def main() -> None:
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=chromium(), args=BROWSER_ARGUMENTS)
        except Error as problem:
            print(f"\nThe grid is not measured: Chromium cannot be started ({problem.message.splitlines()[0]}).")
            return
        measured = _measure(browser)
        browser.close()
    _print(measured)


def _measure(browser: Browser) -> Measured:
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        trace = folder / "trace.pickle"
        model = both_ways.open_ours()
        trace.write_bytes(pickle.dumps(model.run(both_ways.sequence(model, TOKENS))))
        apps = {app: Served(app, browser, trace, folder / f"{app}.log", stack) for app in (GRID, LABELLED, BARE)}
        rounds = [{app: served.rerun() for app, served in apps.items()} for _ in range(WARM_UPS + ROUNDS)]
    return {app: [reruns[app] for reruns in rounds[WARM_UPS:]] for app in apps}


def _print(measured: Measured) -> None:
    socket = statistics.median(rerun.socket for rerun in measured[GRID])
    server = statistics.median(rerun.server for rerun in measured[GRID])
    painted = ratios(*([rerun.painted for rerun in measured[app]] for app in (GRID, LABELLED)))
    rows = [
        (*_row(measured, "socket", LABELLED), f"< {SOCKET_BYTES} bytes", verdict(socket < SOCKET_BYTES)),
        (*_row(measured, "server", LABELLED), f"< {SERVER_MILLISECONDS} ms", verdict(server < SERVER_MILLISECONDS)),
        (*_row(measured, "painted", LABELLED), f"ratio < {PAINTED_RATIO}", verdict(painted.median < PAINTED_RATIO)),
        (*_row(measured, "painted", BARE), "", ""),
    ]
    header = ("a new layer", "against", "grid", "12 charts", "ratio", "min..max", "target", "")
    table(f"12 heads x {TOKENS} tokens: one figure against 12 charts ({ROUNDS} rounds, in turn)", header, rows)
    print("  socket: bytes of a rerun; server: building and sending, ms; painted: from the click, ms;")
    print("  labelled: each chart with its tokens on its axes; bare: on hover only, as in the grid", flush=True)


def _row(measured: Measured, what: str, other: str) -> tuple[object, ...]:
    """Both medians, and the ratio of the rounds with its span."""
    ours, theirs = ([float(getattr(rerun, what)) for rerun in measured[app]] for app in (GRID, other))
    ratio = ratios(ours, theirs)
    medians = (f"{statistics.median(values):.{1 if what == 'server' else 0}f}" for values in (ours, theirs))
    return (what, other, *medians, ratio, ratio.span)


if __name__ == "__main__":
    main()
