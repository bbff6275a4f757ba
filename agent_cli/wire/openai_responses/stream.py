"""Reads a Responses stream.

Everything comes more than once: as deltas, as a whole part, in its item, in the final response. The
deltas are believed; an item is read for what only it holds (ids, encrypted reasoning) and for what
came without deltas. Events that we do not know are ignored.
"""

import msgspec
from msgspec import Raw, Struct

from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.events import Delta, MessageEnd, ReasoningDelta, TextDelta
from agent_cli.types.messages import Reasoning, StopReason, Text
from agent_cli.types.usage import Usage
from agent_cli.wire.errors import reported
from agent_cli.wire.frames import Frame
from agent_cli.wire.openai_parts import estimated_tokens, read_event
from agent_cli.wire.openai_responses.calls import Calls
from agent_cli.wire.openai_responses.items import ITEM, block_of
from agent_cli.wire.openai_responses.response import BODY, ResponseBody

DONE = b"[DONE]"
ENDS = frozenset({"response.completed", "response.incomplete", "response.done"})
FAILURES = frozenset({"response.failed", "response.cancelled", "error"})
THOUGHTS = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
WORDS = frozenset({"response.output_text.delta", "response.refusal.delta"})


class _Event(Struct, gc=False):
    type: str = ""
    delta: object = None
    output_index: int | None = None
    item_id: str | None = None
    content_index: int | None = None
    summary_index: int | None = None
    item: Raw = Raw()
    arguments: str | None = None
    response: Raw = Raw()
    error: object = None
    code: object = None
    message: object = None


_EVENT = msgspec.json.Decoder(_Event)


class Decoder:
    """Reads one stream."""

    def __init__(self) -> None:
        self._calls = Calls()
        self._items_read: set[str] = set()
        self._spoken = False
        """Whether the message item that is open has had deltas."""
        self._thought: tuple[str, int | None] | None = None
        """The part of the open reasoning item that the last delta belonged to."""
        self._refused = False
        self._characters = 0
        self._finished = False

    @property
    def finished(self) -> bool:
        return self._finished

    def eof(self) -> tuple[Delta, ...]:
        """Return nothing: this format has a terminal event."""
        return ()

    def decode(self, frame: Frame) -> tuple[Delta, ...]:
        if self._finished or frame.data.startswith(DONE):
            return ()
        event = read_event(frame.data, _EVENT)
        kind = event.type or frame.event
        if isinstance(event.delta, str):
            return self._read_delta(kind, event, event.delta)
        if kind in FAILURES or (not kind and event.error):
            raise _failure(event)
        if kind in ENDS:
            return self._end(event)
        deltas: list[Delta] = []
        if kind == "response.output_item.added":
            self._read_item(event, deltas, done=False)
        elif kind == "response.output_item.done":
            self._read_item(event, deltas, done=True)
        elif kind == "response.function_call_arguments.done" and event.arguments:
            self._calls.tell(event.arguments, event.output_index, event.item_id)
        return tuple(deltas)

    def _read_delta(self, kind: str, event: _Event, text: str) -> tuple[Delta, ...]:
        if not text:
            return ()
        if kind in WORDS:
            self._refused = self._refused or kind == "response.refusal.delta"
            self._spoken = True
            self._characters += len(text)
            return (TextDelta(text),)
        if kind in THOUGHTS:
            return self._think(kind, event, text)
        deltas: list[Delta] = []
        if kind == "response.function_call_arguments.delta":
            self._calls.add_piece(text, event.output_index, event.item_id, deltas)
        return tuple(deltas)

    def _think(self, kind: str, event: _Event, text: str) -> tuple[Delta, ...]:
        part = (kind, event.content_index if event.summary_index is None else event.summary_index)
        is_next_part = self._thought not in {None, part}
        self._thought = part
        self._characters += len(text)
        return (ReasoningDelta(f"\n\n{text}" if is_next_part else text),)

    def _read_item(self, event: _Event, deltas: list[Delta], *, done: bool) -> None:
        item = read_event(bytes(event.item), ITEM)
        if item.type == "function_call":
            self._calls.add_item(item, event.output_index, deltas, done=done)
            return
        if not done or (item.id and item.id in self._items_read):
            return
        self._items_read.add(item.id or "")
        self._refused = self._refused or item.refused
        match block_of(item, event.item):
            case Text(text=text):
                if not self._spoken:
                    deltas.append(TextDelta(text))
                self._spoken = False
            case Reasoning(text=text, opaque=opaque):
                deltas.append(ReasoningDelta("" if self._thought else text, opaque))
                self._thought = None
            case _:
                pass  # a kind of item that we do not know says nothing to us

    def _end(self, event: _Event) -> tuple[Delta, ...]:
        response = read_event(bytes(event.response), BODY) if event.response else ResponseBody()
        reason = response.stop_reason(calls=len(self._calls) > 0, refused=self._refused)
        self._finished = True
        deltas: list[Delta] = []
        self._calls.end(deltas, last_is_cut=reason is StopReason.LENGTH)
        deltas.append(MessageEnd(reason, self._usage(response)))
        return tuple(deltas)

    def _usage(self, response: ResponseBody) -> Usage:
        if response.usage is not None:
            return response.usage.read()
        characters = self._characters + self._calls.characters
        return Usage(output_tokens=estimated_tokens(characters), estimated=True)


def decoder() -> Decoder:
    return Decoder()


def _failure(event: _Event) -> ProviderError:
    if event.type == "response.cancelled":
        return ProviderError("the response was cancelled by the provider", Fault.CUT)
    if event.error:
        return reported(event.error)
    if event.response:
        return reported(read_event(bytes(event.response), BODY).error)
    return reported({"code": event.code, "message": event.message})
