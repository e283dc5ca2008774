"""Figures as PNG, SVG, PDF and as HTML that needs no network, always on white and with a caption.

PNG, SVG and PDF are drawn by a Chromium of this computer, which kaleido starts for it and ends again. It is shown files of this
computer only, and its proxy is a place where nobody answers, so that it can fetch nothing.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mha_viz.errors import ExportError, InputError
from mha_viz.export.files import whole_file
from mha_viz.export.formats import PICTURES, ending_of
from mha_viz.figures.paper import on_paper
from mha_viz.words import LANGUAGE, say

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: Screen pixels that a pixel of a figure may take in a PNG, and the longest side that a browser draws.
SCALES, MOST_PIXELS = (0.5, 8.0), 16_384
_NOWHERE = "http://127.0.0.1:9"
#: Seconds that a browser gets for one picture.
_PATIENCE = 120.0
#: Nothing may be fetched, and only what stands in the file may run.
_ALLOWED = {"default-src": ["'none'"], "script-src": ["'unsafe-inline'"], "style-src": ["'unsafe-inline'"]}
_ALLOWED |= {"img-src": ["data:", "blob:"], "font-src": ["data:"]}
_POLICY = "; ".join(" ".join([kind, *sources]) for kind, sources in _ALLOWED.items())
_STYLE = (
    "body{margin:0;background:#fff;color:#1f2328;font:16px/1.5 system-ui,sans-serif}"
    "main{padding:16px}figure{margin:0}figcaption{max-width:70ch;overflow-wrap:anywhere}h1{font-size:20px;margin:0 0 8px}"
)


def picture_bytes(
    figure: go.Figure, kind: str, caption: Sequence[str] = (), *, title: str = "", scale: float = 2.0
) -> bytes:
    """A figure as a file.

    Args:
        figure: any of this package; it is not changed.
        kind: one of PICTURES.
        caption: sentences below it, as plain text, from ``caption_of``.
        title: a line above it, as plain text.
        scale: of PNG: screen pixels for each of the figure's, within SCALES.

    Raises:
        InputError: no such kind, or a scale beyond SCALES.
        ExportError: no Chromium is found, it failed, or the picture is too large for it.
    """
    if kind not in PICTURES:
        raise InputError("error.export_ending", got=kind, known=", ".join(PICTURES))
    if kind == "html":
        return html_page(figure, caption, title=title).encode()
    if not SCALES[0] <= scale <= SCALES[1]:
        raise InputError("error.picture_scale", got=scale, low=SCALES[0], high=SCALES[1])
    drawn = on_paper(figure, caption, title=title)
    longest = max(drawn.layout.width, drawn.layout.height)
    if kind == "png" and longest * scale > MOST_PIXELS:
        raise ExportError(
            "error.picture_large", got=round(longest * scale), limit=MOST_PIXELS, scale=MOST_PIXELS / longest
        )
    return _drawn(drawn, kind, scale if kind == "png" else 1.0)


def picture_file(
    figure: go.Figure, path: str | Path, caption: Sequence[str] = (), *, title: str = "", scale: float = 2.0
) -> Path:
    """A figure as a file of the kind that its ending says, as a whole or not at all; otherwise as ``picture_bytes``."""
    kind = ending_of(path)
    data = picture_bytes(figure, kind, caption, title=title, scale=scale)
    with whole_file(path) as file:
        file.write(data)
    return Path(path)


def html_page(figure: go.Figure, caption: Sequence[str] = (), *, title: str = "") -> str:
    """A page with the figure to point at, and everything inside that it needs.

    Texts stand in it as text: in the caption escaped, in the figure's data as JSON in which no "<" is left.
    """
    config = {"displaylogo": False, "responsive": True, "typesetMath": False}
    drawn = on_paper(figure)
    body = drawn.to_html(full_html=False, include_plotlyjs=True, include_mathjax=False, config=config)
    heading = html.escape(title or say("print.title"))
    below = " ".join(html.escape(sentence) for sentence in caption)
    return (
        f"<!doctype html>\n<html lang='{LANGUAGE}'><head><meta charset='utf-8'>"
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{heading}</title><style>{_STYLE}</style></head>\n<body><main><h1>{heading}</h1>"
        f"<figure>{body}<figcaption>{below}</figcaption></figure></main></body></html>\n"
    )


def _drawn(figure: go.Figure, kind: str, scale: float) -> bytes:
    """What a Chromium of this computer makes of a figure; safe in any thread, whether or not an event loop runs there."""
    try:
        import kaleido
        from kaleido import errors
    except ImportError:
        raise ExportError("error.no_kaleido") from None
    size = {"width": figure.layout.width, "height": figure.layout.height}
    options: dict[str, Any] = {"format": kind, "scale": scale, **size}
    browser = {"mathjax": False, "proxy_server": _NOWHERE, "timeout": _PATIENCE}
    try:
        drawn: bytes = kaleido.calc_fig_sync(figure.to_plotly_json(), opts=options, kopts=browser)
    except errors.ChromeNotFoundError:
        raise ExportError("error.no_chromium") from None
    except (
        errors.KaleidoError,
        errors.BrowserFailedError,
        errors.BrowserClosedError,
        RuntimeError,
        OSError,
    ) as problem:
        said = " ".join(map(str, problem.args)) or type(problem).__name__
        raise ExportError("error.picture_failed", reason=said.rstrip(".")) from problem
    return drawn
