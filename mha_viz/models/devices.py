"""Where a model runs: CUDA, then MPS, then the CPU."""

import platform

import torch


def choose_device() -> torch.device:
    """The fastest device there is."""
    if torch.cuda.is_available():
        return torch.device("cuda", torch.cuda.current_device())
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def device_name(device: torch.device) -> str:
    """What the maker calls it, as far as it is known."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return platform.processor() or platform.machine()


def wait_for(device: torch.device) -> None:
    """Waits until the device has done what was asked of it, so that a clock tells the truth."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()
