"""Changes to the user's settings file that leave every other line of it as it is.

A server is written as one table at the end, and its table is taken out again. Whatever comes out
is read before it is kept: it must say what the file said before, but for that one server.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast

import msgspec

from agent_cli.i18n.catalog import say
from agent_cli.settings.rewrite import rewrite
from agent_cli.settings.schema import McpServer
from agent_cli.types.errors import ConfigurationError

Table: TypeAlias = dict[str, Any]
Change: TypeAlias = Callable[[str], tuple[str, Table]]
"""Makes of the file's text another one, and what that must say."""
_LINE_END = re.compile(r"(?<=\n)")
"""TOML has no other, and a text of it may hold what Python takes for one."""


def add_server(path: Path, name: str, server: McpServer) -> None:
    """Write the server into the file; raises ConfigurationError."""
    written = _plain(server)
    lines = [f"[mcp.servers.{key_of(name)}]", *(f"{key} = {toml(written[key])}" for key in written)]

    def change(text: str) -> tuple[str, Table]:
        table = parsed(path, text)
        servers = _servers(table)
        if name in servers:
            raise ConfigurationError(
                say(
                    "there is a server {name!r} in {path!r}: remove it first",
                    name=name,
                    path=str(path),
                )
            )
        above = f"{text.rstrip()}\n\n" if text.strip() else ""
        return above + "\n".join(lines) + "\n", _with(table, {**servers, name: written})

    update(path, change)


def remove_server(path: Path, name: str) -> None:
    """Take the server out of the file; raises ConfigurationError."""

    def change(text: str) -> tuple[str, Table]:
        table = parsed(path, text)
        servers = _servers(table)
        if name not in servers:
            known = ", ".join(servers) or "-"
            raise ConfigurationError(
                say(
                    "there is no server {name!r} in {path!r}; servers: {known}",
                    name=name,
                    path=str(path),
                    known=known,
                )
            )
        kept = without_tables(_LINE_END.split(text), ["mcp", "servers", name])
        rest = {key: value for key, value in servers.items() if key != name}
        return kept, _with(table, rest)

    update(path, change)


def _plain(server: McpServer) -> Table:
    """Return what is not as it would be anyway."""
    ordinary, written = (
        msgspec.json.decode(msgspec.json.encode(one), type=Table) for one in (McpServer(), server)
    )
    return {key: value for key, value in written.items() if value != ordinary[key]}


def _with(table: Table, servers: Mapping[str, object]) -> Table:
    """Return the table with these servers, and nothing where there are none."""
    found = table.get("mcp", {})
    if not isinstance(found, dict):
        return table
    mcp = {key: one for key, one in cast("Table", found).items() if key != "servers"}
    rest = {key: value for key, value in table.items() if key != "mcp"}
    if servers:
        mcp["servers"] = dict(servers)
    return {**rest, "mcp": mcp} if mcp else rest


def update(path: Path, change: Change) -> None:
    """Write what the change makes of the file, as it is when it is written."""
    rewrite(path, lambda text: _changed(path, text, change))


def _changed(path: Path, before: str, change: Change) -> str:
    """Return the new text, if it says what is meant."""
    text, meant = change(before)
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        said = None
    if said is None or _with(said, _servers(said)) != _with(meant, _servers(meant)):
        raise ConfigurationError(
            say(
                "{path!r} is written in a way that cannot be changed here: edit it by hand",
                path=str(path),
            )
        )
    return text


def parsed(path: Path, text: str) -> Table:
    """Return what the text says; raises ConfigurationError."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(
            say("{path}: not valid TOML: {error}", path=path, error=error)
        ) from error


def _servers(table: Table) -> Table:
    mcp = table.get("mcp", {})
    servers = mcp.get("servers", {}) if isinstance(mcp, dict) else {}  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - TOML
    return cast("Table", servers) if isinstance(servers, dict) else {}


def without_tables(lines: list[str], keys: list[str]) -> str:
    """Return the lines without the table, those below it, and their values."""
    kept: list[str] = []
    held: list[str] = []
    inside = False
    for line in lines:
        if line.lstrip().startswith("["):
            inside = _header(line)[: len(keys)] == keys
            kept += held  # a remark above the next table is that table's
            held = []
        if not inside:
            kept.append(line)
        elif line.strip() and not line.lstrip().startswith("#"):
            held = []
        else:
            held.append(line)
    return "".join(kept)


def _header(line: str) -> list[str]:
    """Return the keys of a table's header; none if it is something else."""
    try:
        table: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return []
    keys: list[str] = []
    while isinstance(table, dict) and table:
        ((key, table),) = cast("Table", table).items()
        keys.append(key)
    return keys


def key_of(name: str) -> str:
    """Write a key."""
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if bare else toml(name)


def toml(value: object) -> str:
    """Write a value."""
    if isinstance(value, dict):
        pairs = cast("Table", value).items()
        return "{ " + ", ".join(f"{key_of(key)} = {toml(one)}" for key, one in pairs) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(one) for one in cast("list[object]", value)) + "]"
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
