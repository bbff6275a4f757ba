"""Deltas of one response to the one message they make.

The only place where call ids and names are made and where a call is declared cut off. Every text
that leaves here is well-formed Unicode, however the stream was cut.
"""

from collections.abc import Container
from typing import TypeAlias

from msgspec import Struct, field

from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.events import (
    Delta,
    MessageEnd,
    ReasoningDelta,
    Retrying,
    TextDelta,
    ToolCallBegin,
    ToolCallDelta,
    ToolCallEnd,
)
from agent_cli.types.messages import (
    AssistantMessage,
    Block,
    Reasoning,
    StopReason,
    Text,
    ToolCall,
)
from agent_cli.wire.call_ids import call_ids, legal_name
from agent_cli.wire.json_text import well_formed


class _Text(Struct):
    pieces: list[str] = field(default_factory=list[str])


class _Reasoning(Struct):
    pieces: list[str] = field(default_factory=list[str])
    opaque: str = ""


class _Call(Struct):
    id: str
    name: str
    opaque: str
    pieces: list[str] = field(default_factory=list[str])
    ended: bool = False


_Part: TypeAlias = _Text | _Reasoning | _Call


class Accumulator:
    """Collects the deltas of one response; `taken` are the call ids that the session has used."""

    def __init__(self, taken: Container[str]) -> None:
        self._taken = taken
        self._reset()

    def _reset(self) -> None:
        self._parts: list[_Part] = []
        self._open: dict[int, _Call] = {}
        self._end: MessageEnd | None = None

    @property
    def begun(self) -> bool:
        """Whether anything of the response has arrived."""
        return bool(self._parts)

    @property
    def text(self) -> str:
        """What the model has said so far, calls and reasoning left out."""
        pieces = (piece for part in self._parts if isinstance(part, _Text) for piece in part.pieces)
        return well_formed("".join(pieces))

    @property
    def size(self) -> int:
        """How many characters have arrived, calls and reasoning included."""
        return sum(len(piece) for part in self._parts for piece in part.pieces)

    def add(self, delta: Delta) -> None:
        match delta:
            case TextDelta(text=text):
                self._add_text(text)
            case ReasoningDelta():
                self._add_reasoning(delta)
            case ToolCallBegin():
                call = _Call(delta.id, delta.name, delta.opaque)
                self._parts.append(call)
                self._open[delta.index] = call
            case ToolCallDelta():
                self._call(delta.index).pieces.append(delta.arguments)
            case ToolCallEnd():
                call = self._call(delta.index)
                call.ended = True
                call.opaque = delta.opaque or call.opaque
            case MessageEnd():
                self._end = delta
            case Retrying():
                self._reset()

    def message(self) -> AssistantMessage:
        """Return the message. Raises ProviderError if the stream has not ended cleanly."""
        if self._end is None:
            raise ProviderError("the stream ended before its terminal event", Fault.CUT)
        stop_reason = self._end.stop_reason
        calls = [part for part in self._parts if isinstance(part, _Call)]
        if calls and stop_reason is StopReason.LENGTH:
            calls[-1].ended = False
        if calls and stop_reason is StopReason.END:
            stop_reason = StopReason.CALLS
        ids = iter(call_ids([call.id for call in calls], self._taken))
        blocks = tuple(
            _call(part, next(ids)) if isinstance(part, _Call) else _words(part)
            for part in self._parts
        )
        return AssistantMessage(blocks, stop_reason, self._end.usage)

    def _add_text(self, text: str) -> None:
        if not text:
            return
        last = self._parts[-1] if self._parts else None
        if not isinstance(last, _Text):
            last = _Text()
            self._parts.append(last)
        last.pieces.append(text)

    def _add_reasoning(self, delta: ReasoningDelta) -> None:
        if not delta.text and not delta.opaque:
            return
        last = self._parts[-1] if self._parts else None
        if not isinstance(last, _Reasoning) or last.opaque:
            last = _Reasoning()
            self._parts.append(last)
        last.pieces.append(delta.text)
        last.opaque = delta.opaque

    def _call(self, index: int) -> _Call:
        call = self._open.get(index)
        if call is None:
            raise ProviderError(f"the stream went on with call {index}, never begun", Fault.CUT)
        return call


def _call(part: _Call, id_: str) -> ToolCall:
    return ToolCall(
        id=id_,
        name=legal_name(part.name),
        arguments=well_formed("".join(part.pieces)),
        complete=part.ended,
        opaque=well_formed(part.opaque),
    )


def _words(part: _Text | _Reasoning) -> Block:
    text = well_formed("".join(part.pieces))
    if isinstance(part, _Text):
        return Text(text)
    return Reasoning(text, well_formed(part.opaque))
