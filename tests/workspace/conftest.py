"""Workspaces to test on."""

from pathlib import Path

import pytest
from testbed.traps import lay_traps


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return lay_traps(tmp_path)
