"""Sizes and versions as people write them."""

import pytest

from mha_viz.words.amounts import size_text, version_text


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1 kB"),
        (90_868_376, "91 MB"),
        (999_600_000, "1000 MB"),
        (1_470_000_000, "1.47 GB"),
    ],
)
def test_a_size_has_the_unit_that_keeps_it_short(n_bytes, text):
    assert size_text(n_bytes) == text


def test_a_commit_is_named_by_its_first_digits_and_a_folder_by_none():
    assert version_text("1110a243fdf4706b3f48f1d95db1a4f5529b4d41") == "1110a243"
    assert version_text("") == "-"
