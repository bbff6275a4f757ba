"""The demo: a small project with a fault in it, and the script of the model's part."""

import shutil
from importlib.resources import as_file, files
from pathlib import Path

PROMPT = "The tests fail. Find out why, repair it, and show me that they pass."

_IGNORED = shutil.ignore_patterns("__pycache__", ".pytest_cache")


def copy_project(target: Path) -> None:
    """Copy the sample project to `target`, which must not exist."""
    with as_file(files(__name__) / "project") as source:
        shutil.copytree(source, target, ignore=_IGNORED)


def script() -> Path:
    """Return the cassette that plays the model."""
    with as_file(files(__name__) / "script.jsonl") as path:
        return path
