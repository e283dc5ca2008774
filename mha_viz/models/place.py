"""Where a model runs and in what precision: what a person may choose, before torch is imported."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.errors import InputError
from mha_viz.settings import DEVICE, DEVICES

#: Numbers a model can calculate with; half the bytes cost precision, and pay on a GPU only.
DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True)
class Place:
    """A device and a precision.

    Attributes:
        device: "auto" for the setting MHA_VIZ_DEVICE and, where that is auto too, the fastest there is; "cpu", "cuda",
            "cuda:1", "mps".
        dtype: one of DTYPES.

    Raises:
        InputError: none of these.
    """

    device: str = "auto"
    dtype: str = "float32"

    def __post_init__(self) -> None:
        if not DEVICE.fullmatch(self.device):
            raise InputError("error.device", got=self.device, allowed=", ".join(DEVICES))
        if self.dtype not in DTYPES:
            raise InputError("error.dtype", got=self.dtype, allowed=", ".join(DTYPES))
