"""Streams in the Chat Completions dialect: text passes at once, calls and the end are held back."""

from collections.abc import Container, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec import Raw

from agent_cli.proxy.dialects.base import Fields, StreamCutError, encoded, theirs
from agent_cli.proxy.dialects.base import value_of as member
from agent_cli.proxy.dialects.chat.grammar_tools import as_made, grammar_piece
from agent_cli.proxy.dialects.chat.reply import SEPARATOR, THOUGHTS, assembled, finish_of
from agent_cli.proxy.dialects.events import BrokenStreamError, event_in, written
from agent_cli.proxy.dialects.shapes import mapping, mappings, words
from agent_cli.proxy.dialects.turns import Part, Role, Round, Turn, View
from agent_cli.proxy.dialects.usage import Counting, untouched
from agent_cli.proxy.envelopes import ProxyError, openai_error
from agent_cli.types.events import Delta, ToolCallBegin, ToolCallDelta, ToolCallEnd
from agent_cli.wire.frames import Frame
from agent_cli.wire.openai_chat.calls import CallPiece, Calls

Json: TypeAlias = dict[str, Any]
DONE = b"[DONE]"
_PIECE = msgspec.json.Decoder(CallPiece)
_SAID = ("content", "refusal")
_WORDS = (*_SAID, *THOUGHTS)


def stream(asked: Fields, view: View) -> "ChatStream":
    options = mapping(member(asked, "stream_options"))
    return ChatStream(view, wants_usage=bool(options.get("include_usage")))


class _Reading:
    """What has come of the present round."""

    def __init__(self) -> None:
        self.words: dict[str, list[str]] = {}
        self.calls = Calls()
        self.deltas: list[Delta] = []
        self.finish = ""
        self.usage: dict[str, Any] = {}
        self.head: dict[str, Any] = {}
        self.held: list[tuple[bytes, bool]] = []
        """Frames that were not passed on, and whether they are usage only."""
        self.waiting: list[tuple[bytes, Json]] = []
        """Words of which it is not known yet whether they are shown."""
        self.shown: list[str] = []
        """The ids of the calls that have passed."""
        self.holds = False
        """A call is held back: those that follow it wait."""

    def add(self, delta: Json) -> None:
        for name in _WORDS:
            if said := words(delta.get(name)):
                self.words.setdefault(name, []).append(said)
        for piece in mappings(delta.get("tool_calls")):
            self.calls.add(_piece(piece), self.deltas)
        if old := delta.get("function_call"):
            self.calls.add(_piece({"function": old}), self.deltas)

    def may_pass(self, piece: Json, owned: Container[str]) -> bool:
        """Whether a piece of a call is the client's for sure, and nothing before it is not."""
        place = piece.get("index")
        if isinstance(place, int) and place < len(self.shown):
            return True
        id_, name = words(piece.get("id")), words(mapping(piece.get("function")).get("name"))
        begins = place == len(self.shown) and bool(name)
        if self.holds or not (begins and theirs(name, id_, self.shown, owned)):
            self.holds = True
            return False
        self.shown.append(id_)
        return True

    def note(self, chunk: Json) -> Json:
        """Take note of what stands beside the choices, and return it."""
        head = {name: chunk[name] for name in chunk if name not in ("choices", "usage")}
        self.head = {**self.head, **head}
        self.usage = mapping(chunk.get("usage")) or self.usage
        return head

    def written_calls(self) -> list[Raw]:
        self.calls.end(self.deltas, last_is_cut=False)
        made: dict[int, dict[str, Any]] = {}
        for delta in self.deltas:
            match delta:
                case ToolCallBegin(index=index, id=id_, name=name, opaque=opaque):
                    function = {"name": name, "arguments": ""}
                    made[index] = {"id": id_, "type": "function", "function": function}
                    _keep(made[index], opaque)
                case ToolCallDelta(index=index, arguments=text):
                    made[index]["function"]["arguments"] += text
                case ToolCallEnd(index=index, opaque=opaque):
                    _keep(made[index], opaque)
                case _:
                    pass
        return [encoded(as_made(call)) for call in made.values()]


def _piece(piece: Json) -> CallPiece:
    try:
        read = _PIECE.decode(msgspec.json.encode(piece))
    except msgspec.ValidationError as error:
        raise BrokenStreamError(error) from error
    if "custom" in piece:
        read.function = grammar_piece(mapping(piece["custom"]))
    return read


def _keep(call: dict[str, Any], opaque: str) -> None:
    if opaque:
        call["extra_content"] = Raw(opaque.encode())


class ChatStream(Counting):
    """See `Stream`."""

    def __init__(self, view: View, *, wants_usage: bool) -> None:
        self._view = view
        self.owned: Container[str] = ()
        self._wants_usage = wants_usage
        self._envelope: dict[str, Any] = {}
        self._rounds = 0
        self._has_text = False
        self._has_role = False
        self._separated = True
        self._now = _Reading()
        self.substantial = False

    def begin_round(self) -> None:
        self._now = _Reading()
        self._rounds += 1
        self.substantial = False
        self._separated = not self._has_text

    def feed(self, raw: bytes, frame: Frame | None) -> bytes:
        if frame is None:
            return raw
        if frame.data.startswith(DONE):
            self._now.held.append((raw, False))
            return b""
        chunk = event_in(frame)
        if chunk.get("error"):
            raise StreamCutError(str(chunk["error"]), "upstream_error")
        self._note(chunk)
        choice = next(iter(mappings(chunk.get("choices"))), None)
        if not choice or choice.get("index"):
            self._now.held.append((raw, not choice))
            return b""
        delta = mapping(choice.get("delta"))
        self._now.add(delta)
        self._now.finish = words(choice.get("finish_reason")) or self._now.finish
        calls = any(delta.get(name) for name in ("tool_calls", "function_call"))
        if calls or choice.get("finish_reason"):
            return self._part_of(raw, chunk, choice, delta)
        return self._pass(raw, delta)

    def _note(self, chunk: Json) -> None:
        head = self._now.note(chunk)
        if not self._envelope and chunk.get("id"):
            self._envelope = head

    def _pass(self, raw: bytes, delta: Json) -> bytes:
        """Let words through, or wait until it is known whether they are to be shown."""
        said = any(delta.get(name) for name in _SAID)
        thought = any(delta.get(name) for name in THOUGHTS)
        waits = said and not self._view.all_words
        if waits or (thought and not said and not self._view.thoughts_at_once):
            self._now.waiting.append((raw, delta))
            return b""
        before = self._flushed() if said else b""
        return before + self._show(raw, delta)

    def _flushed(self) -> bytes:
        waiting, self._now.waiting = self._now.waiting, []
        return b"".join(self._show(raw, delta) for raw, delta in waiting)

    def _show(self, raw: bytes, delta: Json) -> bytes:
        """Give it to the client, under the envelope of the first round."""
        before = b""
        self.substantial = self.substantial or any(
            delta.get(name) for name in (*_WORDS, "tool_calls")
        )
        if delta.get("content"):
            if not self._separated:
                before = self._write({"content": SEPARATOR})
            self._separated = self._has_text = True
        if self._rounds == 1:
            self._has_role = self._has_role or "role" in delta
            return raw
        said = {name: value for name, value in delta.items() if name != "role" and value}
        return before + self._write(said) if said else b""

    def _part_of(self, raw: bytes, chunk: Json, choice: Json, delta: Json) -> bytes:
        """Hold the frame back, but not what may pass of it."""
        shown = {name: delta[name] for name in _WORDS if delta.get(name)}
        pieces = mappings(delta.get("tool_calls"))
        passing: list[Json] = []
        if self._view.native_at_once:
            passing = [piece for piece in pieces if self._now.may_pass(piece, self.owned)]
        if passing:
            shown["tool_calls"] = passing
        if not shown:
            self._now.held.append((raw, False))
            return b""
        rest = {name: value for name, value in delta.items() if name not in shown}
        if waiting := [piece for piece in pieces if piece not in passing]:
            rest["tool_calls"] = waiting
        if "role" in delta and not self._has_role:
            shown = {"role": delta["role"], **shown}
        if passing and not waiting and not choice.get("finish_reason"):
            return self._pass(raw, delta)
        held = {**chunk, "choices": [{**choice, "delta": rest}]}
        self._now.held.append((written(held), False))
        passed = {**chunk, "choices": [{**choice, "delta": shown, "finish_reason": None}]}
        passed.pop("usage", None)
        return self._pass(written(passed), shown)

    def turn(self) -> Turn:
        now = self._now
        if not now.finish:
            raise StreamCutError("the upstream's stream ended before its end")
        said = {name: "".join(pieces) for name, pieces in now.words.items()}
        text = said.pop("content", "")
        return assembled(
            Part(Role.TEXT, encoded(text), text=text) if text else None,
            now.written_calls(),
            finish=now.finish,
            usage=now.usage,
            head={**now.head, "object": "chat.completion"},
            extra={name: whole for name, whole in said.items() if whole},
        )

    def close_round(self, round_: Round) -> bytes:
        return b""

    def end(self, rounds: Sequence[Round], usage: dict[str, Any]) -> bytes:
        last = rounds[-1]
        before = self._flushed()
        if untouched(rounds, self._rounds, usage) and not last.turn.repaired:
            wanted = (raw for raw, counts in self._now.held if self._wants_usage or not counts)
            return b"".join([before, *wanted])
        shown = [part.raw for part in last.shown if part.role is Role.CALL]
        more = list(enumerate(shown))[len(self._now.shown) :]
        pieces = [piece for place, raw in more for piece in _call_pieces(place, raw)]
        rest = [before, *[self._write(piece) for piece in pieces]]
        rest.append(self._write({}, finish_of(last)))
        if self._wants_usage:
            rest.append(written({**self._envelope, "choices": [], "usage": usage or None}))
        return b"".join([*rest, b"data: [DONE]\n\n"])

    def heartbeat(self, *, plain: bool) -> bytes:
        """Say nothing, not even whose words will come: what is held back may say so itself."""
        return _chunk(self._envelope, {}) if plain and self._envelope else b": keepalive\n\n"

    def error(self, error: ProxyError) -> bytes:
        return written(openai_error(error))

    def _write(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        if not self._has_role:
            delta = {"role": "assistant", **delta}
            self._has_role = True
        return _chunk(self._envelope, delta, finish)


def _chunk(envelope: Json, delta: Json, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return written({**envelope, "choices": [choice]})


def _call_pieces(place: int, raw: Raw) -> list[dict[str, Any]]:
    call: dict[str, Any] = msgspec.json.decode(raw)
    function = call.get("function")
    if not isinstance(function, dict):
        return [{"tool_calls": [{"index": place, **call}]}]
    begun: dict[str, Any] = {**call, "function": {**function, "arguments": ""}}
    more: dict[str, Any] = {"index": place, "function": {"arguments": function["arguments"]}}
    return [{"tool_calls": [{"index": place, **begun}]}, {"tool_calls": [more]}]
