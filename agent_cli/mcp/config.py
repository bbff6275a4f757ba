"""Which servers there are: the user's, from the settings, and a trusted folder's `.mcp.json`.

A folder's file is never opened here: who trusts the folder hands over the content they trust, and
what it was trusted with. Of two servers of one name the user's counts.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from agent_cli.i18n.catalog import say
from agent_cli.mcp.names import server_name
from agent_cli.settings.schema import McpServer
from agent_cli.trust.manifest import Manifest

_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_HTTP = frozenset({"", "http", "streamable-http", "streamableHttp"})


class FoldersFile(Struct, frozen=True):
    """The `.mcp.json` of a trusted folder."""

    content: bytes
    trusted: Manifest
    """What the folder was trusted with; none of its servers starts once that has changed."""


class Server(Struct, frozen=True):
    """A server that can be connected to, all variables replaced."""

    name: str
    argv: tuple[str, ...] = ()
    """Empty for one that is reached by its address."""
    environ: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    cwd: Path = Path()
    url: str = ""
    headers: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    timeout: float = 60.0
    trusted: Manifest | None = None
    """For a folder's server, what the folder was trusted with."""


class Known(Struct, frozen=True):
    servers: tuple[Server, ...] = ()
    problems: tuple[str, ...] = ()
    """Why others cannot be used, for the user to read."""


class _Entry(Struct, frozen=True):
    """A server as other programs write it; what they say beyond that is left alone."""

    type: str = ""
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    timeout: float = 60.0
    disabled: bool = False


class _File(Struct, frozen=True):
    servers: dict[str, msgspec.Raw] = msgspec.field(
        default_factory=dict[str, msgspec.Raw], name="mcpServers"
    )


class _UnusableError(ValueError):
    """Why a server cannot be used."""


def known(
    settings: Mapping[str, McpServer],
    root: Path,
    environ: Mapping[str, str],
    folders: FoldersFile | None = None,
) -> Known:
    """Return all servers that are not disabled, in the order of their names."""
    servers: dict[str, Server] = {}
    problems: list[str] = []
    taken: set[str] = set()
    for written, entry, trusted in (*_users(settings), *_folders(folders, problems)):
        name = server_name(written)
        if name in taken:
            problems.append(say("server {name}: there are two of this name", name=repr(written)))
            continue
        taken.add(name)
        if entry.disabled:
            continue
        try:
            servers[name] = _server(name, entry, root, environ, trusted)
        except _UnusableError as problem:
            problems.append(
                say("server {name}: {problem}", name=repr(written), problem=str(problem))
            )
    ordered = tuple(servers[name] for name in sorted(servers))
    return Known(ordered, tuple(problems))


def _users(
    settings: Mapping[str, McpServer],
) -> Iterator[tuple[str, McpServer, Manifest | None]]:
    for name, server in settings.items():
        yield name, server, None


def _folders(
    file: FoldersFile | None, problems: list[str]
) -> Iterator[tuple[str, McpServer, Manifest | None]]:
    if file is None:
        return
    try:
        entries = msgspec.json.decode(file.content, type=_File).servers
    except (msgspec.DecodeError, RecursionError) as error:
        problems.append(say(".mcp.json cannot be read: {error}", error=str(error)))
        return
    for name, raw in entries.items():
        try:
            yield name, _as_setting(msgspec.json.decode(raw, type=_Entry)), file.trusted
        except (msgspec.DecodeError, _UnusableError) as error:
            problems.append(say("server {name}: {problem}", name=repr(name), problem=str(error)))


def _as_setting(entry: _Entry) -> McpServer:
    if entry.cwd:
        raise _UnusableError(say("a folder's server runs in the folder, so leave out `cwd`"))
    if entry.url and entry.type not in _HTTP:
        raise _UnusableError(say("type {type} is not supported; use http", type=repr(entry.type)))
    return McpServer(
        command=entry.command,
        args=entry.args,
        env=entry.env,
        url=entry.url,
        headers=entry.headers,
        timeout=min(max(entry.timeout, 1.0), 3600.0),
        disabled=entry.disabled,
    )


def _server(
    name: str, entry: McpServer, root: Path, environ: Mapping[str, str], trusted: Manifest | None
) -> Server:
    if not name:
        raise _UnusableError(say("a name needs letters or digits"))
    if bool(entry.command) == bool(entry.url):
        raise _UnusableError(say("it needs either `command` or `url`"))

    def filled(value: Any) -> str:
        return _VARIABLE.sub(lambda found: _value(found, environ), str(value))

    if entry.url and not filled(entry.url).startswith(("http://", "https://")):
        raise _UnusableError(say("its address must begin with http:// or https://"))
    words = (entry.command, *entry.args) if entry.command else ()
    return Server(
        name=name,
        argv=tuple(_home(filled(word), environ) for word in words),
        environ={variable: filled(text) for variable, text in entry.env.items()},
        cwd=root / _home(entry.cwd, environ),
        url=filled(entry.url),
        headers={header: filled(text) for header, text in entry.headers.items()},
        timeout=entry.timeout,
        trusted=trusted,
    )


def _value(found: re.Match[str], environ: Mapping[str, str]) -> str:
    value = environ.get(found[1]) or found[2]
    if value is None:
        raise _UnusableError(say("the variable {name} is not set", name=found[1]))
    return value


def _home(word: str, environ: Mapping[str, str]) -> str:
    if word == "~" or word.startswith("~/"):
        return environ.get("HOME", "~") + word[1:]
    return word
