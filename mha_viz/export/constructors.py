"""Controls, masks and options as the Python that makes them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from mha_viz.controls import Controls, HeadId
from mha_viz.edits import Edit, Edits
from mha_viz.masks import AllOf, AnyOf, Mask, Not


def written(record: Any, module: str = "") -> str:
    """A value as the expression that makes an equal one.

    Args:
        record: controls, a mask, a head, edits, or what Python writes itself. Fields that are as by default are left out.
        module: what stands before each name, as "mha_viz.".
    """
    if isinstance(record, AllOf | AnyOf):
        masks = ", ".join(written(mask, module) for mask in record.masks)
        alone = "," if len(record.masks) == 1 else ""
        return f"{module}{type(record).__name__}(({masks}{alone}))"
    if isinstance(record, Not):
        return f"{module}Not({written(record.mask, module)})"
    if isinstance(record, HeadId):
        return f"{module}HeadId({record.layer}, {record.head})"
    if isinstance(record, frozenset):
        return (
            f"frozenset({{{', '.join(written(part, module) for part in sorted(record))}}})" if record else "frozenset()"
        )
    if isinstance(record, float):
        return _number(record)
    if isinstance(record, tuple):
        return "(" + "".join(f"{written(part, module)}, " for part in record).rstrip() + ")"
    if isinstance(record, Controls | Mask | Edit | Edits):
        return f"{module}{type(record).__name__}({', '.join(keywords(record, module))})"
    return repr(record.item() if isinstance(record, np.generic) else record)


def keywords(record: Any, module: str = "") -> Iterable[str]:
    """``name=value`` for each field of a dataclass that is not as it is by default."""
    for field in fields(record):
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        value = getattr(record, field.name)
        if value != default and not field.metadata.get("own"):
            yield f"{field.name}={written(value, module)}"


def _number(value: float) -> str:
    if math.isinf(value):
        return 'float("inf")' if value > 0 else 'float("-inf")'
    return repr(value)
