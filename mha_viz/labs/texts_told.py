"""What the rows of the lab on texts say: whether more heads are worth anything beyond the noise. Without torch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mha_viz.labs.results import Row, Summary, summaries, summary_of, where


def gain_of_heads(rows: Sequence[Row]) -> tuple[int, int, Summary] | None:
    """Fewest and most heads, and what the most gain; None unless they have a seed in common."""
    nets = where(rows, kind="net")
    heads = sorted({row["heads"] for row in nets})
    if len(heads) < 2:
        return None
    gain = _gain(where(nets, heads=heads[-1]), where(nets, heads=heads[0]))
    return (heads[0], heads[-1], gain) if gain is not None else None


def gain_of_words(rows: Sequence[Row]) -> Summary | None:
    """What counts of words gain on the mean of all nets; None unless they have a seed in common."""
    return _gain(where(rows, kind="words"), where(rows, kind="net"))


def _gain(more: Sequence[Row], less: Sequence[Row]) -> Summary | None:
    means = [{one.by: one.mean for one in summaries(rows, "seed", "final")} for rows in (more, less)]
    found = [means[0][seed] - means[1][seed] for seed in means[0] if seed in means[1]]
    return summary_of(None, found) if found else None


def in_points(share: float) -> str:
    """A difference of shares in points, with its sign; no sign for what is rounded to 0."""
    text = f"{100 * share:+.1f}".replace("-", "−")
    return "0.0" if text[1:] == "0.0" else text


def mean_course(rows: Sequence[Row], name: str) -> list[float]:
    """The mean of nets, epoch by epoch, over as many epochs as all of them have."""
    n_epochs = min(len(row[name]) for row in rows)
    return [float(np.mean([row[name][epoch] for row in rows])) for epoch in range(n_epochs)]
