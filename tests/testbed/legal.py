"""I2: the next request of a session, on every wire, before the strict validators."""

import json

from msgspec import Raw
from testbed.exchange import WIRES
from testbed.server import VALIDATORS

from agent_cli.context.request import RequestBuilder
from agent_cli.engine.task import State
from agent_cli.providers.registry import codec_named
from agent_cli.types.requests import ModelRequest, Protocol, ToolSpec
from agent_cli.wire.frames import Fragments
from agent_cli.wire.xml_tools.render import Renderer

TOOLS = (ToolSpec("read_file", "Read.", Raw(b'{"type":"object","properties":{}}')),)


def request_of(state: State, protocol: Protocol) -> ModelRequest:
    """Build it as the program does."""
    request = RequestBuilder().build(
        model="test-model",
        messages=state.task.messages,
        system="You work.",
        tools=TOOLS,
        max_output=100,
        parallel=state.parallel,
        protocol=protocol,
        session_id="s",
    )
    return Renderer().request(request) if protocol is Protocol.XML else request


def the_next_request_is_legal(state: State) -> None:
    """On one wire in one protocol; which, depends on how far the session is."""
    turns = state.turns
    wire = WIRES[turns % len(WIRES)]
    protocol = Protocol.XML if turns // len(WIRES) % 2 else Protocol.NATIVE
    body = codec_named(wire).encode_request(request_of(state, protocol), Fragments())
    assert VALIDATORS[wire](json.loads(body)) == [], (wire, protocol)
