"""Streams in the Chat Completions dialect: text passes at once, calls and the end are held back."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw

from agent_cli.proxy.dialects.base import Fields, Part, Role, Round, StreamCutError, Turn, encoded
from agent_cli.proxy.dialects.base import value_of as member
from agent_cli.proxy.dialects.chat.reply import SEPARATOR, assembled, finish_of
from agent_cli.proxy.dialects.shapes import mapping
from agent_cli.proxy.envelopes import ProxyError, openai_error
from agent_cli.types.events import Delta, ToolCallBegin, ToolCallDelta, ToolCallEnd
from agent_cli.wire.frames import Frame
from agent_cli.wire.openai_chat.calls import CallPiece, Calls, FunctionPiece
from agent_cli.wire.sse import write_event

DONE = b"[DONE]"
_PIECE = msgspec.json.Decoder(CallPiece)
_WORDS = ("content", "reasoning_content", "reasoning", "refusal")


def stream(asked: Fields) -> "ChatStream":
    options = mapping(member(asked, "stream_options"))
    return ChatStream(wants_usage=bool(options.get("include_usage")))


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

    def add_calls(self, delta: dict[str, Any]) -> None:
        for piece in delta.get("tool_calls") or ():
            self.calls.add(_PIECE.decode(msgspec.json.encode(piece)), self.deltas)
        if old := delta.get("function_call"):
            function = msgspec.convert(old, FunctionPiece)
            self.calls.add(CallPiece(function=function), self.deltas)

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
        return [encoded(call) for call in made.values()]


def _keep(call: dict[str, Any], opaque: str) -> None:
    if opaque:
        call["extra_content"] = Raw(opaque.encode())


class ChatStream:
    """See `Stream`."""

    def __init__(self, *, wants_usage: bool) -> None:
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
        chunk = _chunk(frame)
        if chunk.get("error"):
            raise StreamCutError(str(chunk["error"]), "upstream_error")
        self._note(chunk)
        choice = next(iter(chunk.get("choices") or ()), None)
        if not choice or choice.get("index"):
            self._now.held.append((raw, not choice))
            return b""
        delta: dict[str, Any] = choice.get("delta") or {}
        self._now.add_calls(delta)
        self._now.finish = choice.get("finish_reason") or self._now.finish
        calls = any(delta.get(name) for name in ("tool_calls", "function_call"))
        if calls or choice.get("finish_reason"):
            return self._part_of(raw, chunk, choice, delta, calls=calls)
        return self._pass(raw, chunk, choice, delta)

    def _note(self, chunk: dict[str, Any]) -> None:
        head = {name: chunk[name] for name in chunk if name not in ("choices", "usage")}
        self._now.head = {**self._now.head, **head}
        self._now.usage = chunk.get("usage") or self._now.usage
        if not self._envelope and chunk.get("id"):
            self._envelope = head

    def _pass(
        self, raw: bytes, chunk: dict[str, Any], choice: dict[str, Any], delta: dict[str, Any]
    ) -> bytes:
        """Let words through, under the envelope of the first round."""
        for name in _WORDS:
            if isinstance(delta.get(name), str):
                self._now.words.setdefault(name, []).append(delta[name])
        before = b""
        self.substantial = self.substantial or any(delta.get(name) for name in _WORDS)
        if delta.get("content"):
            if not self._separated:
                before = self._write({"content": SEPARATOR})
            self._separated = self._has_text = True
        if self._rounds == 1:
            self._has_role = self._has_role or "role" in delta
            return raw
        said = {name: value for name, value in delta.items() if name != "role" and value}
        return before + self._write(said) if said else b""

    def _part_of(
        self,
        raw: bytes,
        chunk: dict[str, Any],
        choice: dict[str, Any],
        delta: dict[str, Any],
        *,
        calls: bool,
    ) -> bytes:
        """Hold the frame back, but not the words that are in it as well."""
        words = {name: delta[name] for name in _WORDS if delta.get(name)}
        if not words:
            self._now.held.append((raw, False))
            return b""
        if "role" in delta and not self._has_role:
            words = {"role": delta["role"], **words}
        rest = {name: value for name, value in delta.items() if name not in words}
        held = {**chunk, "choices": [{**choice, "delta": rest}]}
        self._now.held.append((_event(held), False))
        shown = {**choice, "delta": words, "finish_reason": None}
        passed = {**chunk, "choices": [shown]}
        passed.pop("usage", None)
        return self._pass(_event(passed), passed, shown, words)

    def turn(self) -> Turn:
        now = self._now
        if not now.finish:
            raise StreamCutError("the upstream's stream ended before its end")
        words = {name: "".join(pieces) for name, pieces in now.words.items()}
        text = words.pop("content", "")
        return assembled(
            Part(Role.TEXT, encoded(text), text=text) if text else None,
            now.written_calls(),
            finish=now.finish,
            usage=now.usage,
            head={**now.head, "object": "chat.completion"},
            extra={name: said for name, said in words.items() if said},
        )

    def close_round(self, round_: Round) -> bytes:
        return b""

    def end(self, rounds: Sequence[Round], usage: dict[str, Any]) -> bytes:
        last = rounds[-1]
        untouched = self._rounds == len(rounds) == 1 and not last.turn.repaired
        if untouched and len(last.release) == len(last.turn.calls):
            return b"".join(
                raw for raw, counts in self._now.held if self._wants_usage or not counts
            )
        shown = [part.raw for part in last.shown if part.role is Role.CALL]
        pieces = [piece for place, raw in enumerate(shown) for piece in _call_pieces(place, raw)]
        written = [self._write(piece) for piece in pieces]
        written.append(self._write({}, finish_of(last)))
        if self._wants_usage:
            written.append(_event({**self._envelope, "choices": [], "usage": usage or None}))
        return b"".join([*written, b"data: [DONE]\n\n"])

    def heartbeat(self, *, plain: bool) -> bytes:
        return self._write({}) if plain and self._envelope else b": keepalive\n\n"

    def error(self, error: ProxyError) -> bytes:
        return _event(openai_error(error))

    def _write(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        if not self._has_role:
            delta = {"role": "assistant", **delta}
            self._has_role = True
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _event({**self._envelope, "choices": [choice]})


def _call_pieces(place: int, raw: Raw) -> list[dict[str, Any]]:
    call: dict[str, Any] = msgspec.json.decode(raw)
    function = call.get("function")
    if not isinstance(function, dict):
        return [{"tool_calls": [{"index": place, **call}]}]
    begun: dict[str, Any] = {**call, "function": {**function, "arguments": ""}}
    more: dict[str, Any] = {"index": place, "function": {"arguments": function["arguments"]}}
    return [{"tool_calls": [{"index": place, **begun}]}, {"tool_calls": [more]}]


def _chunk(frame: Frame) -> dict[str, Any]:
    try:
        chunk: Any = msgspec.json.decode(frame.data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StreamCutError(f"the upstream's stream broke: {error}") from error
    if not isinstance(chunk, dict):
        raise StreamCutError("the upstream's stream broke: an event is no object")
    return chunk  # pyright: ignore[reportUnknownVariableType] - JSON


def _event(value: object) -> bytes:
    return write_event(Frame(msgspec.json.encode(value)))
