"""Streams in the Responses dialect.

Items pass at once, under places and numbers that go on from round to round. Calls are held back,
and so is reasoning until something that is shown follows it.
"""

from collections.abc import Container, Sequence
from typing import Any

from msgspec import Raw

from agent_cli.proxy.dialects.base import Fields, StreamCutError, theirs
from agent_cli.proxy.dialects.events import (
    BrokenStreamError,
    event_in,
    object_in,
    place_in,
    written,
)
from agent_cli.proxy.dialects.responses.partial import Partial
from agent_cli.proxy.dialects.responses.reply import (
    CALLS,
    FUNCTION,
    KEPT,
    as_asked,
    assembled,
    response,
)
from agent_cli.proxy.dialects.shapes import mapping, words
from agent_cli.proxy.dialects.turns import Part, Role, Round, Turn, View
from agent_cli.proxy.dialects.usage import Counting, untouched
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.wire.frames import Frame

_ENDS = frozenset({"response.completed", "response.incomplete"})
_CODES = frozenset(
    {
        "context_length_exceeded", "cyber_policy", "insufficient_quota", "invalid_prompt",
        "rate_limit_exceeded", "server_error", "server_is_overloaded",
    }
)  # fmt: skip
"""Codes of failures that clients know; any other they may ask again for without end."""
_BY_STATUS = {400: "invalid_prompt", 429: "rate_limit_exceeded"}
_FAILURES = frozenset({"response.failed", "response.cancelled", "error"})


def stream(asked: Fields, view: View) -> "ResponsesStream":
    return ResponsesStream(asked, view)


class _Item:
    """One item as it grows."""

    def __init__(self, begun: dict[str, Any]) -> None:
        self.kind = words(begun.get("type"))
        self.name = words(begun.get("name"))
        self.id = words(begun.get("call_id"))
        self.whole = Raw()
        self.events: list[tuple[bytes, dict[str, Any]]] = []
        """Those that were not passed on."""
        self.shown_at = -1


class _Reading:
    """What has come of the present round."""

    def __init__(self) -> None:
        self.items: dict[int, _Item] = {}
        self.waiting: list[_Item] = []
        self.holds = False
        """Something is held back: what follows it waits, or it would overtake."""
        self.head: dict[str, Any] = {}
        self.usage: dict[str, Any] = {}
        self.end: dict[str, Any] | None = None
        self.trailing: list[bytes] = []

    def note_end(self, event: dict[str, Any]) -> None:
        self.head = dict(mapping(event.get("response")))
        if not self.head:
            raise BrokenStreamError("its end holds no response")
        self.head.pop("output", None)
        self.usage = mapping(self.head.pop("usage", None))
        self.end = event


class _Numbers:
    """Numbers the events that go out, without a gap."""

    def __init__(self) -> None:
        self._next = 0

    def give(self, raw: bytes, event: dict[str, Any]) -> bytes:
        """Return the event as it came, if its number is right; written anew otherwise."""
        number = self._next
        self._next += 1
        if raw and event.get("sequence_number", number) == number:
            return raw
        return _event({**event, "sequence_number": number})


class ResponsesStream(Counting):
    """See `Stream`."""

    def __init__(self, asked: Fields, view: View) -> None:
        self._asked = asked
        self._view = view
        self.owned: Container[str] = ()
        self._rounds = 0
        self._next = 0
        self._numbered = _Numbers().give
        self._begun: dict[str, Any] = {}
        """The response as the client was told of it first."""
        self._begun_in = 0
        """The round that it was told in; one before it may have come to nothing."""
        self._now = _Reading()
        self._partial = Partial()
        self.substantial = False

    def begin_round(self) -> None:
        self._rounds += 1
        self.substantial = False
        self._now = _Reading()

    def feed(self, raw: bytes, frame: Frame | None) -> bytes:
        if frame is None:
            return raw
        if frame.data == b"[DONE]":
            self._now.trailing.append(raw)
            return b""
        event = event_in(frame)
        kind = words(event.get("type"))
        if kind in _FAILURES:
            raise _failed(event)
        if kind in _ENDS:
            self._now.note_end(event)
            return b""
        if kind in ("response.created", "response.in_progress", "response.queued"):
            return self._begin_response(event)
        if "output_index" in event:
            return self._item(raw, event, frame)
        return self._numbered(raw, event)

    def _begin_response(self, event: dict[str, Any]) -> bytes:
        if not self._begun:
            self._begun_in = self._rounds
        elif self._begun_in != self._rounds:
            return b""
        begun = as_asked(mapping(event.get("response")), self._asked)
        self._begun = self._begun or begun
        return self._numbered(b"", {**event, "response": begun})

    def _item(self, raw: bytes, event: dict[str, Any], frame: Frame) -> bytes:
        place = place_in(event, "output_index")
        kind = words(event.get("type"))
        if kind == "response.output_item.added":
            begun = _Item(mapping(event.get("item")))
            self._now.items[place] = begun
            return self._begin(begun, raw, event)
        item = self._now.items.get(place)
        if item is None:
            raise StreamCutError(f"the upstream's stream went on with item {place}, never begun")
        if kind == "response.output_item.done":
            item.whole = object_in(frame, "item")
        if item.shown_at < 0:
            item.events.append((raw, event))
            return b""
        return self._placed(raw, event, item.shown_at)

    def _begin(self, item: _Item, raw: bytes, event: dict[str, Any]) -> bytes:
        now = self._now
        now.holds = now.holds or not self._passes(item)
        if now.holds or (item.kind == "reasoning" and not self._view.thoughts_at_once):
            item.events.append((raw, event))
            if not now.holds:
                now.waiting.append(item)
            return b""
        waiting, now.waiting = now.waiting, []
        self.substantial = True
        shown = b"".join(self._show(one) for one in waiting)
        item.shown_at = self._next
        self._next += 1
        return shown + self._placed(raw, event, item.shown_at)

    def _passes(self, item: _Item) -> bool:
        if item.kind not in CALLS:
            return self._view.all_words or item.kind == "reasoning"
        used = [one.id for one in self._now.items.values() if one is not item]
        sound = item.kind != FUNCTION or theirs(item.name, item.id, used, self.owned)
        return self._view.native_at_once and sound

    def _show(self, item: _Item) -> bytes:
        item.shown_at = self._next
        self._next += 1
        events, item.events = item.events, []
        return b"".join(self._placed(raw, event, item.shown_at) for raw, event in events)

    def _placed(self, raw: bytes, event: dict[str, Any], shown_at: int) -> bytes:
        self._partial.note(shown_at, event)
        if event.get("output_index") == shown_at:
            return self._numbered(raw, event)
        return self._numbered(b"", {**event, "output_index": shown_at})

    def turn(self) -> Turn:
        if self._now.end is None:
            raise StreamCutError("the upstream's stream ended before its end")
        items = [self._now.items[place] for place in sorted(self._now.items)]
        return assembled(
            [item.whole for item in items if item.whole],
            head=self._now.head,
            usage=self._now.usage,
        )

    def close_round(self, round_: Round) -> bytes:
        items = [self._now.items[place] for place in sorted(self._now.items)]
        shown = {id(part) for part in round_.shown}
        pairs = zip([one for one in items if one.whole], round_.turn.parts, strict=False)
        return b"".join(
            self._held(item, part, repaired=round_.turn.repaired)
            for item, part in pairs
            if item.shown_at < 0 and id(part) in shown
        )

    def _held(self, item: _Item, part: Part, *, repaired: bool) -> bytes:
        if repaired and part.role is Role.CALL and part.call is not None:
            item.events = [(b"", _with_id(event, part.call.id)) for _, event in item.events]
        return self._show(item)

    def end(self, rounds: Sequence[Round], usage: dict[str, Any]) -> bytes:
        last = rounds[-1]
        shown = self.close_round(last)
        plain = untouched(rounds, self._rounds, usage) and not last.turn.repaired
        if plain and (event := self._now.end):
            whole = as_asked(event["response"], self._asked)
            ended = self._numbered(b"", {**event, "response": whole})
            return b"".join([shown, ended, *self._now.trailing])
        kind = f"response.{last.turn.finish}"
        whole = response(rounds, usage, self._asked)
        whole |= {key: self._begun[key] for key in KEPT if key in self._begun}
        return shown + self._numbered(b"", {"type": kind, "response": whole})

    def heartbeat(self, *, plain: bool) -> bytes:
        """Repeat that it is in progress: comments do not keep every client waiting."""
        if not self._begun:
            return b": keepalive\n\n"
        return self._numbered(b"", {"type": "response.in_progress", "response": self._begun})

    def error(self, error: ProxyError) -> bytes:
        failed = _as_failed({**self._begun, "output": self._partial.output()}, error)
        return self._numbered(b"", {"type": "response.failed", "response": failed})


def _as_failed(begun: dict[str, Any], error: ProxyError) -> dict[str, Any]:
    """Return the response as it failed, with a code for which clients do not ask again in vain."""
    known = error.code in _CODES
    code = error.code if known else _BY_STATUS.get(error.status, "server_error")
    message = error.message
    if code != error.code and not message.startswith(f"{error.code}: "):
        message = f"{error.code}: {message}"
    failed = {**begun, "status": "failed", "error": {"code": code, "message": message}}
    if error.details:
        failed["metadata"] = {**mapping(failed.get("metadata")), "agent_proxy": error.code}
    return failed


def _with_id(event: dict[str, Any], id_: str) -> dict[str, Any]:
    if "item" not in event:
        return event
    return {**event, "item": {**event["item"], "call_id": id_}}


def _failed(event: dict[str, Any]) -> StreamCutError:
    error = mapping(mapping(event.get("response")).get("error")) or event
    code = words(error.get("code")) or "upstream_error"
    return StreamCutError(words(error.get("message")) or "the upstream failed", code)


def _event(event: dict[str, Any]) -> bytes:
    return written(event, words(event.get("type")))
