"""Chat Completions for clients of its first form, with `functions` in place of tools.

The upstream is asked in today's form, and its answer is given back in the client's. That form has
room for one call in a message and knows no ids: the model is told to make one call at a time, and
a call's id is made of the call, so that the client's next request makes the same one.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from agent_cli.proxy.dialects import chat
from agent_cli.proxy.dialects.base import Fields, encoded, items, table, value_of
from agent_cli.proxy.dialects.canonical import arguments_value, digest
from agent_cli.proxy.dialects.chat.stream import ChatStream
from agent_cli.proxy.dialects.shapes import mapping, mappings, words
from agent_cli.proxy.dialects.turns import Part, Round, Turn, View
from agent_cli.wire.frames import Frame
from agent_cli.wire.sse import SseReader, write_event


def is_old(fields: Fields) -> bool:
    return "functions" in fields and "tools" not in fields and "messages" in fields


def old_form(fields: Fields) -> tuple["OldForm", Fields]:
    """Return the dialect of the request, and the request in today's form."""
    form = OldForm()
    return form, form.modern(fields)


class OldForm:
    """A dialect; see `Dialect`. One for each request, since it counts the calls of its history."""

    NAME = chat.NAME
    PATH = chat.PATH
    client_names = staticmethod(chat.client_names)
    marked = staticmethod(chat.marked)
    choice = staticmethod(chat.choice)
    with_choice = staticmethod(chat.with_choice)
    allowing = staticmethod(chat.allowing)
    offering = staticmethod(chat.offering)
    history = staticmethod(chat.history)
    with_history = staticmethod(chat.with_history)
    said = staticmethod(chat.said)
    answered = staticmethod(chat.answered)
    joined = staticmethod(chat.joined)
    canonical = staticmethod(chat.canonical)
    elided = staticmethod(chat.elided)
    stretches = staticmethod(chat.stretches)
    merged_results = staticmethod(chat.merged_results)
    replay = staticmethod(chat.replay)
    worded = staticmethod(chat.worded)
    seals = staticmethod(chat.seals)
    without = staticmethod(chat.without)
    settled = staticmethod(chat.settled)
    asking = staticmethod(chat.asking)
    error_body = staticmethod(chat.error_body)

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._theirs: set[str] = set()

    def modern(self, fields: Fields) -> Fields:
        """Return the request in today's form."""
        functions = items(fields.get("functions"))
        self._theirs = {words(table(raw).get("name")) for raw in functions}
        made = {name: raw for name, raw in fields.items() if name not in _OLD}
        made["tools"] = encoded([{"type": "function", "function": raw} for raw in functions])
        made["parallel_tool_calls"] = encoded(value=False)
        choice = value_of(fields, "function_call")
        if isinstance(choice, str):
            made["tool_choice"] = encoded(choice)
        elif choice:
            made["tool_choice"] = encoded({"type": "function", "function": choice})
        return {**made, "messages": encoded(self._messages(fields["messages"]))}

    def _messages(self, raw: Raw) -> list[Raw]:
        made: list[Raw] = []
        last = ""
        for one in items(raw):
            message = table(one)
            if call := mapping(message.pop("function_call", None)):
                last = self._id(words(call.get("name")), call.get("arguments"))
                self._seen[last.partition("_of_")[2]] += 1
                whole = {"id": last, "type": "function", "function": call}
                made.append(encoded({**message, "tool_calls": [whole]}))
            elif message.get("role") == "function":
                content = message.get("content")
                made.append(encoded({"role": "tool", "tool_call_id": last, "content": content}))
            else:
                made.append(one)
        return made

    def _id(self, name: str, arguments: object) -> str:
        mark = digest([name, arguments_value(arguments)])[:16]  # ids have 40 characters at most
        return f"call_{self._seen[mark]}_of_{mark}"

    def read(self, body: bytes) -> Turn:
        return self.known(chat.read(body))

    def known(self, turn: Turn) -> Turn:
        """Return the turn with the one call that the client can take, under the id it will have."""
        parts: list[Part] = []
        for part in turn.parts:
            call = part.call
            if call is None or call.name not in self._theirs:
                parts.append(part)
            elif not any(one.call and one.call.name in self._theirs for one in parts):
                id_ = self._id(call.name, call.arguments)
                raw = encoded({**table(part.raw), "id": id_})
                parts.append(replace(part, raw=raw, call=replace(call, id=id_)))
        return replace(turn, parts=tuple(parts))

    def compose(self, rounds: Sequence[Round], usage: dict[str, Any], asked: Fields) -> bytes:
        return _whole_as_old(chat.compose(rounds, usage, asked))

    def cleaned(self, body: bytes, asked: Fields) -> bytes:
        return _whole_as_old(body)

    def stream(self, asked: Fields, view: View) -> ChatStream:
        options = mapping(value_of(asked, "stream_options"))
        return _OldStream(self, view, wants_usage=bool(options.get("include_usage")))


_OLD = ("functions", "function_call")


class _OldStream(ChatStream):
    def __init__(self, form: OldForm, view: View, *, wants_usage: bool) -> None:
        super().__init__(view, wants_usage=wants_usage)
        self._form = form

    def feed(self, raw: bytes, frame: Frame | None) -> bytes:
        return _events_as_old(super().feed(raw, frame))

    def turn(self) -> Turn:
        return self._form.known(super().turn())

    def end(self, rounds: Sequence[Round], usage: dict[str, Any]) -> bytes:
        return _events_as_old(super().end(rounds, usage))


def _whole_as_old(body: bytes) -> bytes:
    whole: dict[str, Any] = msgspec.json.decode(body)
    return msgspec.json.encode(
        {**whole, "choices": [_old(one, "message") for one in _choices(whole)]}
    )


def _events_as_old(data: bytes) -> bytes:
    if b"tool_calls" not in data:
        return data
    return b"".join(write_event(Frame(_event_as_old(one.data))) for one in SseReader().feed(data))


def _event_as_old(data: bytes) -> bytes:
    if data.startswith(b"[DONE]"):
        return data
    chunk: dict[str, Any] = msgspec.json.decode(data)
    return msgspec.json.encode(
        {**chunk, "choices": [_old(one, "delta") for one in _choices(chunk)]}
    )


def _choices(whole: dict[str, Any]) -> list[dict[str, Any]]:
    return mappings(whole.get("choices"))


def _old(choice: dict[str, Any], name: str) -> dict[str, Any]:
    message = mapping(choice.get(name))
    calls = [one for one in mappings(message.pop("tool_calls", None)) if not one.get("index")]
    if calls:
        message["function_call"] = calls[0].get("function")
    finish = choice.get("finish_reason")
    ends = "function_call" if finish == "tool_calls" else finish
    return {**choice, name: message, "finish_reason": ends}
