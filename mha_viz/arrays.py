"""What all records with arrays share: their types, their shapes checked, and nobody may write into them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mha_viz.errors import RecordError

FloatArray = npt.NDArray[np.floating[Any]]
BoolArray = npt.NDArray[np.bool_]


def expect_shape(what: str, array: npt.NDArray[Any], shape: tuple[int, ...]) -> None:
    """Raises RecordError unless ``array`` has ``shape``."""
    if array.shape != shape:
        raise RecordError("error.shape", what=what, got=array.shape, expected=shape)


def freeze(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, made read-only."""
    array.flags.writeable = False
    return array


class ReadOnlyArrays:
    """Arrays of a record are read-only, also after it came back from a cache."""

    def freeze_arrays(self) -> None:
        """Makes them read-only."""
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                freeze(value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.freeze_arrays()
