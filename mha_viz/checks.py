"""Records of how a run was made and of what was measured on it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Conditions:
    """Under which a run was made.

    Attributes:
        device: "cpu", "cuda:0", "mps".
        device_name: what the maker calls it.
        dtype: "float32", "float64", "bfloat16" or "float16".
        training: True if dropout was active, which makes rows not sum to 1.
        seconds: time of the forward pass alone.
    """

    device: str
    device_name: str
    dtype: str
    training: bool
    seconds: float


@dataclass(frozen=True)
class Checks:
    """Measured on the weights of one run; nothing here is assumed.

    Attributes:
        row_sum_error: largest distance of a row's sum from 1, over rows with a key.
        tolerance: what the dtype allows for it.
        hidden_cells: cells (head, query, key, over all layers) that the mask or the padding hides.
        hidden_weight: largest weight on any of them; must be exactly 0.
        not_numbers: weights that are NaN or infinite.
        rows_without_key: rows (layer, head, query) with no key allowed.
        training: whether the model was in training mode.
    """

    row_sum_error: float
    tolerance: float
    hidden_cells: int
    hidden_weight: float
    not_numbers: int
    rows_without_key: int
    training: bool

    @property
    def passed(self) -> bool:
        """Whether every check holds."""
        return (
            self.row_sum_error <= self.tolerance
            and self.hidden_weight == 0.0
            and self.not_numbers == 0
            and not self.training
        )


@dataclass(frozen=True)
class Agreement:
    """One run held against the same run by code that is not this project's.

    Attributes:
        reference: key of its name in the table of words.
        weights: largest difference of a weight, over all layers, heads, queries and keys.
        layer, head: where it is.
        output: largest difference of the last hidden state.
        tolerance: what the dtype allows for the weights.
        masked: whether the controls' mask acted in both runs; all other controls are left out, since the reference has none.
    """

    reference: str
    weights: float
    layer: int
    head: int
    output: float
    tolerance: float
    masked: bool

    @property
    def passed(self) -> bool:
        """Whether the weights agree."""
        return self.weights <= self.tolerance
