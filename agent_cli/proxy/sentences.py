"""What models read from the proxy; the words stand in prompts/replies/proxy.toml."""

import tomllib
from functools import cache
from string import Template
from typing import Any

from agent_cli.resources.prompts import prompt


def sentence(name: str, **values: str) -> str:
    """Return the sentence with its `$name`s filled in."""
    return Template(_sentences()[name]).substitute(values)


@cache
def _sentences() -> dict[str, Any]:
    return tomllib.loads(prompt("replies/proxy.toml"))
