"""All scenarios of calls that fail, by tool and by the name that the tool has for it."""

import os
import shutil

import pytest
from testbed import failing_commands, failing_files, failing_places, failing_searches
from testbed.scenario import Scenario

from agent_cli.tools._browser import installed

TABLES = (failing_files, failing_searches, failing_commands, failing_places)
SCENARIOS: dict[str, dict[str, Scenario]] = {
    tool: rows for table in TABLES for tool, rows in table.SCENARIOS.items()
}
_MISSING = {
    "browser_action": installed(os.environ.get("PATH")) is None,
    "protected": shutil.which("bwrap") is None,
}


def needs(*names: str) -> list[pytest.MarkDecorator]:
    """Return the marks of what takes a program that not every machine has."""
    missing = [name for name in names if _MISSING.get(name)]
    return [pytest.mark.skip(reason=f"no program for {name}") for name in missing]
