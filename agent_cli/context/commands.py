"""Slash commands in Markdown: `commands/review.md` is /review.

Front matter is optional: `description`, `argument-hint` and `mode`. The text below it is what the
model reads, with `$ARGUMENTS` and `$1` to `$9` filled in.
"""

import re

from agent_cli.context._front_matter import parted
from agent_cli.types.brought import Brought, SlashCommand

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_:-]*")
_FIRST_LINE = 100
"""Characters of the text that stand in for a description."""


def read_command(file: Brought) -> SlashCommand:
    """Read a command's file; raises ValueError saying what is wrong with it."""
    name = file.name.removesuffix(".md").replace("/", ":")
    if not _NAME.fullmatch(name):
        raise ValueError("its name may hold only letters, digits, hyphens and underscores")
    found, body = parted(file.text)
    fields = found or {}
    if not body:
        raise ValueError("it says nothing")
    return SlashCommand(
        name=name,
        description=fields.get("description") or body.split("\n", 1)[0][:_FIRST_LINE],
        body=body,
        path=file.path,
        hint=fields.get("argument-hint", ""),
        mode=fields.get("mode", ""),
    )


def typed(line: str, commands: tuple[SlashCommand, ...]) -> tuple[SlashCommand, str] | None:
    """Return the command that a line begins with, and its arguments; None if it is none."""
    word, *rest = line.split(maxsplit=1) or [""]
    if not word.startswith("/"):
        return None
    found = next((command for command in commands if command.name == word[1:]), None)
    return (found, "".join(rest).strip()) if found else None
