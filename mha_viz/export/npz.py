"""Runs and readings as NPZ, NumPy's own file, and back. It holds arrays and text, and nothing that is executed.

===========  ====================================================================================================
weights      float32 (layer, head, query, key); a row sums to 1, or is all 0
visible      bool, broadcasts to weights: axes along which it only repeats have length 1
no_key       bool (layer, head, query), True for rows without a key; cut in the same way
tokens       text (query,), each token as the model writes it
key_tokens   text (key,); only where the keys are not the queries
output       float32 (query, d_model), the model's last hidden state; only of a run that has it
vectors/*    float32 (layer, head, token, d_k): query, key, value and head_output; only of a run that has them
padded       bool (query,), removed: float32 (layer, head, query); only of a reading by words or less some tokens
about        JSON of ASCII: format, version, axes, model, sentence, tokens with all that is known of them, controls (to be
             read, and as the Python that makes them), conditions, reading
===========  ====================================================================================================

``numpy.load(file)["weights"]`` reads it without this project.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from mha_viz.analysis.reading import Shown
from mha_viz.analysis.work import Work
from mha_viz.arrays import compact, expect_shape
from mha_viz.errors import InputError, MhaVizError, RecordError
from mha_viz.export.about import (
    FORMAT,
    about,
    as_text,
    conditions_from_json,
    controls_from_json,
    spec_from_json,
    tokens_from_json,
)
from mha_viz.own import MOST_WEIGHTS, check_weights, trace_from_arrays
from mha_viz.trace import AttentionTrace, HeadVectors, Reading
from mha_viz.version import NAME

#: Bytes that all arrays of a file may take: four times the largest weights, and more is no file of ours.
MOST_BYTES = 4 * 4 * MOST_WEIGHTS
#: Any error that a file of another kind, a damaged one or one made to confuse can lead to.
_UNREADABLE = (
    *(ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError, RuntimeError, MemoryError),
    *(EOFError, zipfile.BadZipFile, zlib.error),
)


def write_npz(reading: Reading, file: BinaryIO, revision: str = "", *, vectors: bool = True) -> Work[None]:
    """Writes a run, or a reading of one, from which ``read_npz`` makes an equal one.

    Args:
        reading: a run or a reading.
        file: open for writing bytes.
        revision: of the model.
        vectors: whether query, key, value and head_output of every layer go along, which some pages need.

    Returns:
        work that yields the share of the layers that is written.
    """
    arrays = _arrays(reading, vectors=vectors)
    arrays["about"] = np.array(as_text(about(reading, revision)))
    done, layers = 0, len(reading.weights)
    with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                for _ in _write_array(member, array):
                    if name == "weights":
                        done += 1
                        yield done / (layers + 1)
    yield 1.0


def _arrays(reading: Reading, *, vectors: bool) -> dict[str, npt.NDArray[Any]]:
    arrays: dict[str, npt.NDArray[Any]] = {
        "weights": reading.weights,
        "visible": compact(reading.visible),
        "no_key": compact(reading.no_key),
        "tokens": np.array(reading.query_tokens.tokens),
    }
    if reading.key_tokens != reading.query_tokens:
        arrays["key_tokens"] = np.array(reading.key_tokens.tokens)
    if isinstance(reading, AttentionTrace):
        if reading.output is not None:
            arrays["output"] = reading.output
        for name, layers in reading.vectors._asdict().items() if vectors and reading.vectors else ():
            arrays[f"vectors/{name}"] = np.stack(layers)
    if isinstance(reading, Shown):
        arrays["padded"] = reading.padded
        if reading.removed is not None:
            arrays["removed"] = reading.removed
    return arrays


def _write_array(member: Any, array: npt.NDArray[Any]) -> Iterator[None]:
    """NumPy's own format, a layer at a time where there are layers: an array of weights need not be copied as a whole."""
    header = np.lib.format.header_data_from_array_1_0(array)
    header["fortran_order"] = False
    np.lib.format.write_array_header_2_0(member, header)
    for part in array if array.ndim > 1 else [array]:
        member.write(np.ascontiguousarray(part).tobytes())
        yield


def read_npz(path: str | Path | BinaryIO, most_bytes: int = MOST_BYTES) -> AttentionTrace | Shown:
    """What ``write_npz`` wrote: a run, or a reading of one; or else a trace of plain ``weights`` and ``tokens``.

    Args:
        path: of a file, or one open for reading bytes. Nothing in it is executed: pickled objects are refused.
        most_bytes: that its arrays may take once they are unpacked.

    Raises:
        InputError: there is no such file, it is no NPZ, has not the arrays that are needed, is too large, or was written by a
            newer version; or its arrays contradict one another, as ``trace_from_arrays`` says.
    """
    name = getattr(path, "name", "-") if hasattr(path, "read") else str(path)
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > most_bytes:
            raise InputError("error.npz_too_large", name=name, got=size, limit=most_bytes)
        if not isinstance(path, str | Path):
            path.seek(0)
        with np.load(path, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files if key.split("/")[0] in _KNOWN}
        return _record(arrays, name)
    except RecordError as problem:  # its own sentence calls it a mistake of the program
        raise InputError("error.npz_contradicts", name=name, what=problem.values.get("what", "weights")) from problem
    except MhaVizError:
        raise
    except OSError as problem:
        raise InputError("error.npz_file", name=name, reason=problem.strerror or problem) from problem
    except _UNREADABLE as problem:
        raise InputError("error.npz_unreadable", name=name, reason=problem) from problem


def trace_from_npz(path: str | Path | BinaryIO, most_bytes: int = MOST_BYTES) -> AttentionTrace:
    """A run from a file; as ``read_npz``, for files that hold no reading by words or without some tokens.

    Raises:
        InputError: as ``read_npz``; or it holds a reading, whose rows need not sum to 1.
    """
    found = read_npz(path, most_bytes)
    if isinstance(found, Shown):
        name = getattr(path, "name", "-") if hasattr(path, "read") else str(path)
        raise InputError("error.npz_reading", name=name, level=found.level, specials=found.specials)
    return found


_KNOWN = ("weights", "visible", "no_key", "tokens", "key_tokens", "output", "vectors", "padded", "removed", "about")


def _record(arrays: dict[str, npt.NDArray[Any]], name: str) -> AttentionTrace | Shown:
    if "weights" not in arrays or "tokens" not in arrays:
        got = ", ".join(sorted(arrays)) or "-"
        raise InputError("error.npz_arrays", name=name, got=got)
    told = json.loads(str(arrays["about"])) if "about" in arrays else {}
    written = str(told.get("format", ""))
    if written.startswith(f"{NAME}/"):
        if written != FORMAT:
            raise InputError("error.npz_newer", name=name, got=written, known=FORMAT)
        return _own(arrays, told)
    given: dict[str, Any] = {key: arrays[key] for key in ("visible", "output") if key in arrays}
    keys = arrays["key_tokens"].tolist() if "key_tokens" in arrays else None
    return trace_from_arrays(arrays["weights"], arrays["tokens"].tolist(), key_tokens=keys, **given)


def _own(arrays: dict[str, npt.NDArray[Any]], told: dict[str, Any]) -> AttentionTrace | Shown:
    queries = tokens_from_json(told["query_tokens"])
    weights = np.array(arrays["weights"], dtype=np.float32)
    keys = queries if told["key_tokens"] is None else tokens_from_json(told["key_tokens"])
    read = told["reading"]
    if read is None:
        conditions = conditions_from_json(told["conditions"])
        check_weights(weights, queries, keys, conditions.dtype)
    parts: dict[str, Any] = {
        "spec": spec_from_json(told["model"]),
        "query_tokens": queries,
        "key_tokens": keys,
        "controls": controls_from_json(told["controls"]),
        "weights": weights,
        "visible": np.broadcast_to(arrays["visible"].astype(bool), weights.shape),
        "no_key": np.broadcast_to(arrays["no_key"].astype(bool), weights.shape[:-1]),
    }
    if read is None:
        output = _numbers(arrays, "output", (queries.n_tokens, parts["spec"].d_model))
        return AttentionTrace(**parts, output=output, conditions=conditions, vectors=_vectors(arrays, parts))
    spec, n_key = parts["spec"], parts["key_tokens"].n_tokens
    expect_shape("weights", weights, (spec.n_layers, spec.n_heads, queries.n_tokens, n_key))
    expect_shape("padded", arrays["padded"], (queries.n_tokens,))
    groups = tuple(tuple(map(int, group)) for group in read["groups"])
    extra: dict[str, Any] = {"padded": arrays["padded"], "removed": arrays.get("removed")}
    return Shown(**parts, **extra, groups=groups, level=read["level"], specials=read["specials"])


def _vectors(arrays: dict[str, npt.NDArray[Any]], parts: dict[str, Any]) -> HeadVectors | None:
    """Query, key, value and head_output of every layer; None unless all are there."""
    names = [f"vectors/{name}" for name in HeadVectors._fields]
    if not all(name in arrays for name in names):
        return None
    n_query, n_key = parts["query_tokens"].n_tokens, parts["key_tokens"].n_tokens
    found = []
    # A key is as wide as a query, and what comes out as wide as a value.
    for name, n_tokens, like in zip(names, (n_query, n_key, n_key, n_query), (0, 0, 2, 2), strict=True):
        shape = (*parts["spec"].shape, n_tokens, arrays[names[like]].shape[-1])
        array = _numbers(arrays, name, shape)
        found.append(() if array is None else tuple(array))
    return HeadVectors(*found)


def _numbers(arrays: dict[str, npt.NDArray[Any]], name: str, shape: tuple[int, ...]) -> npt.NDArray[np.float32] | None:
    """An array that a file may hold, with the shape it must have and nothing in it but numbers; None if it is not there.

    Raises:
        RecordError, InputError, ValueError: it has another shape, or holds something else.
    """
    if name not in arrays:
        return None
    array = np.asarray(arrays[name], dtype=np.float32)
    expect_shape(name, array, shape)
    if not np.isfinite(array).all():
        raise InputError("error.npz_not_numbers", what=name)
    return array
