"""The demo: a small project with a fault in it, and the script of the model's part."""

import shutil
from pathlib import Path

PROMPT = "The tests fail. Find out why, repair it, and show me that they pass."

_HERE = Path(__file__).parent
_IGNORED = shutil.ignore_patterns("__pycache__", ".pytest_cache")


def copy_project(target: Path) -> None:
    """Copy the sample project to `target`, which must not exist."""
    shutil.copytree(_HERE / "project", target, ignore=_IGNORED)


def script() -> Path:
    """Return the cassette that plays the model."""
    return _HERE / "script.jsonl"
