"""All heads of all layers: from a changed control to the painted overview, another head opened, and the numbers of all heads."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from playwright.sync_api import Browser, Error, sync_playwright

from mha_viz.analysis.distances import all_distances
from mha_viz.analysis.types import title_of, types_of
from mha_viz.figures import theme
from mha_viz.figures.overview import Caption, Thumbnails, most_side, payload
from mha_viz.metrics import even_values, layers_of, measured
from tests.benchmarks import both_ways
from tests.benchmarks.report import interleaved, milliseconds, ratios, seconds, table, verdict
from tests.benchmarks.visit import Painted, Visit, sentence
from tests.serving import BROWSER_ARGUMENTS, chromium, served

LENGTHS = (16, 64, 128, 256, 512)
#: The length that the others are held against, and the longest.
SHORT, LONG = LENGTHS[0], LENGTHS[-1]
ROUNDS = 4
#: Beyond the forward pass, milliseconds; opening a head, milliseconds and bytes; bytes of so many heads.
BEYOND, OPEN, OPEN_BYTES = 300.0, 500.0, 450_000
PAYLOADS = {72: (6, 12, 100_000), 144: (12, 12, 180_000)}
#: Numbers of all heads against the forward pass.
NUMBERS, PAIRS, LONGEST = 0.7, 5, 20.0


def main() -> None:
    _payloads()
    _numbers()
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=chromium(), args=BROWSER_ARGUMENTS)
        except Error as problem:
            print(f"\nThe overview is not measured: Chromium cannot be started ({problem.message.splitlines()[0]}).")
            return
        with tempfile.TemporaryDirectory() as name, served(Path(name) / "log.txt") as address:
            warmed, opened = _visit(browser, address)
        browser.close()
    _print_warmed(warmed)
    _print_opened(opened)


class Paired(NamedTuple):
    """Of one round: a length, and the shortest text right before it."""

    short: Painted
    this: Painted


def _visit(browser: Browser, address: str) -> tuple[dict[int, list[Paired]], list[Painted]]:
    """Two tabs of one app, in turn: the shortest text and another one, so that what else the machine does falls on both."""
    short, other = Visit(browser, address), Visit(browser, address)
    warmed: dict[int, list[Paired]] = {}
    for number, n_tokens in enumerate(LENGTHS[1:]):
        key = ("ArrowRight", "ArrowLeft")[number % 2]  # there and back; with another sentence every step is new
        short.types(sentence(SHORT, number))
        other.types(sentence(n_tokens))
        warmed[n_tokens] = [Paired(short.warms(key), other.warms(key)) for _ in range(ROUNDS + 1)][1:]
    opened = [other.opens(2, 3 + head) for head in range(ROUNDS + 1)]
    short.close()
    other.close()
    return warmed, opened[1:]


def _print_warmed(warmed: dict[int, list[Paired]]) -> None:
    shortest = [pair.short for pairs in warmed.values() for pair in pairs]
    rows = [_warmed_row(SHORT, shortest, "")]
    for n_tokens, pairs in warmed.items():
        flat = ratios([pair.this.beyond for pair in pairs], [pair.short.beyond for pair in pairs])
        rows.append(_warmed_row(n_tokens, [pair.this for pair in pairs], f"{flat} ({flat.span})"))
    header = ("tokens", "painted ms", "forward ms", "beyond ms", "least..most", "of it unsent", f"beyond, to {SHORT}")
    table(
        f"Overview of 72 heads, from a key on the temperature to the paint ({ROUNDS} rounds)",
        (*header, "picture bytes", "all bytes", f"< {BEYOND:.0f} ms", f"< {PAYLOADS[72][2]} bytes"),
        rows,
    )
    print("  picture: the message with the overview, its script included; all: also the second one, with the numbers")


def _warmed_row(n_tokens: int, rounds: Sequence[Painted], flat: str) -> tuple[object, ...]:
    beyond = [one.beyond for one in rounds]
    picture = max(one.picture for one in rounds)
    return (
        n_tokens,
        _median(one.painted for one in rounds),
        _median(one.forward for one in rounds),
        f"{statistics.median(beyond):.0f}",
        f"{min(beyond):.0f}..{max(beyond):.0f}",
        _median(one.waited for one in rounds),
        flat,
        picture,
        _median(one.socket for one in rounds),
        verdict(statistics.median(beyond) < BEYOND),
        verdict(picture < PAYLOADS[72][2]),
    )


def _print_opened(opened: Sequence[Painted]) -> None:
    took, most = statistics.median(one.painted for one in opened), max(one.socket for one in opened)
    passes = sum(one.made for one in opened)
    rows = [
        ("milliseconds", f"{took:.0f}", _span(one.painted for one in opened), f"< {OPEN:.0f}", verdict(took < OPEN)),
        ("all bytes", most, _span(one.socket for one in opened), f"< {OPEN_BYTES}", verdict(most < OPEN_BYTES)),
        ("forward passes", passes, "", 0, verdict(passes == 0)),
    ]
    table(f"Another head, by a click, {LONG} tokens ({len(opened)} heads)", ("", "", "least..most", "target", ""), rows)


def _numbers() -> None:
    """One thread, its own time: metrics, even values and types of all heads against the forward pass; then all distances."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    model = both_ways.open_ours()
    tokens = both_ways.sequence(model, LONG)
    trace = model.run(tokens)
    ours, forward = interleaved(
        partial(_all_numbers, trace), partial(model.run, tokens), PAIRS, LONGEST, warm_ups=1, clock=time.thread_time
    )
    ratio = ratios(ours, forward)
    row = ("metrics, even values, types", milliseconds(ours), milliseconds(forward), ratio, ratio.span, f"< {NUMBERS}")
    slices: list[float] = []
    apart = seconds(lambda: _all_slices(trace, slices), time.thread_time)
    longest = f"{len(slices)} slices, the longest {max(slices) * 1e3:.0f} ms"
    distances = (
        "distances, with progress",
        f"{apart * 1e3:.0f}",
        "",
        f"{apart / statistics.median(forward):.1f}",
        longest,
        "",
    )
    header = ("of all heads", "ms", "forward ms", "ratio", "min..max", "target", "")
    table(
        f"Numbers of 72 heads, {LONG} tokens, one thread, its CPU time",
        header,
        [(*row, verdict(ratio.median < NUMBERS)), (*distances, "")],
    )
    torch.set_num_threads(threads)


def _all_numbers(trace: Any) -> None:
    rows = layers_of(trace)
    measured(trace, rows=rows)
    even_values(trace, rows=rows)
    types_of(trace, rows=rows)


def _all_slices(trace: Any, taken: list[float]) -> None:
    last = time.thread_time()
    for _ in all_distances(trace, False):
        now = time.thread_time()
        taken.append(now - last)
        last = now


def _payloads() -> None:
    """What the component is sent, with the longest captions, whatever the sentence."""
    rows = []
    for count, (n_layers, n_heads, target) in PAYLOADS.items():
        size = _payload(n_layers, n_heads)
        rows.append((count, most_side(n_layers, n_heads), size, f"< {target}", verdict(size < target)))
    table("Bytes for the overview, without its script", ("heads", "cells on a side", "bytes", "target", ""), rows)


def _payload(n_layers: int, n_heads: int) -> int:
    side, count = most_side(n_layers, n_heads), n_layers * n_heads
    pictures = Thumbnails(np.zeros((n_layers, n_heads, side, side), np.uint8), 16, np.ones((n_layers, n_heads)))
    note = f"{title_of('same_word')}, 0.123"
    caption = Caption(
        ["0.123"] * count, np.full((n_layers, n_heads), 0.123), [note] * count, np.zeros(count, dtype=bool)
    )
    palette = theme.stops("viridis")
    words = {"name": "x" * 1000}  # all sentences together are shorter
    sent = payload(pictures, caption, np.arange(count), chosen=0, sorted_by_metric=False, palette=palette, words=words)
    return len(sent)


def _median(values: Any) -> str:
    return f"{statistics.median(values):.0f}"


def _span(values: Any) -> str:
    kept = list(values)
    return f"{min(kept):.0f}..{max(kept):.0f}"


if __name__ == "__main__":
    main()
