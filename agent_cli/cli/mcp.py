"""`agent mcp`: the servers that bring tools: which there are, whether they work."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec
import typer

from agent_cli.approval.server_tools import tool_name
from agent_cli.cli.options import Cwd, directory
from agent_cli.cli.trusting import folders_servers, standing_of
from agent_cli.engine.outcomes import EXIT_STATUS, Verdict
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.columns import left
from agent_cli.i18n.catalog import say
from agent_cli.mcp.config import Known, known
from agent_cli.settings.edit import add_server, remove_server
from agent_cli.settings.load import load
from agent_cli.settings.places import config_file
from agent_cli.settings.schema import McpServer, Settings
from agent_cli.types.errors import ConfigurationError, ToolError

if TYPE_CHECKING:
    from agent_cli.mcp.hub import Hub

_WIDTH = 100
"""Characters of a description that are shown."""

Name: TypeAlias = Annotated[str, typer.Argument(metavar="NAME", help="How it is called.")]
Program: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="[-- COMMAND ARGS...]", help="The program that is the server."),
]
Url: TypeAlias = Annotated[str, typer.Option("--url", help="The address, for a server elsewhere.")]
Env: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--env", help="NAME=VALUE for the program; ${NAME} is filled in."),
]
Header: TypeAlias = Annotated[
    list[str] | None, typer.Option("--header", help="NAME=VALUE to send along.")
]
Timeout: TypeAlias = Annotated[float, typer.Option("--timeout", help="Seconds for one call.")]


def add(
    name: Name,
    program: Program = None,
    url: Url = "",
    env: Env = None,
    header: Header = None,
    timeout: Timeout = 60.0,
) -> None:
    """Add a server to your settings: agent mcp add files -- npx server-filesystem ."""
    words = program or []
    if bool(words) == bool(url):
        raise typer.BadParameter(say("say either a program, after --, or --url"))
    written = {
        "command": words[0] if words else "",
        "args": words[1:],
        "env": _pairs(env, "--env"),
        "url": url,
        "headers": _pairs(header, "--header"),
        "timeout": timeout,
    }
    try:
        server = msgspec.convert(written, McpServer)
    except msgspec.ValidationError as error:
        raise ConfigurationError(say("server {name!r}: {error}", name=name, error=error)) from error
    found = known({name: server}, Path.cwd(), os.environ)
    if found.problems:
        raise ConfigurationError(found.problems[0])
    path = config_file(os.environ)
    add_server(path, name, server)
    sys.stdout.write(say("added to {path}", path=visible(str(path))) + "\n")


def remove(name: Name) -> None:
    """Remove a server from your settings."""
    path = config_file(os.environ)
    remove_server(path, name)
    sys.stdout.write(say("removed from {path}", path=visible(str(path))) + "\n")


def list_(cwd: Cwd = None) -> None:
    """List your servers, and those of the folder."""
    root = directory(cwd)
    settings = load(os.environ)
    standing = standing_of(root, os.environ)
    found = known(settings.mcp.servers, root.resolve(), os.environ, folders_servers(standing))
    hide = _hider(settings, found)
    for server in found.servers:
        whose = say("this folder's") if server.trusted is not None else say("yours")
        where = server.url or " ".join(server.argv)
        sys.stdout.write(f"{left(server.name, 20)} {left(whose, 14)} {in_one_line(hide(where))}\n")
    for name, written in settings.mcp.servers.items():
        if written.disabled:
            sys.stdout.write(f"{left(in_one_line(name), 20)} {say('disabled')}\n")
    for problem in found.problems:
        sys.stderr.write(visible(hide(problem)) + "\n")
    if standing.manifest.content(".mcp.json") is not None and not standing.trusted:
        sys.stderr.write(
            say("this folder's .mcp.json has no effect, for the folder is not trusted") + "\n"
        )


def try_out(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="One of them; all if left out.")
    ] = "",
    cwd: Cwd = None,
) -> None:
    """Connect to the servers and show what they have. Exit status 3 if one does not work."""
    root = directory(cwd)
    settings = load(os.environ)
    standing = standing_of(root, os.environ)
    found = known(settings.mcp.servers, root.resolve(), os.environ, folders_servers(standing))
    chosen = tuple(one for one in found.servers if name in ("", one.name))
    if name and not chosen:
        names = ", ".join(one.name for one in found.servers)
        raise ConfigurationError(
            say("there is no server {name!r}; servers: {known}", name=name, known=names or "-")
        )
    hide = _hider(settings, found)
    works = asyncio.run(_try(Known(chosen), hide)) and (bool(name) or not found.problems)
    for problem in () if name else found.problems:
        sys.stderr.write(visible(hide(problem)) + "\n")
    raise typer.Exit(0 if works else EXIT_STATUS[Verdict.UNRESOLVED])


async def _try(found: Known, hide: Callable[[str], str]) -> bool:
    """Connect to all of them, one after the other; return whether all can be used."""
    from agent_cli.mcp.hub import Hub  # noqa: PLC0415 - only to connect
    from agent_cli.processes.run import Processes  # noqa: PLC0415 - as above

    works, said = True, list[str]()
    async with Processes(os.environ) as processes:
        hub = Hub(found, processes, said.append, 0)
        try:
            for server in found.servers:
                try:
                    await hub.connect(server.name)
                except ToolError as error:
                    sys.stdout.write(f"✗ {visible(hide(str(error)))}\n")
                    works = False
                    continue
                _show(server.name, hub)
        finally:
            await hub.close()
    return works


def _show(server: str, hub: "Hub") -> None:
    tools, resources = hub.tools(server), hub.resources(server)
    counted = say(
        "tools: {tools}, resources: {resources}", tools=len(tools), resources=len(resources)
    )
    sys.stdout.write(f"✓ {server}: {counted}\n")
    for tool in tools:
        about = tool.description.strip().partition("\n")[0][:_WIDTH]
        name = tool_name(server, tool.name)
        sys.stdout.write(in_one_line(f"  {name}  {about}".rstrip()) + "\n")


def _pairs(given: list[str] | None, option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given or ():
        name, separator, value = text.partition("=")
        if not (name and separator):
            raise typer.BadParameter(
                say("write NAME=VALUE, not {text}", text=repr(text)), param_hint=option
            )
        pairs[name] = value
    return pairs


def _hider(settings: Settings, found: Known) -> Callable[[str], str]:
    from agent_cli.runtime.redaction import secrets  # noqa: PLC0415 - where something is shown
    from agent_cli.types.redaction import Redactor  # noqa: PLC0415 - as above

    return Redactor(secrets(settings, os.environ, found.servers)).text


COMMANDS = {"add": add, "list": list_, "remove": remove, "test": try_out}
