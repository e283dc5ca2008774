"""A chart for each head that draws no more than the grid does: tokens on hover only."""

from functools import partial

from tests.benchmarks.apps import separate, shown

shown.page(partial(separate.show, labelled=False))
