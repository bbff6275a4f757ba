"""Hypothesis strategies: values that both OpenAI wire formats can hold without loss."""

from collections.abc import Iterable

import msgspec
from hypothesis import strategies as st

from agent_cli.types.messages import (
    AssistantMessage,
    Image,
    Message,
    StopReason,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agent_cli.types.outcomes import Outcome
from agent_cli.types.requests import ModelRequest, ToolSpec
from agent_cli.types.usage import Usage
from agent_cli.wire.accumulate import Accumulator
from agent_cli.wire.codec import Codec
from agent_cli.wire.frames import Fragments, Frame

SAID = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
NAMES = st.from_regex(r"[a-zA-Z0-9_-]{1,20}", fullmatch=True)
IMAGES = st.lists(
    st.builds(
        Image, st.sampled_from(["image/png", "image/jpeg"]), st.sampled_from(["aGk=", "AAAA"])
    ),
    max_size=2,
).map(tuple)
OBJECTS = st.dictionaries(SAID, st.none() | st.booleans() | st.integers(0, 9) | SAID, max_size=3)
ARGUMENTS = st.one_of(
    OBJECTS.map(lambda value: msgspec.json.encode(value).decode()),
    OBJECTS.map(lambda value: msgspec.json.format(msgspec.json.encode(value), indent=1).decode()),
)
COUNTS = st.integers(0, 10**6)
USAGES = st.builds(
    Usage, COUNTS, COUNTS, COUNTS, COUNTS, st.none() | st.floats(0, 9, allow_subnormal=False)
)
SPECS = st.builds(
    ToolSpec,
    NAMES,
    SAID,
    OBJECTS.map(lambda extra: msgspec.Raw(msgspec.json.encode({**extra, "type": "object"}))),
)


@st.composite
def histories(
    draw: st.DrawFn, messages: st.SearchStrategy[AssistantMessage]
) -> tuple[Message, ...]:
    """Draw whole turns, call ids unique, the user last."""
    history: list[Message] = [UserMessage(draw(SAID), draw(IMAGES))]
    for turn, message in enumerate(draw(st.lists(messages, max_size=4))):
        said = _numbered(message, turn)
        history.append(said)
        history += [
            ToolResult(call.id, Outcome.OK, content=draw(SAID), images=draw(IMAGES))
            for call in said.calls
        ]
        if not said.calls:
            history.append(UserMessage(draw(SAID), draw(IMAGES)))
    return (*history, UserMessage(draw(SAID)))


def _numbered(message: AssistantMessage, turn: int) -> AssistantMessage:
    blocks = tuple(
        msgspec.structs.replace(block, id=f"call_{turn}_{place}")
        if isinstance(block, ToolCall)
        else block
        for place, block in enumerate(message.blocks)
    )
    return AssistantMessage(blocks, StopReason.CALLS if message.calls else StopReason.END)


@st.composite
def requests(draw: st.DrawFn, messages: st.SearchStrategy[AssistantMessage]) -> ModelRequest:
    tools = tuple(draw(st.lists(SPECS, max_size=3, unique_by=lambda spec: spec.name)))
    return ModelRequest(
        model=draw(NAMES),
        system=draw(st.just("") | SAID),
        messages=draw(histories(messages)),
        tools=tools,
        max_output=draw(st.just(0) | st.integers(16, 10**6)),
        parallel_tool_calls=draw(st.sampled_from([None, True, False])) if tools else None,
    )


def spoken(codec: Codec, message: AssistantMessage) -> AssistantMessage:
    """Send the message as a stream and read it back."""
    return heard(codec, codec.encode_stream(message, "m"))


def heard(codec: Codec, frames: Iterable[Frame]) -> AssistantMessage:
    """Read a stream that ends cleanly."""
    accumulator = Accumulator(frozenset())
    decoder = codec.decoder()
    for frame in frames:
        for delta in decoder.decode(frame):
            accumulator.add(delta)
    for delta in () if decoder.finished else decoder.eof():
        accumulator.add(delta)
    assert decoder.finished
    return accumulator.message()


def sent(codec: Codec, *messages: Message, **settings: object) -> dict[str, object]:
    """Encode a request and return it as a server reads it."""
    request = ModelRequest("m", "", messages)
    request = msgspec.structs.replace(request, **settings)
    read: dict[str, object] = msgspec.json.decode(codec.encode_request(request, Fragments()))
    return read
