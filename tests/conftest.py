"""How tests are shared out between processes, and which are tried twice."""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.serving import ROOT

_BROWSER = ROOT / "tests" / "browser"


class _ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """A file stays in one process, and so do all browser tests: two browsers at once on two cores keep each other waiting.

    xdist's own groups (``--dist=loadgroup``) do nothing with pytest 9.2: they are written into a name that is not read.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "browser" if file.startswith("tests/browser/") else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _ByFile:
    """For whatever ``--dist`` says."""
    return _ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come first, since they take longest, and are tried up to twice more if they fail."""
    for item in items:
        if _BROWSER in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=2))
    items.sort(key=lambda item: _BROWSER not in item.path.parents)
