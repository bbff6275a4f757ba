"""Conversations and responses as Hypothesis makes them, for the Messages format.

In *normal form* nothing is lost on the wire: nothing blank, every call answered. *Messy* ones hold
whatever a session can hold.
"""

import base64
import json

from hypothesis import strategies as st
from msgspec import Raw
from msgspec.structs import replace

from agent_cli.types.messages import (
    AssistantMessage,
    Block,
    Image,
    Message,
    Reasoning,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agent_cli.types.outcomes import Code, Outcome
from agent_cli.types.requests import ModelRequest, ToolSpec
from agent_cli.types.usage import Usage

TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
WORDS = TEXTS.filter(str.strip)
IMAGES = st.builds(
    Image,
    st.sampled_from(["image/png", "image/jpeg"]),
    st.binary(min_size=1, max_size=9).map(lambda data: base64.b64encode(data).decode()),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3)
ARGUMENTS = OBJECTS.map(json.dumps) | OBJECTS.map(
    lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
)
CALLS = st.builds(ToolCall, st.just(""), st.sampled_from(["read_file", "x"]), ARGUMENTS)


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def signed(text: str, signature: str, future: dict[str, object]) -> Reasoning:
    block = {"type": "thinking", "thinking": text, "signature": signature, **future}
    return Reasoning(text, compact(block))


SIGNATURES = st.text("abc=", min_size=1)
SIGNED = st.builds(signed, TEXTS, SIGNATURES, st.just({}))
FUTURE = st.builds(signed, TEXTS, SIGNATURES, st.just({"future": [1, "ü"]}))
REDACTED = st.text("abc=", min_size=1).map(
    lambda data: Reasoning("", compact({"type": "redacted_thinking", "data": data}))
)
OPAQUE = SIGNED | REDACTED
USERS = st.builds(UserMessage, WORDS, st.lists(IMAGES, max_size=2).map(tuple)) | st.builds(
    UserMessage, st.just(""), st.lists(IMAGES, min_size=1, max_size=2).map(tuple)
)
SEEN = st.builds(
    ToolResult,
    st.just(""),
    st.just(Outcome.OK),
    content=TEXTS.filter(lambda text: not text or text.strip()),
    images=st.lists(IMAGES, max_size=1).map(tuple),
)
FAILED = st.builds(ToolResult, st.just(""), st.just(Outcome.FAILED), content=WORDS)
OUTPUTS = SEEN | FAILED
ANSWERS = st.tuples(
    st.lists(OPAQUE, max_size=2), st.lists(WORDS.map(Text), max_size=2), st.lists(CALLS, max_size=3)
)

FOREIGN = st.sampled_from(
    ["", "not JSON", "[]", '{"type":"reasoning","encrypted_content":"x"}', '{"type":"thinking"}']
).map(lambda opaque: Reasoning("hm", opaque))
BROKEN = st.builds(
    ToolCall,
    st.just(""),
    st.just("x"),
    st.sampled_from(["", "{", "[]", "null", '{"a":"\\ud800"}', "[" * 5000]),
    complete=st.booleans(),
)
MESSY_USERS = USERS | st.builds(UserMessage, st.sampled_from(["", " \n"]))
MESSY_OUTPUTS = OUTPUTS | st.builds(
    ToolResult,
    st.just(""),
    st.sampled_from(Outcome),
    st.none() | st.sampled_from(Code),
    st.sampled_from(["", "\n"]),
    st.lists(IMAGES, max_size=1).map(tuple),
)
MESSY_ANSWERS = st.tuples(
    st.lists(OPAQUE | FOREIGN, max_size=2),
    st.lists((WORDS | st.just(" ")).map(Text), max_size=2),
    st.lists(CALLS | BROKEN, max_size=3),
)


@st.composite
def conversations(draw, *, messy: bool = False) -> tuple[Message, ...]:
    """Begin and end with a user's words; every call has its result."""
    messages: list[Message] = [draw(USERS)]
    for turn in range(draw(st.integers(0, 4))):
        reasoning, texts, calls = draw(MESSY_ANSWERS if messy else ANSWERS)
        if not messy and not texts and not calls:
            texts = [Text("so")]
        calls = [replace(call, id=f"call_{turn}_{at}") for at, call in enumerate(calls)]
        stop = StopReason.CALLS if calls else StopReason.END
        messages.append(AssistantMessage((*reasoning, *texts, *calls), stop))
        for call in calls:
            output = draw(MESSY_OUTPUTS if messy else OUTPUTS)
            messages.append(replace(output, call_id=call.id))
        if messy:
            messages.extend(draw(st.lists(MESSY_USERS, max_size=2)))
        if messy or not calls or draw(st.booleans()):
            messages.append(draw(USERS))
    return tuple(messages)


SCHEMA = Raw(b'{"type":"object","properties":{}}')
TOOLS = st.lists(
    st.builds(ToolSpec, st.sampled_from(["a", "b", "c"]), TEXTS, st.just(SCHEMA)),
    max_size=3,
    unique_by=lambda tool: tool.name,
).map(tuple)


@st.composite
def requests(draw) -> ModelRequest:
    """In normal form."""
    tools = draw(TOOLS)
    return ModelRequest(
        model=draw(WORDS),
        system=draw(st.just("") | WORDS),
        messages=draw(conversations()),
        tools=tools,
        max_output=draw(st.integers(1, 100_000)),
        parallel_tool_calls=draw(st.sampled_from([None, False])) if tools else None,
    )


@st.composite
def responses(draw) -> AssistantMessage:
    """In normal form: neighbours that a stream cannot tell apart are one block."""
    kinds = WORDS.map(Text) | OPAQUE | FUTURE | WORDS.map(Reasoning) | CALLS
    blocks: list[Block] = []
    for at, block in enumerate(draw(st.lists(kinds, max_size=6))):
        if isinstance(block, ToolCall):
            blocks.append(replace(block, id=f"toolu_{at}"))
        elif not blocks or type(blocks[-1]) is not type(block):
            blocks.append(block)
    calls = [at for at, block in enumerate(blocks) if isinstance(block, ToolCall)]
    stop = draw(st.sampled_from(StopReason))
    if bool(calls) != (stop is StopReason.CALLS) and stop in {StopReason.END, StopReason.CALLS}:
        stop = StopReason.CALLS if calls else StopReason.END
    if calls and stop is StopReason.LENGTH:
        blocks[calls[-1]] = replace(blocks[calls[-1]], complete=False)
    fresh, output, read, written = draw(st.tuples(*[st.integers(0, 10**6)] * 4))
    return AssistantMessage(
        tuple(blocks), stop, Usage(fresh + read + written, output, read, written)
    )
