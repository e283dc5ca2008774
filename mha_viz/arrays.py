"""What all records with arrays share: their types, their shapes checked, and nobody may write into them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mha_viz.errors import RecordError

FloatArray = npt.NDArray[np.floating[Any]]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.integer[Any]]


def expect_shape(what: str, array: npt.NDArray[Any], shape: tuple[int, ...]) -> None:
    """Raises RecordError unless ``array`` has ``shape``."""
    if array.shape != shape:
        raise RecordError("error.shape", what=what, got=array.shape, expected=shape)


def expect_product(
    what: str, read: FloatArray, matrix: FloatArray, bias: FloatArray | None, given: FloatArray, tolerance: float
) -> None:
    """Raises RecordError unless ``read`` @ ``matrix`` + ``bias`` is ``given``.

    Args:
        what: name of the matrix.
        read, given: (token, d_model).
        matrix: (d_model, d_model).
        bias: (d_model,), or None.
        tolerance: largest difference, in units of the largest entry of ``given``.
    """
    width = given.shape[1]
    expect_shape("x", read, given.shape)
    expect_shape(what, matrix, (width, width))
    got = read @ matrix
    if bias is not None:
        expect_shape(f"{what} bias", bias, (width,))
        got = got + bias
    apart, size = float(np.abs(got - given).max()), float(np.abs(given).max())
    if not apart <= tolerance * max(size, 1e-6):
        raise RecordError("error.projection_differs", what=what, got=apart, size=size, tolerance=tolerance)


def compact(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array with each axis along which it only repeats cut to length 1; it broadcasts back."""
    return array[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides)]


def freeze(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, made read-only."""
    array.flags.writeable = False
    return array


def memory_of(record: object) -> int:
    """Bytes of the arrays that a record, or a tuple of arrays, holds; what repeats counts once."""
    values = record if isinstance(record, tuple) else vars(record).values() if record is not None else ()
    arrays = (value for value in values if isinstance(value, np.ndarray))
    nested = (memory_of(value) for value in values if isinstance(value, tuple))
    return sum(compact(array).nbytes for array in arrays) + sum(nested)


class _Repeated(NamedTuple):
    once: npt.NDArray[Any]
    shape: tuple[int, ...]


class ReadOnlyArrays:
    """Arrays of a record are read-only, also after it came back from a cache."""

    def freeze_arrays(self) -> None:
        """Makes them read-only."""
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                freeze(value)

    def __getstate__(self) -> dict[str, Any]:
        """What repeats is kept once."""
        return {
            name: _Repeated(compact(value), value.shape) if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            self.__dict__[name] = np.broadcast_to(*value) if isinstance(value, _Repeated) else value
        self.freeze_arrays()
