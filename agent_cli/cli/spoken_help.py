"""Help in the user's language: what typer shows of a command is put through `say`.

A command's help is its docstring, as typer cleans it, and an option's stands in its annotation:
each is the message that is looked up. typer's own words come from its core, by gettext's name.
"""

import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import typer

from agent_cli.i18n.catalog import language, say

TYPERS_WORDS = (
    "Arguments",
    "Options",
    "Commands",
    "default: {default}",
    "required",
    "env var: {var}",
    "Aborted!",
    "Missing command.",
    "No such command {name!r}.",
)


def command_of(app: typer.Typer) -> Any:
    """Return the application's command; it speaks the user's language."""
    command = typer.main.get_command(app)
    if not language(os.environ).startswith("en"):
        vars(import_module("typer.core"))["_"] = say
        for part in parts(command):
            part.help = say(part.help)
    return command


def parts(command: Any) -> Iterator[Any]:
    """Return whatever has a help text: the command, its parameters, and its subcommands."""
    own = command.get_help_option(typer.Context(command))
    yield from (part for part in (command, own, *command.params) if getattr(part, "help", None))
    for below in getattr(command, "commands", {}).values():
        yield from parts(below)
