"""Weights as a long table, a row for each: CSV for spreadsheets, Parquet for large ones.

===========  ======  =======================================================================================
column       type    meaning
===========  ======  =======================================================================================
layer, head  int     from 0
query        int     position of the token that attends
query_token  text    as the model writes it
key          int     position of the token that is attended to
key_token    text
weight       float   after the softmax; 0 where hidden
visible      bool    whether attending is allowed
about        text    only in CSV, and there only in the first row: JSON of model, sentence and controls
===========  ======  =======================================================================================

In Parquet what CSV has as ``about`` is metadata of the file, under the key "mha_viz".

A spreadsheet takes a text that begins with =, +, -, @, a tab or a line break for a formula. In CSV such a token, and one that
begins with an apostrophe, has an apostrophe before it; ``text_of_cell`` takes just that one away again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from mha_viz.analysis.work import Work
from mha_viz.errors import InputError
from mha_viz.export.about import about, as_text
from mha_viz.export.parts import ALL, Chosen, Part
from mha_viz.trace import Reading
from mha_viz.version import NAME

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows of a table, less its header: what a spreadsheet takes, and what one file should hold.
MOST_CSV, MOST_PARQUET = 1_048_575, 50_000_000
#: Characters that make a spreadsheet read a formula, also their full-width forms, which some turn into these.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_APOSTROPHE = "'"
#: Rows that are made at a time.
_BLOCK = 65_536


def cell_text(text: str) -> str:
    """A text for a cell of a CSV file, which no spreadsheet takes for a formula."""
    return _APOSTROPHE + text if text.startswith((*FORMULA, _APOSTROPHE)) else text


def text_of_cell(cell: str) -> str:
    """The text that ``cell_text`` made a cell of."""
    return cell.removeprefix(_APOSTROPHE)


def write_csv(reading: Reading, file: BinaryIO, part: Part = ALL, revision: str = "") -> Work[None]:
    """Writes a table of weights as CSV, in UTF-8.

    Args:
        reading: a run, or a reading of one.
        file: open for writing bytes.
        part: which weights.
        revision: of the model.

    Returns:
        work that yields the share of the rows that is written.

    Raises:
        InputError: more rows than MOST_CSV, or a part that is not there; when the work begins.
    """
    from pyarrow import csv

    chosen = part.within(reading)
    _check_rows(chosen, MOST_CSV, "error.export_rows_csv")
    told = cell_text(as_text(about(reading, revision, tokens=False)))
    names = [cell_text(_valid(text)) for text in reading.query_tokens.tokens]
    keys = [cell_text(_valid(text)) for text in reading.key_tokens.tokens]
    schema = _schema(about_column=True)
    with csv.CSVWriter(file, schema) as writer:
        for done, block in _blocks(reading, chosen, names, keys):
            first = told if done == block.num_rows else ""
            writer.write_table(_with_about(block, first, schema))
            yield done / chosen.n_rows


def write_parquet(reading: Reading, file: BinaryIO, part: Part = ALL, revision: str = "") -> Work[None]:
    """Writes a table of weights as Parquet; as ``write_csv``, with tokens as they are and up to MOST_PARQUET rows."""
    from pyarrow import parquet

    chosen = part.within(reading)
    _check_rows(chosen, MOST_PARQUET, "error.export_rows_parquet")
    told = as_text(about(reading, revision))
    names, keys = ([_valid(text) for text in side.tokens] for side in (reading.query_tokens, reading.key_tokens))
    schema = _schema(about_column=False).with_metadata({NAME: told})
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for done, block in _blocks(reading, chosen, names, keys):
            writer.write_table(block.replace_schema_metadata(schema.metadata))
            yield done / chosen.n_rows


def _check_rows(chosen: Chosen, most: int, key: str) -> None:
    if chosen.n_rows > most:
        raise InputError(key, got=chosen.n_rows, limit=most)


def _valid(text: str) -> str:
    """The text as it can be written in UTF-8: half a surrogate pair, which is no character, by its number."""
    return text.encode("utf-8", errors="backslashreplace").decode()


def _schema(*, about_column: bool) -> pa.Schema:
    import pyarrow as pa

    token = pa.string() if about_column else pa.dictionary(pa.int32(), pa.string())
    columns = [("layer", pa.int32()), ("head", pa.int32()), ("query", pa.int32()), ("query_token", token)]
    columns += [("key", pa.int32()), ("key_token", token), ("weight", pa.float32()), ("visible", pa.bool_())]
    return pa.schema([*columns, ("about", pa.string())] if about_column else columns)


def _blocks(reading: Reading, chosen: Chosen, names: list[str], keys: list[str]) -> Any:
    """Rows that are done by then, and a table of the next ones: some queries of one head."""
    import pyarrow as pa

    schema = _schema(about_column=False)
    tokens = pa.array(names), pa.array(keys)
    numbers = [
        np.array([side.number(place) for place in range(side.n_tokens)], dtype=np.int32)
        for side in (reading.query_tokens, reading.key_tokens)
    ]
    n_key, at_once, done = chosen.n_key, max(_BLOCK // chosen.n_key, 1), 0
    for layer in chosen.layers:
        for head in chosen.heads:
            for first in range(0, len(chosen.queries), at_once):
                rows = np.array(chosen.queries[first : first + at_once])
                count = len(rows) * n_key
                of_row = np.repeat(rows, n_key).astype(np.int32)
                of_key = np.tile(np.arange(n_key, dtype=np.int32), len(rows))
                done += count
                yield (
                    done,
                    pa.table(
                        [
                            pa.array(np.full(count, layer, dtype=np.int32)),
                            pa.array(np.full(count, head, dtype=np.int32)),
                            pa.array(numbers[0][of_row]),
                            pa.DictionaryArray.from_arrays(pa.array(of_row), tokens[0]),
                            pa.array(numbers[1][of_key]),
                            pa.DictionaryArray.from_arrays(pa.array(of_key), tokens[1]),
                            pa.array(reading.weights[layer, head, rows].astype(np.float32).ravel()),
                            pa.array(reading.visible[layer, head, rows].ravel()),
                        ],
                        schema=schema,
                    ),
                )


def _with_about(block: pa.Table, told: str, schema: pa.Schema) -> pa.Table:
    """The block with its last column, empty but for the first row."""
    import pyarrow as pa

    column = pa.array([told] + [None] * (block.num_rows - 1) if told else [None] * block.num_rows, type=pa.string())
    return block.append_column("about", column).cast(schema)
