"""What the model is told about where it is: facts that stay, and details that change.

Facts stand in the system prompt and hold nothing that changes during a session, so that the
prompt can be cached. Details are put at the end of a user's message and recorded with it.
"""

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from agent_cli.context._texts import fill, table
from agent_cli.context.modes import Mode
from agent_cli.processes.background import Standing
from agent_cli.processes.environment import shell
from agent_cli.types.entries import Todo

MOST_NAMES = 200
"""Names of the workspace that are shown."""

LONGEST_COMMAND = 200
"""Characters of a command in the background."""

_TAG = "environment_details"


class Facts(Struct, frozen=True):
    os: str
    shell: str
    home: str
    root: str
    """The workspace, an absolute path."""


def facts(root: Path, environ: Mapping[str, str]) -> Facts:
    """Return what holds for the whole session; the shell is the one that runs commands."""
    system = os.uname()
    return Facts(
        os=f"{system.sysname} {system.release}",
        shell=shell(environ),
        home=spelled(environ.get("HOME") or Path.home()),
        root=spelled(root),
    )


def spelled(path: Path | str) -> str:
    """Return the path as text: bytes that are none are shown as escapes."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def details(  # noqa: PLR0913 - the parts of the block, each by name
    *,
    now: datetime,
    mode: Mode,
    todos: Sequence[Todo],
    names: Sequence[str] | None = None,
    restored: Sequence[str] = (),
    commands: Sequence[Standing] = (),
    planning: bool | None = None,
) -> str:
    """Return the block for a user's message; `names`, for the first one, lists the workspace.

    `planning` says that plan mode is on, or that it is over; None where it never was.
    `restored` are files that the user has undone or redone; `commands` are in the background.
    """
    texts: dict[str, str] = table("system/phrases.toml")["environment"]
    parts = [
        fill(texts["time"], time=now.isoformat(timespec="seconds")),
        fill(texts["mode"], slug=mode.slug, name=mode.name),
    ]
    if planning is not None:
        parts.append(texts["planning" if planning else "planned"])
    if names is not None:
        parts.append(fill(texts["listing"], names=_listing(names, texts)))
    if restored:
        paths = "\n".join(_one_line(path) for path in dict.fromkeys(restored))
        parts.append(fill(texts["restored"], names=paths))
    if commands:
        rows = "\n".join(_command(one, texts) for one in commands)
        parts.append(fill(texts["commands"], rows=rows))
    parts.append(_todo_table(todos, texts) if todos else texts["no_todos"])
    text = "\n\n".join(parts)
    return f"<{_TAG}>\n{text}\n</{_TAG}>"


def _listing(names: Sequence[str], texts: dict[str, str]) -> str:
    if not names:
        return texts["listing_empty"]
    lines = [_one_line(name) for name in names[:MOST_NAMES]]
    if len(names) > MOST_NAMES:
        lines.append(fill(texts["listing_cut"], most=str(MOST_NAMES)))
    return "\n".join(lines)


def _command(one: Standing, texts: dict[str, str]) -> str:
    line = _one_line(one.command)
    command = line if len(line) <= LONGEST_COMMAND else f"{line[: LONGEST_COMMAND - 1]}…"
    state = texts["runs" if one.running else "ended"]
    return fill(texts["command"], id=one.process_id, command=command, state=state)


def _todo_table(todos: Sequence[Todo], texts: dict[str, str]) -> str:
    rows = [
        fill(
            texts["todo"],
            number=str(number),
            text=_one_line(todo.text).replace("|", "\\|"),
            status=todo.status.replace("_", " "),
        )
        for number, todo in enumerate(todos, start=1)
    ]
    return fill(texts["todos"], rows="\n".join(rows))


def _one_line(text: str) -> str:
    """Return the text so that it can neither break its line nor end the block it stands in."""
    visible = "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text
    )
    return visible.replace(f"</{_TAG}", f"<\\/{_TAG}")
