"""Conversations as Hypothesis makes them: their entries, and the requests that they lead to."""

from collections.abc import Iterator

import msgspec
from hypothesis import strategies as st
from testbed.story import BEGINNING, asked, call, ran, settled

from agent_cli.context.request import RequestBuilder
from agent_cli.engine.state import apply
from agent_cli.engine.task import State
from agent_cli.types.entries import AssistantSaid, Entry, Nudged, UserSaid
from agent_cli.types.messages import Image, Message, Recorded, ToolCall
from agent_cli.types.outcomes import Code, Nudge, Outcome
from agent_cli.types.requests import ModelRequest, Protocol, ToolSpec
from agent_cli.wire import anthropic_messages, openai_chat, openai_responses
from agent_cli.wire.frames import Fragments
from agent_cli.wire.xml_tools.render import Renderer

CODECS = {
    "anthropic_messages": anthropic_messages,
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
}
TEXTS = st.sampled_from(["", " \n", "let me see", "größer \u2028 <b>&</b>"])
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
IMAGES = st.sampled_from([(), (), (Image("image/png", "aGk="),)])
TOOL = ToolSpec("read_file", "Read.", msgspec.Raw(b'{"type":"object"}'))


@st.composite
def conversations(draw: st.DrawFn, most: int = 6) -> list[Entry]:
    """A session's entries; the model is asked next."""
    entries: list[Entry] = list(BEGINNING)
    for turn in range(draw(st.integers(0, most))):
        calls = [call(f"c{turn}_{place}") for place in range(draw(st.integers(0, 3)))]
        entries.append(asked(*calls, text=draw(TEXTS)))
        for one in calls:
            entries += draw(_answers(one))
        if not calls or draw(st.booleans()):
            said = st.builds(UserSaid, WORDS, IMAGES, environment=TEXTS).filter(_says_something)
            entries.append(draw(st.sampled_from(Nudge).map(Nudged) | said))
    return entries


def _says_something(said: UserSaid) -> bool:
    return bool(said.text.strip() or said.environment.strip() or said.images)


@st.composite
def _answers(draw: st.DrawFn, one: ToolCall) -> tuple[Entry, ...]:
    if draw(st.booleans()):
        return (settled(one.id, draw(st.sampled_from([Outcome.DENIED, Outcome.SKIPPED])),
                        Code.STOPPED),)  # fmt: skip
    return ran(one.id, draw(st.sampled_from([Outcome.OK, Outcome.FAILED])), content=draw(WORDS))


def asking(entries: list[Entry]) -> Iterator[State]:
    """Yield the states in which the model is asked."""
    state = State()
    for entry in entries:
        if isinstance(entry, AssistantSaid):
            yield state
        state = apply(state, entry)
    yield state


class Requests:
    """Makes the bytes of one session's requests."""

    def __init__(self, codec: str, protocol: Protocol) -> None:
        self._codec = CODECS[codec]
        self._protocol = protocol
        self.builder = RequestBuilder()
        self._renderer = Renderer()
        self._fragments = Fragments()

    def request(self, messages: tuple[Recorded, ...]) -> ModelRequest:
        return self.builder.build(
            model="m",
            messages=messages,
            system="You are an agent.",
            tools=(TOOL,),
            max_output=100,
            parallel=True,
            protocol=self._protocol,
            session_id="s",
        )

    def encoded(self, messages: tuple[Recorded, ...], *more: Message) -> bytes:
        request = self.request(messages)
        request = msgspec.structs.replace(request, messages=(*request.messages, *more))
        if self._protocol is Protocol.XML:
            request = self._renderer.request(request)
        return self._codec.encode_request(request, self._fragments)
