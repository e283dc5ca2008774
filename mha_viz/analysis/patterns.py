"""Patterns of sparse attention as masks, and how many cells each must leave by its formula."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.masks import BlockSparse, DilatedWindow, GlobalTokens, LocalWindow, Mask

#: From everything to blocks; "sparse_pattern.NAME" says what each is.
PATTERNS = ("full", "window", "dilated", "global", "blocks")


@dataclass(frozen=True)
class Sizes:
    """The numbers of the patterns.

    Attributes:
        radius: of the windows: tokens on each side; of the dilated one so many, each ``step`` from the next.
        step: of the dilated window.
        first: global tokens.
        size: tokens of a block.
        random: random blocks that each block sees.
        seed: of their draw.
    """

    radius: int = 2
    step: int = 2
    first: int = 1
    size: int = 2
    random: int = 1
    seed: int = 0

    def mask(self, name: str) -> Mask | None:
        """The mask of a pattern; None for "full", which hides nothing."""
        window = LocalWindow(self.radius)
        masks: dict[str, Mask | None] = {
            "full": None,
            "window": window,
            "dilated": DilatedWindow(self.radius, self.step),
            "global": GlobalTokens(self.first) | window,
            "blocks": BlockSparse(self.size, 1, 1, self.random, self.seed),
        }
        return masks[name]

    def cells(self, name: str, n_tokens: int) -> int | None:
        """How many cells of (query, key) the pattern leaves, by its formula; None for blocks, some of which are drawn.

        A window of radius w over n tokens has n (2 w + 1) - w (w + 1) (Beltagy et al. 2020). With g global tokens these rows
        and columns are whole, and the window has the n - g others.
        """
        if name == "full":
            return n_tokens**2
        if name == "window":
            return _band(n_tokens, self.radius)
        if name == "dilated":
            away = (turn * self.step for turn in range(1, self.radius + 1))
            return n_tokens + 2 * sum(max(n_tokens - distance, 0) for distance in away)
        if name == "global":
            others = max(n_tokens - self.first, 0)
            return n_tokens**2 - others**2 + _band(others, self.radius)
        return None


def _band(n_tokens: int, radius: int) -> int:
    radius = min(radius, max(n_tokens - 1, 0))
    return n_tokens * (2 * radius + 1) - radius * (radius + 1)


def window_reach(radius: int, n_layers: int) -> int:
    """Tokens that one in the middle of a long text has been told of after so many layers: 2 n w + 1."""
    return 2 * n_layers * radius + 1
