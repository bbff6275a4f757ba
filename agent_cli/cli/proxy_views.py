"""`agent proxy explain|audit|continuity`: how the proxy works, and what it has done and kept."""

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

_EXAMPLE = """
    [upstream]
    url = "https://api.example.com"
    api_key_env = "UPSTREAM_KEY"

    [tokens.alice]
    env = "ALICE_TOKEN"

    [mcp.docs]
    command = "docs-server"

    [treat."docs.search"]
    read_only = true

    [http."crm.update"]
    url = "https://crm.example.com/customers/{id}"
    headers = { authorization = "Bearer ${CRM_TOKEN}" }
    parameters = { type = "object", properties = { id = { type = "string" } } }

    [continuity]            # only for several replicas: instead of a file, a Postgres database
    postgres_env = "REMEMBERED_AT"
"""


def explain() -> None:
    """Tell who executes which call, in which order, and what a refused client sees."""
    paragraphs = (
        say(
            "Ownership. The proxy adds its managed tools to those of the client, after them and "
            "under names that no tool of the client has. A call of a managed tool is made here, in "
            "a hidden round: the model sees call and result, the client sees neither. Every other "
            "call is native: it goes to the client as it is."
        ),
        say(
            "Order. The order of the model is never changed. Managed calls that lead a reply are "
            "made, and the native calls after them go to the client. A native call before a "
            "managed one would have to be made in the middle of the reply: such a reply is "
            "refused, and nothing of it is executed."
        ),
        say(
            "What a refused client sees. HTTP status 400 with the code mixed_tool_order, or the "
            "dialect's error event if the stream had begun. It names both groups of calls and asks "
            "to make the managed ones alone, and the others in a later response. When the same "
            "request comes again, the model itself is told so."
        ),
        say(
            "Continuity. Hidden rounds are kept and put back into every later request that holds "
            "their place, also after a restart. They belong to the token and the conversation of "
            "the request; where two could be meant, none is put back. A call with a side effect "
            "is not made again when a request is repeated."
        ),
        say(
            "Streams. Text passes at once; calls are held back until the reply is whole. While "
            "managed tools run, a heartbeat keeps the client waiting. What only passes through, "
            "because no managed tool was added, is not touched at all. The header "
            "x-agent-proxy-mediation: off asks for that."
        ),
        say("A configuration:") + "\n" + _EXAMPLE.rstrip(),
    )
    sys.stdout.write("\n\n".join(paragraphs) + "\n")


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
