"""What leaves the program: numbers, pictures, the lines of Python that make them, and how to cite it.

This file imports nothing heavy, so that ``import mha_viz`` does not. Pictures (``export.pictures``) and captions
(``export.caption``) need the figures, and are imported by their own names.
"""

from __future__ import annotations

from mha_viz.export.cite import Citation, citation
from mha_viz.export.formats import NUMBERS, PICTURES, ending_of, numbers_file, write_numbers
from mha_viz.export.jsons import write_json
from mha_viz.export.npz import read_npz, trace_from_npz, write_npz
from mha_viz.export.parts import ALL, Part
from mha_viz.export.python import PythonView, python_code, python_code_of_file
from mha_viz.export.tables import cell_text, text_of_cell, write_csv, write_parquet

__all__ = [
    "ALL",
    "NUMBERS",
    "PICTURES",
    "Citation",
    "Part",
    "PythonView",
    "cell_text",
    "citation",
    "ending_of",
    "numbers_file",
    "python_code",
    "python_code_of_file",
    "read_npz",
    "text_of_cell",
    "trace_from_npz",
    "write_csv",
    "write_json",
    "write_npz",
    "write_numbers",
    "write_parquet",
]
