"""Every lab, by name. Without torch: a lab's own module is imported where it runs.

A line here makes a lab: its command (``python -m mha_viz lab NAME``), its process, its stored result and their tests.
"""

from __future__ import annotations

import importlib
import shlex
from dataclasses import dataclass, fields

from mha_viz.errors import InputError
from mha_viz.labs.cost_formula import COST_KINDS
from mha_viz.labs.options import Options, many
from mha_viz.labs.plans import (
    COMPARED,
    LOOKUP_HEADS,
    PRECISIONS,
    SUBJECTS,
    SWITCH,
    TASKS,
    AlikeOptions,
    DepthOptions,
    DistilOptions,
    LookupOptions,
    PrunedOptions,
    SharingOptions,
    ShuffledOptions,
    SweepOptions,
    TextOptions,
    WorthOptions,
)
from mha_viz.labs.plans_cost import (
    SPARSE_LENGTHS,
    GrowthOptions,
    Int8Options,
    KeptMapsOptions,
    PrecisionOptions,
    SparseCostOptions,
    SparseModelsOptions,
)
from mha_viz.labs.plans_depth import DEPTHS, BeginningOptions, StableOptions, StackOptions
from mha_viz.labs.plans_tried import ExamineOptions, PitfallOptions
from mha_viz.labs.results import Steps


@dataclass(frozen=True)
class Lab:
    """One lab.

    Attributes:
        name: "lab.NAME" in the table of words says what it is.
        module: with a function ``run(options) -> Steps``.
        full: the options of the stored result; its class is the lab's.
        small: options with which it takes a second or two, for tests.
    """

    name: str
    module: str
    full: Options
    small: Options

    def run(self, options: Options) -> Steps:
        """Begins it."""
        steps: Steps = importlib.import_module(self.module).run(options)
        return steps

    def options_of(self, given: dict[str, object]) -> Options:
        """Options of this lab from plain values.

        Raises:
            InputError: as ``Options.of``.
        """
        return type(self.full).of(given)


LABS: dict[str, Lab] = {
    lab.name: lab
    for lab in (
        Lab(
            "lookups",
            "mha_viz.labs.lookups",
            full=LookupOptions(tasks=TASKS, heads=LOOKUP_HEADS, seeds=3),
            small=LookupOptions(heads=(1, 2), steps=40),
        ),
        Lab(
            "sweep",
            "mha_viz.labs.sweep",
            full=SweepOptions(tasks=TASKS, seeds=5, precisions=PRECISIONS),
            small=SweepOptions(heads=(1, 2, 4), seeds=2, steps=20),
        ),
        Lab(
            "worth",
            "mha_viz.labs.worth",
            full=WorthOptions(models=SUBJECTS, seeds=3),
            small=WorthOptions(heads=2, steps=40, cases=16),
        ),
        Lab(
            "pruned",
            "mha_viz.labs.pruned",
            full=PrunedOptions(models=SUBJECTS, seeds=3),
            small=PrunedOptions(heads=2, steps=40, cases=16, rounds=1),
        ),
        Lab(
            "alike",
            "mha_viz.labs.alike",
            full=AlikeOptions(nets=COMPARED, tasks=TASKS, heads=(4, 8, 16), seeds=3),
            small=AlikeOptions(kinds=("maps",), strengths=(0.1,), heads=(2,), steps=20),
        ),
        Lab(
            "texts",
            "mha_viz.labs.texts",
            full=TextOptions(data=("movies", "sms"), heads=(1, 2, 4, 8)),
            small=TextOptions(data=("sms",), heads=(1, 2), seeds=1, epochs=1, examples=300),
        ),
        Lab(
            "shuffled",
            "mha_viz.labs.shuffled",
            full=ShuffledOptions(seeds=3),
            small=ShuffledOptions(heads=2, epochs=1, examples=300),
        ),
        Lab(
            "sharing",
            "mha_viz.labs.sharing",
            full=SharingOptions(tasks=TASKS, heads=(4, 8, 16), seeds=3),
            small=SharingOptions(heads=(4,), steps=20),
        ),
        Lab(
            "depth",
            "mha_viz.labs.depth",
            full=DepthOptions(heads=(4, 8), faster=(1.0, 3.0), seeds=4),
            small=DepthOptions(heads=(2,), steps=40),
        ),
        Lab(
            "distil",
            "mha_viz.labs.distil",
            full=DistilOptions(tasks=TASKS, heads=(1, 2), seeds=5),
            small=DistilOptions(steps=20),
        ),
        Lab(
            "pitfalls",
            "mha_viz.labs.pitfalls.all",
            full=PitfallOptions(),
            small=PitfallOptions(pitfalls=("scaled",)),
        ),
        Lab(
            "growth",
            "mha_viz.labs.growth",
            full=GrowthOptions(kinds=COST_KINDS, longest=4_096),
            small=GrowthOptions(axes=("heads",), kinds=("eager", "sdpa"), length=32, d_model=32, rounds=1),
        ),
        Lab(
            "kept_maps",
            "mha_viz.labs.kept_maps",
            full=KeptMapsOptions(lengths=(64, 128, 256, 512, 1_024), layers=(1, 6)),
            small=KeptMapsOptions(lengths=(32,), rounds=1),
        ),
        Lab(
            "precision",
            "mha_viz.labs.precision",
            full=PrecisionOptions(rounds=15),
            small=PrecisionOptions(kinds=("bfloat16",), sentences=1, rounds=1),
        ),
        Lab(
            "int8",
            "mha_viz.labs.int8",
            full=Int8Options(rounds=15),
            small=Int8Options(parts=("qk",), grains=("tensor",), sentences=1, rounds=1),
        ),
        Lab(
            "sparse_cost",
            "mha_viz.labs.sparse_cost",
            full=SparseCostOptions(tokens=SPARSE_LENGTHS, rounds=9),
            small=SparseCostOptions(tokens=(64, 128), rounds=1),
        ),
        Lab(
            "sparse_models",
            "mha_viz.labs.sparse_models",
            full=SparseModelsOptions(tokens=(16, 28, 29, 32, 48, 64, 96, 128, 256)),
            small=SparseModelsOptions(tokens=(16, 32)),
        ),
        Lab(
            "stacks",
            "mha_viz.labs.stacks",
            full=StackOptions(ffn=SWITCH, depths=DEPTHS, trained=(2, 32), steps=20, seeds=3),
            small=StackOptions(depths=(1, 2), steps=2, d_model=16, heads=2, tokens=4),
        ),
        Lab(
            "beginnings",
            "mha_viz.labs.beginnings",
            full=BeginningOptions(seeds=5),
            small=BeginningOptions(d_model=16, heads=2, tokens=4),
        ),
        Lab(
            "stable",
            "mha_viz.labs.stable",
            full=StableOptions(seeds=3),
            small=StableOptions(qk_norm=("off",), temperature=("off",), rates=(0.01,), layers=1, steps=20),
        ),
        Lab(
            "examine",
            "mha_viz.labs.examine.run",
            full=ExamineOptions(),
            small=ExamineOptions(modules=("torch",)),
        ),
    )
}


def lab_named(name: str) -> Lab:
    """A lab.

    Raises:
        InputError: there is none of that name.
    """
    if name not in LABS:
        raise InputError("error.lab", got=name, allowed=", ".join(LABS))
    return LABS[name]


def command_of(lab: str, options: Options) -> str:
    """The command that makes the result; options as they are by default are left out."""
    parts = ["python", "-m", "mha_viz", "lab", lab]
    for entry in fields(options):
        value = getattr(options, entry.name)
        if value != entry.default:
            parts += [f"--{entry.name.replace('_', '-')}", *map(str, value if many(entry) else (value,))]
    return shlex.join(parts)
