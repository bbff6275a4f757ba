"""From a conversation to a request.

Rule 1: a recorded message becomes the same object every time, so that its encoded fragment is
reused and each request extends the bytes of the one before.
Rule 2: a message says nothing that could change later; environment details were recorded with it.
Rule 3: what another model has sealed is left out; the model that it was gets it back unchanged.
"""

import re
from functools import partial
from itertools import islice

from msgspec.structs import replace

from agent_cli.context.replies import nudge, reply, result_text
from agent_cli.types.messages import (
    AssistantMessage,
    Block,
    Message,
    NudgeMessage,
    Reasoning,
    Recorded,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agent_cli.types.outcomes import Nudge
from agent_cli.types.requests import ModelRequest, Protocol, ToolSpec
from agent_cli.wire.growing import Growing

_OPENED = re.compile(r"<([a-z]+(?:_[a-z]+)+)>")
"""A tag named as tools are named: what models write that learned to call tools in XML."""
_MOST_TAGS = 20


class _Told:
    """What was made of a conversation so far."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.before: Recorded | None = None


class RequestBuilder:
    """Builds the requests of one session; holds nothing but what it has built last."""

    def __init__(self) -> None:
        self._told: dict[tuple[Protocol, str], Growing] = {}

    def build(  # noqa: PLR0913 - the request's own fields, each by name
        self,
        *,
        model: str,
        messages: tuple[Recorded, ...],
        system: str,
        tools: tuple[ToolSpec, ...],
        max_output: int,
        parallel: bool,
        protocol: Protocol,
        session_id: str,
        speaker: str = "",
    ) -> ModelRequest:
        """Build a request; `speaker` is the model as its messages name it.

        With XML the tools stay in it: whoever sends it decodes calls by them, and keeps them off
        the wire.
        """
        says_parallel = protocol is Protocol.NATIVE and bool(tools)
        growing = self._told.setdefault((protocol, speaker), Growing())
        told = growing.of(messages, _Told, partial(_add, protocol, speaker))
        return ModelRequest(
            model=model,
            system=system,
            messages=tuple(told.messages),
            tools=tools,
            max_output=max_output,
            parallel_tool_calls=parallel if says_parallel else None,
            session_id=session_id,
        )


def _add(protocol: Protocol, speaker: str, told: _Told, recorded: Recorded) -> None:
    if isinstance(recorded, AssistantMessage):
        if not _is_empty(recorded):
            own = recorded.by == speaker
            told.messages.append(recorded if own else _readable(recorded, protocol))
    elif isinstance(recorded, UserMessage):
        told.messages.append(recorded)
    else:
        told.messages.append(_worded(recorded, told.before, protocol))
    told.before = recorded


def _readable(message: AssistantMessage, protocol: Protocol) -> AssistantMessage:
    """Return what another model has said, without what only that one can read.

    A signature, a sealed thought or the id of a vendor's item is valid only where it was made: a
    request that holds it is refused. The opaque part of a call in XML is its own text, and stays.
    """

    def readable(block: Block) -> Block:
        sealed = isinstance(block, Reasoning) or (
            isinstance(block, ToolCall) and protocol is Protocol.NATIVE
        )
        return replace(block, opaque="") if sealed else block

    return replace(message, blocks=tuple(map(readable, message.blocks)))


def catalogue(protocol: Protocol, tools: tuple[ToolSpec, ...]) -> str:
    """Return the description of the tools for the system prompt; empty where specs are sent."""
    if protocol is Protocol.NATIVE:
        return ""
    from agent_cli.wire.xml_tools.describe import describe  # noqa: PLC0415 - XML sessions only

    return describe(tools)


def _worded(
    recorded: ToolResult | NudgeMessage, before: Recorded | None, protocol: Protocol
) -> Message:
    if isinstance(recorded, NudgeMessage):
        words = nudge(recorded.code, protocol)
        written = _written_call(recorded, before) if protocol is Protocol.NATIVE else None
        if written is not None:
            words = f"{reply('written_call', tool=written)}\n\n{words}"
        return UserMessage(f"{words}\n\n{recorded.detail}" if recorded.detail else words)
    return replace(recorded, content=result_text(recorded, protocol))


def _written_call(recorded: NudgeMessage, before: Recorded | None) -> str | None:
    """Return the name of the call that the message before has only written out as text."""
    if recorded.code is not Nudge.NO_TOOL or not isinstance(before, AssistantMessage):
        return None
    opened = dict.fromkeys(_OPENED.findall(before.text))
    return next((name for name in islice(opened, _MOST_TAGS) if f"</{name}>" in before.text), None)


def _is_empty(recorded: Recorded) -> bool:
    """Whether the model said nothing at all: no provider takes such a message back."""
    return isinstance(recorded, AssistantMessage) and not any(
        not isinstance(block, Text) or block.text.strip() for block in recorded.blocks
    )
