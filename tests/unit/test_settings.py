"""What the environment may set, and what it says to what it may not."""

from __future__ import annotations

import os

import pytest

from mha_viz.errors import InputError
from mha_viz.settings import NAMES, Settings


def test_nothing_set_is_the_default():
    assert Settings.from_environment({}) == Settings()
    assert Settings.from_environment(dict.fromkeys(NAMES, "")) == Settings()


def test_every_setting_is_read(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").symlink_to(tmp_path / "a")
    got = Settings.from_environment(
        {
            "MHA_VIZ_HUB": "listed",
            "MHA_VIZ_FOLDERS": os.pathsep.join(map(str, (tmp_path, tmp_path / "b"))),
            "MHA_VIZ_DEVICE": "cuda:1",
            "MHA_VIZ_THREADS": "3",
            "MHA_VIZ_RESIDENT": "5",
            "MHA_VIZ_LARGEST": "2",
            "MHA_VIZ_OWN": "any",
            "MHA_VIZ_EXAMINE": "off",
        }
    )
    assert got == Settings("listed", (tmp_path, tmp_path / "a"), "cuda:1", 3, 5, 2_000_000_000, "any", "off")


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("MHA_VIZ_HUB", "maybe", "any, listed, off"),
        ("MHA_VIZ_OWN", "listed", "local, any, off"),
        ("MHA_VIZ_EXAMINE", "any", "local, off"),
        ("MHA_VIZ_DEVICE", "gpu", "auto, cpu, cuda"),
        ("MHA_VIZ_DEVICE", "cuda:", "auto, cpu, cuda"),
        ("MHA_VIZ_THREADS", "0", "1 … 256"),
        ("MHA_VIZ_THREADS", "²", "1 … 256"),
        ("MHA_VIZ_RESIDENT", "-1", "1 … 64"),
        ("MHA_VIZ_LARGEST", "1.5", "1 … 1000"),
        ("MHA_VIZ_FOLDERS", "/no/such/folder", "MHA_VIZ_FOLDERS"),
    ],
)
def test_a_value_that_is_not_allowed_is_named_with_what_is(name, value, allowed):
    with pytest.raises(InputError) as caught:
        Settings.from_environment({name: value})
    assert value in str(caught.value)
    assert allowed in str(caught.value)
    assert "start the app again" in str(caught.value)


def test_a_misspelt_setting_is_named_and_not_ignored():
    with pytest.raises(InputError) as caught:
        Settings.from_environment({"MHA_VIZ_HUBB": "off", "PATH": "/bin"})
    assert "no setting MHA_VIZ_HUBB" in str(caught.value)
    assert "MHA_VIZ_HUB, " in str(caught.value)
