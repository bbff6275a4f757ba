"""Streams in the Messages dialect.

Text passes at once, under places that go on from round to round. Calls are held back, and so is
thinking until it is known whether something that is shown follows it.
"""

from collections.abc import Container, Sequence
from typing import Any

import msgspec
from msgspec import Raw

from agent_cli.proxy.dialects.base import (
    FIELDS,
    Fields,
    StreamCutError,
    encoded,
    is_object,
    table,
    theirs,
)
from agent_cli.proxy.dialects.events import event_in, object_in, place_in, written
from agent_cli.proxy.dialects.messages.reply import THOUGHTS, assembled, finish_of
from agent_cli.proxy.dialects.shapes import mapping, words
from agent_cli.proxy.dialects.turns import Part, Role, Round, Turn, View
from agent_cli.proxy.dialects.usage import Counting, untouched
from agent_cli.proxy.envelopes import ProxyError, anthropic_error
from agent_cli.wire.frames import Frame

_GROWING = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


def stream(asked: Fields, view: View) -> "MessagesStream":
    return MessagesStream(view)


class _Block:
    """One block as it grows."""

    def __init__(self, start: Raw) -> None:
        self.fields = FIELDS.decode(start)
        begun = table(start)
        self.kind = words(begun.get("type"))
        self.id = words(begun.get("id"))
        self.name = words(begun.get("name"))
        self._texts: dict[str, list[str]] = {}
        self._json: list[str] = []
        self._citations: list[Any] = []
        self.frames: list[bytes] = []
        """Those that were not passed on."""
        self.shown_at = -1
        """Its place in the client's stream; -1 while it has none."""

    def grow(self, delta: dict[str, Any]) -> None:
        kind = words(delta.get("type"))
        if kind == "input_json_delta":
            self._json.append(words(delta.get("partial_json")))
        elif kind == "citations_delta":
            self._citations.append(delta.get("citation"))
        elif name := _GROWING.get(kind):
            self._texts.setdefault(name, []).append(words(delta.get(name)))

    @property
    def arguments(self) -> str:
        return "".join(self._json) or bytes(self.fields.get("input", Raw(b"{}"))).decode()

    def whole(self) -> Raw:
        made: dict[str, Any] = dict(self.fields)
        for name, pieces in self._texts.items():
            begun = words(msgspec.json.decode(self.fields.get(name, Raw(b'""'))))
            made[name] = begun + "".join(pieces)
        if self._citations:
            made["citations"] = self._citations
        if self.kind == "tool_use" or self._json:
            made["input"] = Raw(self.arguments.encode() if is_object(self.arguments) else b"{}")
        return encoded(made)


class _Reading:
    """What has come of the present round."""

    def __init__(self) -> None:
        self.blocks: dict[int, _Block] = {}
        self.thoughts: list[_Block] = []
        """Those of which it is not known yet whether something visible follows."""
        self.head: dict[str, Any] = {}
        self.finish = ""
        self.usage: dict[str, Any] = {}
        self.stop_fields: dict[str, Any] = {}
        self.ends: list[bytes] = []
        self.holds = False
        """Something is held back: what follows it waits, or it would overtake."""
        self.stopped = False


class MessagesStream(Counting):
    """See `Stream`."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._rounds = 0
        self._next = 0
        self._begun = False
        """The client was told of the message."""
        self._now = _Reading()
        self.substantial = False
        self.owned: Container[str] = ()

    def begin_round(self) -> None:
        self._rounds += 1
        self.substantial = False
        self._now = _Reading()

    def feed(self, raw: bytes, frame: Frame | None) -> bytes:
        if frame is None:
            return raw
        event = event_in(frame)
        match event.get("type"):
            case "message_start":
                return self._start(raw, mapping(event.get("message")))
            case "content_block_start" | "content_block_delta" | "content_block_stop":
                return self._block(raw, event, frame)
            case "message_delta":
                return self._note_end(raw, event)
            case "message_stop":
                self._now.stopped = True
                self._now.ends.append(raw)
                return b""
            case "error":
                error = mapping(event.get("error"))
                raise StreamCutError(words(error.get("message")), words(error.get("type")))
            case _:
                return raw

    def _start(self, raw: bytes, message: dict[str, Any]) -> bytes:
        self._now.usage = mapping(message.get("usage"))
        self._now.head = {
            name: message[name] for name in message if name not in ("content", "usage")
        }
        begun, self._begun = self._begun, True
        return b"" if begun else raw

    def _note_end(self, raw: bytes, event: dict[str, Any]) -> bytes:
        delta = mapping(event.get("delta"))
        self._now.finish = words(delta.get("stop_reason")) or self._now.finish
        self._now.stop_fields = {**self._now.stop_fields, **delta}
        counted = {k: v for k, v in mapping(event.get("usage")).items() if v is not None}
        self._now.usage = {**self._now.usage, **counted}
        self._now.ends.append(raw)
        return b""

    def _block(self, raw: bytes, event: dict[str, Any], frame: Frame) -> bytes:
        place = place_in(event, "index")
        if event["type"] == "content_block_start":
            begun = _Block(object_in(frame, "content_block"))
            self._now.blocks[place] = begun
            return self._begin(begun, raw, event)
        block = self._now.blocks.get(place)
        if block is None:
            raise StreamCutError(f"the upstream's stream went on with block {place}, never begun")
        block.grow(mapping(event.get("delta")))
        if block.shown_at < 0:
            block.frames.append(raw)
            return b""
        return _placed(raw, event, block.shown_at)

    def _begin(self, block: _Block, raw: bytes, event: dict[str, Any]) -> bytes:
        now = self._now
        now.holds = now.holds or not self._passes(block)
        if now.holds or (block.kind in THOUGHTS and not self._view.thoughts_at_once):
            block.frames.append(raw)
            if not now.holds:
                now.thoughts.append(block)
            return b""
        thoughts, now.thoughts = now.thoughts, []
        self.substantial = True
        shown = b"".join(self._show(one) for one in thoughts)
        block.shown_at = self._next
        self._next += 1
        return shown + _placed(raw, event, block.shown_at)

    def _passes(self, block: _Block) -> bool:
        if block.kind != "tool_use":
            return self._view.all_words or block.kind in THOUGHTS
        used = [one.id for one in self._now.blocks.values() if one is not block]
        return self._view.native_at_once and theirs(block.name, block.id, used, self.owned)

    def _show(self, block: _Block) -> bytes:
        block.shown_at = self._next
        self._next += 1
        frames, block.frames = block.frames, []
        return b"".join(_placed(raw, _frame_in(raw), block.shown_at) for raw in frames)

    def turn(self) -> Turn:
        if not self._now.stopped:
            raise StreamCutError("the upstream's stream ended before its end")
        blocks = [self._now.blocks[place] for place in sorted(self._now.blocks)]
        broken = {
            place: block.arguments
            for place, block in enumerate(blocks)
            if block.kind == "tool_use" and not is_object(block.arguments)
        }
        return assembled(
            [block.whole() for block in blocks],
            finish=self._now.finish,
            usage=self._now.usage,
            head={**self._now.head, **self._now.stop_fields, "stop_reason": self._now.finish},
            arguments=broken,
        )

    def close_round(self, round_: Round) -> bytes:
        blocks = [self._now.blocks[place] for place in sorted(self._now.blocks)]
        shown = {id(part) for part in round_.shown}
        pairs = zip(blocks, round_.turn.parts, strict=True) if blocks else ()
        return b"".join(
            self._held(block, part, repaired=round_.turn.repaired)
            for block, part in pairs
            if block.shown_at < 0 and id(part) in shown
        )

    def end(self, rounds: Sequence[Round], usage: dict[str, Any]) -> bytes:
        last = rounds[-1]
        shown = self.close_round(last)
        if untouched(rounds, self._rounds, usage):
            return b"".join([shown, *self._now.ends])
        delta = {**self._now.stop_fields, "stop_reason": finish_of(last)}
        ended = _event({"type": "message_delta", "delta": delta, "usage": usage})
        return shown + ended + _event({"type": "message_stop"})

    def _held(self, block: _Block, part: Part, *, repaired: bool) -> bytes:
        if repaired and part.role is Role.CALL and part.call is not None:
            start = _frame_in(block.frames[0])
            start["content_block"] = {**start["content_block"], "id": part.call.id}
            block.frames[0] = _event(start)
        return self._show(block)

    def heartbeat(self, *, plain: bool) -> bytes:
        return b'event: ping\ndata: {"type": "ping"}\n\n'

    def error(self, error: ProxyError) -> bytes:
        body = anthropic_error(error, "")
        del body["request_id"]
        return _event(body)


def _placed(raw: bytes, event: dict[str, Any], shown_at: int) -> bytes:
    return raw if event.get("index") == shown_at else _event({**event, "index": shown_at})


def _frame_in(raw: bytes) -> dict[str, Any]:
    """Return the event of a frame that was read before."""
    from agent_cli.wire.sse import SseReader  # noqa: PLC0415 - only where blocks are moved

    (frame,) = SseReader().feed(raw)
    return event_in(frame)


def _event(event: dict[str, Any]) -> bytes:
    return written(event, words(event.get("type")))
