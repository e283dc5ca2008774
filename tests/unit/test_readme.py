"""The example of the README runs, and prints what the README says."""

import contextlib
import io
import pathlib
import re

import pytest

README = pathlib.Path(__file__).parents[2] / "README.md"


@pytest.mark.model
def test_the_python_example_prints_what_the_readme_shows() -> None:
    example = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    assert example
    code, shown = example.groups()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert printed.getvalue() == shown


def test_the_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    targets = re.findall(r"^([a-z-]+):", (README.parent / "Makefile").read_text(encoding="utf-8"), re.M)
    named = re.findall(r"`?make ([a-z-]+)", README.read_text(encoding="utf-8"))
    assert named
    assert set(named) <= set(targets)
