"""Where the prompts are: in the wheel, or beside the package in a checkout."""

from pathlib import Path


def prompts() -> Path:
    """Return the folder of prompts; the packaged one first.

    In site-packages a sibling called `prompts` could belong to somebody else. A path, not
    `importlib.resources`: that costs 5 ms at every start.
    """
    package = Path(__file__).parents[1]
    packaged = package / "_prompts"
    return packaged if packaged.is_dir() else package.parent / "prompts"


def prompt(name: str) -> str:
    """Return the text of one prompt file, say `system/role.md`."""
    return (prompts() / name).read_text(encoding="utf-8")
