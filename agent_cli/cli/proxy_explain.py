"""`agent proxy explain`: the user's guide to the proxy."""

import sys

from agent_cli.cli.proxy_options import clients, headers, options
from agent_cli.i18n.catalog import say

_EXAMPLE = """
    [upstream]
    url = "https://api.example.com"
    api_key_env = "UPSTREAM_KEY"

    [fallback.other]        # asked when the upstream fails; so may be others, in their order
    url = "https://other.example.com"
    api_key_env = "OTHER_KEY"
    models = { "large" = "vendor/large-2" }

    [tokens.alice]
    env = "ALICE_TOKEN"
    budget = { usd = 20, per = "month" }
    mcp.tickets = { authorization = "Bearer ${ALICE_TICKETS}" }     # who she is to that server

    [prices."vendor/*"]     # dollars per million tokens, where they are not known to all
    input = 2.0
    output = 8.0

    [mcp.docs]
    command = "docs-server"

    [mcp.tickets]           # each token has a session of its own there
    url = "https://tickets.example.com/mcp"

    [treat."docs.search"]
    read_only = true

    [http."crm.update"]
    url = "https://crm.example.com/customers/{id}"
    headers = { authorization = "Bearer ${CRM_TOKEN}" }
    parameters = { type = "object", properties = { id = { type = "string" } } }

    [egress]
    allow = ["*.internal.example.com", "10.1.0.0/16"]

    [telemetry]
    otel = true

    [continuity]            # only for several replicas: instead of a file, a Postgres database
    postgres_env = "REMEMBERED_AT"
"""


def explain() -> None:
    """Tell who executes which call, in which order, and what a refused client sees."""
    example = say("A configuration:") + "\n" + _EXAMPLE.rstrip()
    sys.stdout.write(
        "\n\n".join((*_mediation(), *_operation(), headers(), clients(), options(), example)) + "\n"
    )


def _mediation() -> tuple[str, ...]:
    return (
        say(
            "Start. Run `agent proxy --upstream URL --tools proxy.toml`, and give clients "
            "http://127.0.0.1:8788/v1 as base address, those of Anthropic without /v1, and the "
            "token as key. With --no-auth any key will do, on this machine."
        ),
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
            "Streams. Text and reasoning pass at once; calls are held back until the reply is "
            "whole. While managed tools run, a heartbeat keeps the client waiting. What only "
            "passes through, because no managed tool was added, is not touched at all."
        ),
    )


def _operation() -> tuple[str, ...]:
    return (
        say(
            "Other upstreams. When the upstream cannot be reached, answers with 429 or 5xx, or "
            "breaks off before the client has seen anything of the round, the next one is asked. "
            "It does not get reasoning that only the first can read. A conversation stays where it "
            "went until nothing is asked for limits.stay seconds."
        ),
        say(
            "Money. Every call of an upstream is written down, failed ones as well: `agent proxy "
            "spent`. A token's budget is looked at before each round. When it allows one more "
            "reply, the model is told to end; when it does not, no managed call is made any more "
            "and the client gets status 429 with the code budget_exceeded."
        ),
        say(
            "Room. When an upstream says that a conversation is too long for its model, what the "
            "oldest hidden calls have found is left out of it for good, and it is asked once more. "
            "With continuity.key_env, what was said is encrypted where it is kept."
        ),
        say(
            "Where tools lead. HTTP tools are reached by the address that was looked up, and "
            "redirects are not followed. A name that means this machine or a private network has "
            "to be allowed under [egress]; so has an address that hands out credentials."
        ),
        say(
            "Telemetry. With telemetry.otel, requests, rounds, managed calls and decisions are "
            "spans in the client's own trace, sent to where the OTEL_EXPORTER_OTLP_ variables say. "
            "Nothing that anybody has said is sent."
        ),
    )
