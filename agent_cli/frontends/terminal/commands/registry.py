"""The slash commands there are: every public module of this package that defines `COMMAND`.

A mistyped command is reported, never sent to the model and never run as the nearest one.
"""

import functools
import pkgutil
from collections.abc import Coroutine
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from agent_cli.context.commands import typed
from agent_cli.context.customs import Customs
from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal import commands
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.i18n.catalog import say

_NOT_COMMANDS = frozenset({"base", "registry"})


@functools.cache
def built_in() -> tuple[Command, ...]:
    """Return our commands in alphabetical order."""
    names = (module.name for module in pkgutil.iter_modules(commands.__path__))
    return tuple(
        import_module(f"agent_cli.frontends.terminal.commands.{name}").COMMAND
        for name in sorted(names)
        if name not in _NOT_COMMANDS and not name.startswith("_")
    )


def find(name: str) -> Command | None:
    """Return the command of that name or alias."""
    return next((one for one in built_in() if name in (one.name, *one.aliases)), None)


def is_prompt(customs: Customs, line: str) -> bool:
    """Whether the line is for the model: no command, or one whose text is written in Markdown.

    Our own commands come first: what they do must not depend on the folder. No name of a command
    holds a slash, so what begins with a path is words.
    """
    if not line.startswith("/"):
        return True
    name, _ = parted(line)
    return "/" in name or (find(name) is None and bool(typed(line, customs.commands)))


def run(here: Here, line: str) -> Answer | Coroutine[Any, Any, Answer]:
    """Run the command that the line names."""
    name, argument = parted(line)
    command = find(name)
    if command is None:
        return unknown(here.agent.customs, name)
    return command.run(here, argument)


def unknown(customs: Customs, name: str) -> str:
    """Say that there is no such command, and which ones have names like it."""
    ours = [one for command in built_in() for one in (command.name, *command.aliases)]
    near = get_close_matches(name, [*ours, *(one.name for one in customs.commands)])
    if not near:
        return visible(say("there is no command /{name}; /help lists them", name=name))
    names = ", ".join(f"/{one}" for one in near)
    told = say(
        "there is no command /{name}; like it: {names}; /help lists all", name=name, names=names
    )
    return visible(told)


def parted(line: str) -> tuple[str, str]:
    """Return the name of the command that a line begins with, and what stands behind it."""
    name, *rest = line[1:].split(maxsplit=1) or [""]
    return name, "".join(rest).strip()
