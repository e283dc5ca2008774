"""``python -m mha_viz run``: one run of a model, written into a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from mha_viz.analysis.reading import LEVELS, SPECIALS, read
from mha_viz.command.masks import read_head, read_masks
from mha_viz.controls import Controls
from mha_viz.errors import InputError
from mha_viz.export.formats import NUMBERS, PICTURES, ending_of, numbers_file
from mha_viz.export.parts import Part
from mha_viz.models import SOURCES, open_model
from mha_viz.trace import Reading
from mha_viz.words import say
from mha_viz.words.amounts import size_text


def add_to(commands: Any) -> None:
    """Adds the command, with its arguments, to those of ``argparse``."""
    parser = commands.add_parser("run", help=say("command.run"), description=say("command.run.what"))
    known = ", ".join(f".{ending}" for ending in (*PICTURES, *NUMBERS))
    parser.add_argument("--model", default="toy", help=say("command.run.model", sources=", ".join(SOURCES)))
    parser.add_argument("--revision", default="", help=say("command.run.revision"))
    parser.add_argument("--text", required=True, help=say("command.run.text"))
    parser.add_argument("--pair", help=say("command.run.pair"))
    parser.add_argument("--cut", action="store_true", help=say("command.run.cut"))
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help=say("command.run.out", known=known))
    parser.add_argument("--layer", type=int, help=say("command.run.layer"))
    parser.add_argument("--head", type=int, help=say("command.run.head"))
    parser.add_argument("--temperature", default="1", help=say("command.run.temperature"))
    parser.add_argument("--mask", action="append", default=[], help=say("command.run.mask"))
    parser.add_argument("--join", choices=("all", "any"), default="all", help=say("command.run.join"))
    parser.add_argument("--silence", nargs="+", default=[], metavar="HEAD", help=say("command.run.silence"))
    parser.add_argument("--level", choices=LEVELS, default="pieces", help=say("command.run.level"))
    parser.add_argument("--specials", choices=SPECIALS, default="raw", help=say("command.run.specials"))
    parser.add_argument("--scale", type=float, default=2.0, help=say("command.run.scale"))
    parser.add_argument("--device", default="auto", help=say("command.run.device"))


def run(chosen: argparse.Namespace) -> int:
    """Runs the model and writes the file; returns the exit code.

    Raises:
        MhaVizError: something was asked for that cannot be, or cannot be had.
    """
    if not chosen.text.strip():
        raise InputError("error.command_text")
    kind = ending_of(chosen.out)  # what can be refused is refused before a model is opened
    if not chosen.out.parent.is_dir():
        raise InputError("error.command_folder", folder=chosen.out.parent)
    if chosen.head is not None and chosen.layer is None and kind in PICTURES:
        raise InputError("error.command_layer", head=chosen.head)
    controls = Controls(
        temperature=_temperature(chosen.temperature),
        mask=read_masks(chosen.mask, chosen.join),
        silenced=frozenset(map(read_head, chosen.silence)),
    )
    model = open_model(*_source(chosen.model), device=chosen.device, **_options(chosen))
    trace = model.run(model.tokenize(chosen.text, chosen.pair, cut=chosen.cut), controls)
    reading: Reading = trace
    if (chosen.level, chosen.specials) != ("pieces", "raw"):
        reading = read(trace, chosen.level, chosen.specials)
    revision = str(getattr(model, "revision", ""))
    if kind in NUMBERS:
        _write_numbers(reading, chosen, revision)
    else:
        _write_picture(reading, chosen, revision)
    print(say("command.written", path=chosen.out, size=size_text(chosen.out.stat().st_size)))
    return 0


def _source(model: str) -> tuple[str]:
    return (model if model in SOURCES and model != "hub" else "hub",)


def _options(chosen: argparse.Namespace) -> dict[str, Any]:
    """Of the source: only a model of the Hub has a name and a revision."""
    if _source(chosen.model) != ("hub",):
        if chosen.revision:
            raise InputError("error.command_revision", name=chosen.model)
        return {}
    return {"model": chosen.model, "revision": chosen.revision}


def _temperature(text: str) -> float:
    try:
        return float(text.replace("∞", "inf"))
    except ValueError:
        raise InputError("error.temperature", got=text) from None


def _write_numbers(reading: Reading, chosen: argparse.Namespace, revision: str) -> None:
    part = Part(
        layers=None if chosen.layer is None else (chosen.layer,), heads=None if chosen.head is None else (chosen.head,)
    )
    part.within(reading)
    tells = sys.stderr.isatty()
    for share in numbers_file(reading, chosen.out, part, revision):
        if tells:
            print(f"\r{share:4.0%}", end="", file=sys.stderr, flush=True)
    if tells:
        print("\r    \r", end="", file=sys.stderr)


def _write_picture(reading: Reading, chosen: argparse.Namespace, revision: str) -> None:
    from mha_viz import figures
    from mha_viz.export.caption import caption_of
    from mha_viz.export.pictures import picture_file
    from mha_viz.figures.bytes import MOST_EXACT

    layer, head = chosen.layer, chosen.head
    title = ""
    if layer is None:
        figure = figures.print_overview(reading)
    elif head is None:
        figure = figures.print_grid(reading, layer)
    else:
        draw = figures.print_cells if reading.n_tokens > MOST_EXACT else figures.head_heatmap
        figure, title = draw(reading, layer, head), f"L{layer} H{head}"
    caption = caption_of(reading, layer=layer, head=head, revision=revision)
    picture_file(figure, chosen.out, caption, title=title, scale=chosen.scale)
