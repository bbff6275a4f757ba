"""`agent proxy audit|continuity|spent`: what the proxy has done, kept and paid for."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
import typer

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.i18n.catalog import say, say_many
from agent_cli.proxy.config import Config, read
from agent_cli.types.errors import ConfigurationError

Tools: TypeAlias = Annotated[
    Path | None, typer.Option("--tools", metavar="FILE", help="The proxy's configuration.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def audit(
    tools: Tools = None,
    last: Annotated[int, typer.Option("--last", min=1, help="So many lines.")] = 50,
    event: Annotated[
        list[str] | None, typer.Option("--event", help="Only of this kind, as mediation_failure.")
    ] = None,
) -> None:
    """Show the last events, one JSON object a line."""
    from agent_cli.proxy.audit import events  # noqa: PLC0415 - for this only
    from agent_cli.proxy.serving import audit_path  # noqa: PLC0415 - as above

    path = audit_path(_config(tools), os.environ)
    for line in events(path, last, frozenset(event or ())):
        sys.stdout.write(line + "\n")


def spent(
    tools: Tools = None,
    since: Annotated[str, typer.Option("--since", metavar="DAY", help="As 2031-12-24.")] = "",
    principal: Annotated[str, typer.Option("--principal", help="Only of this token.")] = "",
    json: AsJson = False,
) -> None:
    """Show what was spent, by day, token and model; dollars where the prices are known."""
    from agent_cli.proxy.kept import spent as entered  # noqa: PLC0415 - for this only

    for line in entered(_config(tools), os.environ, since, principal):
        if json:
            sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
            continue
        usd = "?" if line.unpriced == line.calls else f"{line.usd:.4f}"
        tokens = f"{line.calls:>6}  {line.input:>10} + {line.output:>8}  ${usd:>10}"
        about = f"{line.principal}  {line.provider}  {line.model}"
        sys.stdout.write(in_one_line(f"{line.day}  {tokens}  {about}") + "\n")


def list_(tools: Tools = None, json: AsJson = False) -> None:
    """List what is remembered, the newest first."""
    from agent_cli.proxy.kept import rows  # noqa: PLC0415 - for this only

    for row in rows(_config(tools), os.environ):
        if json:
            sys.stdout.write(msgspec.json.encode(row).decode() + "\n")
            continue
        when = datetime.fromtimestamp(row.created, UTC).isoformat(" ", "seconds")[:19]
        about = f"{row.id}  {when}  {row.layout:6}  {row.bytes:>8}  {row.principal}"
        sys.stdout.write(in_one_line(f"{about}  {', '.join(row.tools)}  {row.conversation}") + "\n")


def show(
    id_: Annotated[str, typer.Argument(metavar="ID", help="As `list` shows it.")],
    tools: Tools = None,
) -> None:
    """Show the messages that are put back, as JSON."""
    from agent_cli.proxy.kept import shown  # noqa: PLC0415 - for this only

    segment = shown(_config(tools), os.environ, id_)
    if segment is None:
        raise ConfigurationError(
            say("there is no segment {id!r}: `agent proxy continuity list`", id=id_)
        )
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(segment), indent=2).decode() + "\n")


def purge(
    tools: Tools = None,
    principal: Annotated[str, typer.Option("--principal", help="Only of this token.")] = "",
    conversation: Annotated[str, typer.Option("--conversation", help="Only of this one.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="Of everybody.")] = False,
) -> None:
    """Forget hidden rounds: all, or those of one token or conversation."""
    from agent_cli.proxy.kept import purged  # noqa: PLC0415 - for this only

    if not (principal or conversation or everything):
        raise typer.BadParameter(say("say --principal, --conversation or --all"))
    count = purged(_config(tools), os.environ, principal, conversation)
    forgotten = say_many("{count} segment forgotten", "{count} segments forgotten", count=count)
    sys.stdout.write(forgotten + "\n")


def _config(tools: Path | None) -> Config:
    return read(tools) if tools is not None else Config()
