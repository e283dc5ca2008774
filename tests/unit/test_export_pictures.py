"""What is refused before a browser is asked, and what is said where there is none."""

from __future__ import annotations

import builtins
import sys

import pytest

from mha_viz import figures
from mha_viz.errors import ExportError, InputError
from mha_viz.export.pictures import MOST_PIXELS, html_page, picture_bytes, picture_file
from tests.unit.build import sequence, trace


@pytest.fixture
def figure():
    return figures.head_heatmap(trace(4), 0, 0)


def test_where_no_chromium_is_found_it_says_what_to_do_and_leaves_nothing(figure, tmp_path, monkeypatch):
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "no-such-browser"))
    for kind in ("png", "svg", "pdf"):
        with pytest.raises(ExportError) as caught:
            picture_file(figure, tmp_path / f"x.{kind}")
        for part in ("Chromium", "apt-get install chromium", "BROWSER_PATH", "HTML"):
            assert part in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    picture_file(figure, tmp_path / "x.html")
    assert [path.name for path in tmp_path.iterdir()] == ["x.html"]


def test_where_kaleido_is_missing_it_says_so(figure, monkeypatch):
    found = builtins.__import__

    def without(name, *rest):
        if name.split(".")[0] == "kaleido":
            raise ImportError(name)
        return found(name, *rest)

    for name in [name for name in sys.modules if name.split(".")[0] == "kaleido"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ExportError, match="kaleido"):
        picture_bytes(figure, "png")


def test_a_browser_that_ends_at_once_is_told_as_a_failure(figure, tmp_path, monkeypatch):
    browser = tmp_path / "browser"
    browser.write_text("#!/bin/sh\nexit 3\n")
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", str(browser))
    with pytest.raises(ExportError, match="could not draw"):
        picture_bytes(figure, "png")


def test_kinds_scales_and_sizes_that_cannot_be_are_refused(figure):
    with pytest.raises(InputError, match=r"png, svg, pdf, html"):
        picture_bytes(figure, "gif")
    for scale in (0.0, -1.0, 9.0, float("nan")):
        with pytest.raises(InputError, match=r"0\.5 to 8"):
            picture_bytes(figure, "png", scale=scale)
    long = figures.print_lines(trace(512, n_heads=1), [(0, 0)])
    with pytest.raises(ExportError) as caught:
        picture_bytes(long, "png", scale=8)
    assert f"{MOST_PIXELS:,}" in str(caught.value)
    assert "SVG" in str(caught.value)


def test_no_typed_text_stands_as_markup_in_a_page():
    words = ["<script>alert(1)</script>", "</script>", "<!--", "]]>", "\"'>", "&"]
    run = trace(sequence(words))
    page = html_page(figures.head_heatmap(run, 0, 0), [" ".join(words)], title="</title><script>")
    assert "alert(1)</script>" not in page
    assert "</title><script>" not in page
    assert page.count("<!--") == html_page(figures.head_heatmap(trace(3), 0, 0)).count("<!--")
