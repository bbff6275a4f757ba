"""Workspaces to test on."""

from pathlib import Path

import pytest
from testbed.traps import lay_traps

from agent_cli.workspace import _descend, _openat2


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return lay_traps(tmp_path)


@pytest.fixture(params=["openat2", "step by step"], autouse=True)
def way_down(request, monkeypatch) -> None:
    """Both ways to a directory: in one system call where there is it, and one after the other."""
    if request.param == "step by step":
        monkeypatch.setattr(_descend, "open_without_links", lambda *_: None)
    elif _openat2._call() is None:
        pytest.skip("this system has no openat2")
