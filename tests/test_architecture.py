"""The imports of the package go one way, heavy packages stay in their rooms, and files and functions stay short."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "mha_viz"

#: Rooms from the bottom to the top. A file imports from lower ranks and from its own room; never from another room of its
#: own rank, never from above. CONTRIBUTING.md shows the same list.
RANKS = [
    ["words", "version"],
    ["errors"],
    ["settings", "children"],
    ["arrays"],
    ["spec"],
    ["tokens"],
    ["masks", "edits"],
    ["controls"],
    ["checks"],
    ["trace"],
    ["attention", "metrics", "stages", "splitting", "own"],
    ["analysis"],
    ["probes"],
    ["models", "figures"],
    ["labs"],
    ["export"],
    ["doctor", "command"],
    ["ui"],
    ["pages", "app", "__main__"],
]
RANK_OF = {room: rank for rank, rooms in enumerate(RANKS) for room in rooms}

#: Where each heavy package may be imported: rooms, or files without their ending.
HOMES = {
    "streamlit": ["ui", "pages", "app"],
    "plotly": ["figures"],
    "transformers": [f"models/huggingface/{file}" for file in ("kernel", "lean", "loading", "small", "sparse")],
    "tokenizers": [],
    "huggingface_hub": [f"models/hub/{file}" for file in ("cache", "client", "failures", "fetch", "remote")],
    "torch": ["attention", "models", "labs"],
    "sklearn": ["analysis", "labs/texts_base"],
    "datasets": ["labs/imdb"],
    "torchao": ["labs/quantising"],
    "scipy": ["analysis"],
    "pyarrow": ["export"],
    "kaleido": ["export"],
    "choreographer": ["export"],
}
#: Files of rooms that may use torch which must be importable without it.
WITHOUT_TORCH = [
    "models/__init__",
    "models/packaged",
    *(f"models/hub/{path.stem}" for path in sorted((ROOT / PACKAGE / "models" / "hub").glob("*.py"))),
    "models/editing",
    "models/text",
    "models/place",
    "models/toy/__init__",
    "models/toy/options",
    "models/toy/tokens",
    "models/toy/layout",
    "models/toy/jobs",
    "models/toy/weights",
    "labs/__init__",
    *(
        f"labs/{file}"
        for file in (
            "budget",
            "case",
            "choosing",
            "diversity",
            "imdb",
            "magnitudes",
            "options",
            "pairs",
            "plans",
            "plans_cost",
            "plans_depth",
            "plans_tried",
            "pool",
        )
    ),
    *(
        f"labs/{file}"
        for file in ("registry", "results", "savings", "stored", "texts_base", "texts_data", "texts_told")
    ),
    *(f"labs/{file}" for file in ("cost_formula", "growth_sizes", "powers", "steps")),
    *(f"labs/{file}" for file in ("lsh",)),
    *(f"labs/pitfalls/{file}" for file in ("__init__", "all", "base", "registry")),
    *(f"labs/examine/{file}" for file in ("__init__", "base", "find", "guest", "run")),
]
LONGEST_FILE = 300
LONGEST_FUNCTION = 45


class Import(NamedTuple):
    """One imported module.

    Attributes:
        line: where.
        module: dotted; for ``from a import b`` it is a.b if that is a module of the project, else a.
        for_types: only for the type checker.
        when_called: inside a function, so not when the file is imported.
    """

    line: int
    module: str
    for_types: bool
    when_called: bool


def project_files() -> list[Path]:
    files = [*(ROOT / PACKAGE).rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
    return sorted(path for path in files if path != ROOT / PACKAGE / "__init__.py")


def place(path: Path) -> str:
    """ "models/toy/weights": a file's path in the package, or in the repository for app and pages; without its ending."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "/".join(parts[1:] if parts[0] == PACKAGE else parts)


def room(path: Path) -> str:
    return place(path).split("/")[0]


def imports(source: str) -> list[Import]:
    return list(_imports(ast.parse(source), for_types=False, when_called=False))


def _imports(node: ast.AST, *, for_types: bool, when_called: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for name in node.names:
            yield Import(node.lineno, name.name, for_types, when_called)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        for name in node.names:
            yield Import(node.lineno, _module(node.module or "", name.name), for_types, when_called)
    elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        for guarded in node.body:
            yield from _imports(guarded, for_types=True, when_called=when_called)
        for other in node.orelse:
            yield from _imports(other, for_types=for_types, when_called=when_called)
    else:
        called = when_called or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from _imports(child, for_types=for_types, when_called=called)


def _module(module: str, name: str) -> str:
    within = ROOT.joinpath(*module.split("."), name)
    return f"{module}.{name}" if within.with_suffix(".py").is_file() or within.is_dir() else module


def wrong_way(path: Path, source: str) -> list[str]:
    """The imports of a file that go up or aside."""
    own = room(path)
    wrong = []
    for found in imports(source):
        parts = found.module.split(".")
        if parts[0] == PACKAGE:
            other = parts[1] if len(parts) > 1 else "the package itself"
        elif parts[0] in ("pages", "app"):
            other = parts[0]
        else:
            continue
        if other != own and RANK_OF.get(other, len(RANKS)) >= RANK_OF[own]:
            wrong.append(f"{place(path)}:{found.line} imports {found.module}")
    return wrong


FILES = pytest.mark.parametrize("path", project_files(), ids=place)


@FILES
def test_every_file_stands_in_a_ranked_room(path):
    assert room(path) in RANK_OF


@FILES
def test_imports_go_down_the_ranks(path):
    assert wrong_way(path, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("mha_viz/trace.py", "from mha_viz.metrics import METRICS"),
        ("mha_viz/metrics/base.py", "import mha_viz.attention"),
        ("mha_viz/figures/head.py", "from mha_viz.models import open_model"),
        ("mha_viz/models/base.py", "def f():\n    from mha_viz import figures"),
        ("mha_viz/models/base.py", "from mha_viz.ui import state"),
        ("mha_viz/masks.py", "import mha_viz"),
        ("mha_viz/ui/frame.py", "if TYPE_CHECKING:\n    from pages import heads"),
    ],
)
def test_an_import_that_goes_up_or_aside_is_found(file, source):
    assert len(wrong_way(ROOT / file, source)) == 1


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("mha_viz/trace.py", "from mha_viz.errors import RecordError"),
        ("mha_viz/figures/head.py", "from mha_viz.figures import theme"),
        ("mha_viz/models/toy/model.py", "from mha_viz.models.base import AttentionModel"),
        ("mha_viz/ui/heatmaps.py", "from mha_viz import figures"),
        ("pages/heads.py", "import numpy as np"),
    ],
)
def test_an_import_that_goes_down_or_stays_in_its_room_is_allowed(file, source):
    assert wrong_way(ROOT / file, source) == []


def test_the_package_itself_imports_no_user_interface_and_no_heavy_package():
    source = (ROOT / PACKAGE / "__init__.py").read_text(encoding="utf-8")
    modules = {found.module for found in imports(source) if not found.when_called}
    assert not {module for module in modules if module.split(".")[0] in HOMES}
    assert not {module for module in modules if module.split(".")[1:2] in (["ui"], ["figures"])}


@FILES
def test_heavy_packages_are_imported_only_in_their_rooms(path):
    strange = []
    for found in imports(path.read_text(encoding="utf-8")):
        homes = HOMES.get(found.module.split(".")[0])
        if homes is not None and not found.for_types and place(path) not in homes and room(path) not in homes:
            strange.append(f"{place(path)}:{found.line} imports {found.module}")
    assert not strange


@pytest.mark.parametrize("file", WITHOUT_TORCH)
def test_what_a_page_needs_before_a_model_imports_no_torch(file):
    path = ROOT / PACKAGE / f"{file}.py"
    loaded = [
        found.module
        for found in imports(path.read_text(encoding="utf-8"))
        if not found.for_types and not found.when_called
    ]
    assert not [module for module in loaded if module.split(".")[0] in ("torch", "transformers")]


HEAVY = ("torch", "transformers", "tokenizers", "huggingface_hub", "streamlit", "plotly", "pyarrow", "kaleido")


def loaded_after(code: str) -> set[str]:
    """Which heavy packages a fresh interpreter has loaded after running ``code``."""
    report = f"import sys; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{code}\n{report}"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import mha_viz",
        "import mha_viz.models",
        "import mha_viz.metrics, mha_viz.models.toy.jobs, mha_viz.models.toy.weights, mha_viz.models.toy.tokens",
        "import mha_viz; mha_viz.models.options_for('toy').spec; mha_viz.models.options_for('minilm').spec",
    ],
)
def test_importing_the_package_loads_nothing_heavy(code):
    assert loaded_after(code) == set()


def test_running_the_toy_loads_torch_and_never_transformers():
    code = "import mha_viz; m = mha_viz.open_model('toy'); m.run(m.tokenize('one two'), mha_viz.Controls(2.0))"
    assert loaded_after(code) == {"torch"}


def test_figures_load_plotly_and_no_torch():
    assert loaded_after("import mha_viz; mha_viz.figures.head_grid") == {"plotly"}


@pytest.mark.parametrize("path", [*project_files(), ROOT / PACKAGE / "__init__.py"], ids=place)
def test_files_and_functions_are_short(path):
    source = path.read_text(encoding="utf-8")
    assert source.count("\n") < LONGEST_FILE
    long = [
        f"{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 >= LONGEST_FUNCTION
    ]
    assert not long


def test_pages_are_thin():
    assert all(path.read_text(encoding="utf-8").count("\n") < 100 for path in (ROOT / "pages").glob("*.py"))


def test_contributing_shows_the_same_ranks():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = re.search(r"^```imports\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert block is not None, "CONTRIBUTING.md has no block that begins with ```imports"
    ranks = [[room.strip() for room in line.split(",")] for line in block[1].splitlines() if line.strip()]
    assert ranks == RANKS
