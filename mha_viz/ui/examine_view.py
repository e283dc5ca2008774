"""To be written."""

from __future__ import annotations


def render() -> None:
    """To be written."""
