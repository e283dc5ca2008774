"""Readings of a run: by pieces or by words, with special tokens or without."""

from __future__ import annotations

#: What rows and columns stand for.
LEVELS = ("pieces", "words")
#: What is done with special tokens.
SPECIALS = ("raw", "hidden", "renormalised")
