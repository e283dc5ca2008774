"""The fastest device is chosen by itself, and named."""

from __future__ import annotations

import pytest
import torch

from mha_viz.models.devices import choose_device, device_name


@pytest.mark.parametrize(
    ("cuda", "mps", "chosen"),
    [
        (True, True, "cuda:0"),
        (True, False, "cuda:0"),
        (False, True, "mps"),
        (False, False, "cpu"),
    ],
)
def test_cuda_comes_before_mps_and_mps_before_the_processor(monkeypatch, cuda, mps, chosen):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert str(choose_device()) == chosen


def test_the_device_at_hand_works_and_has_a_name():
    device = choose_device()
    assert (torch.ones(2, device=device) + 1).tolist() == [2.0, 2.0]
    assert device_name(device)
