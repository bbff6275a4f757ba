"""The prompt files of this package's kind: templates to fill in and tables of short texts."""

import functools
from string import Template
from typing import Any

from agent_cli.resources.prompts import prompt


def fill(template: str, **values: str) -> str:
    """Fill in `$name`s; a name without a value raises KeyError. Values are never expanded."""
    return Template(template).substitute(values)


@functools.cache
def document(name: str) -> str:
    """Return the text of a Markdown prompt without its last line end."""
    return prompt(name).rstrip("\n")


@functools.cache
def table(name: str) -> dict[str, Any]:
    """Return a TOML file of prompts. Shared by all callers: read it, never write to it."""
    import tomllib  # noqa: PLC0415 - 2 ms that a run without replies does not need

    return tomllib.loads(prompt(name))
