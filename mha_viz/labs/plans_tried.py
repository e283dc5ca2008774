"""The options of the labs that try claims and modules. Without torch, as ``plans``."""

from __future__ import annotations

from dataclasses import dataclass

from mha_viz.labs.examine.base import MODULES, OURS
from mha_viz.labs.options import Options, one_of, text, whole
from mha_viz.labs.pitfalls.registry import PITFALLS


@dataclass(frozen=True)
class PitfallOptions(Options):
    """Every claim of these pitfalls."""

    pitfalls: tuple[str, ...] = one_of(PITFALLS, *PITFALLS)


@dataclass(frozen=True)
class ExamineOptions(Options):
    """Attention modules through the checks: those that came with the app, and one that a person names.

    Attributes:
        path: "package.module:Class" of the module "own".
        arguments: with which it is made, as in a call or as JSON; what usually fits if empty.
        folder: where imports are looked for first; the one the app was started in if empty.
        seconds: that the module "own" may take for all checks.
    """

    modules: tuple[str, ...] = one_of(OURS, *MODULES)
    path: str = text("", 200)
    arguments: str = text("", 400)
    folder: str = text("", 400)
    seconds: int = whole(60, 5, 600)

    @property
    def runs_code(self) -> bool:
        """True with the module "own"."""
        return "own" in self.modules
