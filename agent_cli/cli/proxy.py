"""`agent proxy`: stands between any client and its model, and gives it tools of its own."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from agent_cli.cli.proxy_explain import explain
from agent_cli.cli.proxy_views import audit, list_, purge, show, spent
from agent_cli.frontends.sanitiser import visible
from agent_cli.i18n.catalog import say
from agent_cli.proxy.config import Config, checked, read
from agent_cli.types.errors import ConfigurationError


def start(
    context: typer.Context,
    upstream: Annotated[
        str, typer.Option("--upstream", metavar="URL", help="Whose API it stands before.")
    ] = "",
    tools: Annotated[
        Path | None, typer.Option("--tools", metavar="FILE", help="proxy.toml; see `explain`.")
    ] = None,
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Instead of 127.0.0.1:8788.")
    ] = "",
    api_key_env: Annotated[
        str, typer.Option("--api-key-env", help="The variable that holds the upstream's key.")
    ] = "",
    no_auth: Annotated[
        bool, typer.Option("--no-auth", help="No token needed; on this machine only.")
    ] = False,
) -> None:
    """Serve Chat Completions, Responses and Messages, with tools that this machine runs.

    Clients keep their own tools. Calls of managed tools are made here and stay unseen; calls of
    the client's tools go to the client. `agent proxy explain` tells how the two go together.
    Ends in good order on SIGTERM. Exit status 52 for a configuration that cannot be used.
    """
    if context.invoked_subcommand is not None:
        return
    config = read(tools) if tools is not None else Config()
    config = with_flags(config, upstream, listen, api_key_env, no_auth=no_auth)
    from agent_cli.proxy.serving import serve  # noqa: PLC0415 - half a second, to serve only

    asyncio.run(serve(checked(config, os.environ), os.environ, _tell))


def with_flags(
    config: Config, upstream: str, listen: str, api_key_env: str, *, no_auth: bool
) -> Config:
    """Return the configuration with what was said on the command line."""
    changed = config.upstream
    if upstream:
        changed = replace(changed, url=upstream)
    if api_key_env:
        changed = replace(changed, api_key_env=api_key_env)
    server = config.server
    if listen:
        host, _, port = listen.rpartition(":")
        if not port.isdecimal() or int(port) > 65_535:  # noqa: PLR2004 - the last port there is
            raise ConfigurationError(
                say("--listen {listen!r}: write HOST:PORT, as in 127.0.0.1:8788", listen=listen)
            )
        server = replace(server, host=host.strip("[]") or server.host, port=int(port))
    if no_auth:
        server = replace(server, auth="none")
    return replace(config, upstream=changed, server=server)


def _tell(text: str) -> None:
    if text.startswith("http://"):
        text = say("serving on {url}", url=text)
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()


def register(app: typer.Typer) -> None:
    """Add what `agent proxy` can do."""
    app.callback(invoke_without_command=True)(start)
    app.command("explain")(explain)
    app.command("audit")(audit)
    app.command("spent")(spent)
    continuity = typer.Typer(rich_markup_mode=None, help="What is remembered of hidden rounds.")
    continuity.command("list")(list_)
    continuity.command("show")(show)
    continuity.command("purge")(purge)
    app.add_typer(continuity, name="continuity")
