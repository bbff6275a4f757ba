"""What is known of programs: tables of options, one file per family."""

import functools
import re
from collections.abc import Mapping

from agent_cli.approval.programs import (
    builtins,
    files,
    git,
    javascript,
    languages,
    machines,
    network,
    python,
    text,
)
from agent_cli.approval.programs._program import Program, joined

__all__ = ["Program", "find", "subcommand"]

_FAMILIES = (builtins, files, javascript, languages, machines, network, python, text)
_VERSION = re.compile(r"-?\d[\d.]*$")


@functools.cache
def _table() -> Mapping[str, Program]:
    found: dict[str, Program] = {"git": git.GENERAL}
    for family in _FAMILIES:
        for names, row in family.PROGRAMS.items():
            found.update(dict.fromkeys(names.split(), row))
    return found


def find(name: str) -> Program | None:
    """Return the row of a program, by its name with or without a version."""
    table = _table()
    return table.get(name) or table.get(_VERSION.sub("", name))


def subcommand(program: str, verb: str) -> Program | None:
    """Return the row of a subcommand, with what all subcommands of the program have."""
    if program == "git":
        own = git.SUBCOMMANDS.get(verb)
        return None if own is None else joined(git.EVERY, own)
    general, own = find(program), _table().get(f"{program}/{verb}")
    return None if own is None or general is None else joined(general, own)
