"""Keeps transformers from importing torchao, before anything of transformers is imported in this room.

It would do so with the first model wherever torchao is installed, which takes seconds and tells of kernels that could not be
loaded. It asks once whether torchao is there, and remembers the answer. No model that is loaded here needs it; the lab that
quantises imports it itself.
"""

from __future__ import annotations

import sys

from transformers.utils.import_utils import is_torchao_available


def leave_torchao_out() -> bool:
    """Has transformers ask while Python says that there is no such module; returns what it will answer from now on."""
    there = {name: module for name, module in sys.modules.items() if name == "torchao"}
    sys.modules["torchao"] = None  # type: ignore[assignment]
    is_torchao_available.cache_clear()  # whoever imported transformers before this room may have asked
    try:
        return bool(is_torchao_available())
    finally:
        del sys.modules["torchao"]
        sys.modules.update(there)


LEFT_OUT = not leave_torchao_out()
