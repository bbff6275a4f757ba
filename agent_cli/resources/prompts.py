"""Where the prompts are: in the wheel, or beside the package in a checkout."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def prompts() -> Traversable:
    """Return the folder of prompts; the packaged one first.

    In site-packages a sibling called `prompts` could belong to somebody else.
    """
    packaged = files("agent_cli") / "_prompts"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "prompts"


def prompt(name: str) -> str:
    """Return the text of one prompt file, say `system/role.md`."""
    return prompts().joinpath(name).read_text(encoding="utf-8")
