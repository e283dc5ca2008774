"""The browser that draws PNG, SVG and PDF."""

from __future__ import annotations

from collections.abc import Iterable


def drawing_browser() -> str | None:
    """Where kaleido finds a Chromium or Chrome, or what BROWSER_PATH names; None if there is neither, or no kaleido."""
    try:
        from choreographer.browsers.chromium import Chromium
        from choreographer.utils import get_browser_path
    except ImportError:
        return None
    names: Iterable[str] = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    return get_browser_path(executable_names=list(names)) or Chromium.find_browser(skip_local=False)
