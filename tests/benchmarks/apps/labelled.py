"""A chart for each head, with its tokens on both axes: alone, a chart cannot be read without them."""

from functools import partial

from tests.benchmarks.apps import separate, shown

shown.page(partial(separate.show, labelled=True))
