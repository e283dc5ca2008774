"""How tests are shared out between processes, and which are tried twice."""

from __future__ import annotations

import pytest

from tests.serving import ROOT

_BROWSER = ROOT / "tests" / "browser"


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file stays in one process, and so do all browser tests: two browsers at once on two cores keep each other waiting."""
    for item in items:
        if _BROWSER in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))
            item.add_marker(pytest.mark.flaky(reruns=1))
        else:
            item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(ROOT))))
