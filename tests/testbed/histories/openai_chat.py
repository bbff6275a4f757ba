"""Valid Chat Completions requests, and a way to break each rule in any of the rich ones."""

from itertools import count
from typing import Any

from testbed.histories.turns import PIXEL, Json, Mutation, Step, steps, swap, unshared


def request(names: tuple[str, ...]) -> Json:
    """Write a conversation of these turns, and a last word of the user."""
    messages: list[Json] = [{"role": "system", "content": "You are an agent."}]
    numbers = count()
    for said, following in steps(names):
        messages.append({"role": "user", "content": said})
        for step in following:
            messages += _step(step, numbers)
    messages.append({"role": "user", "content": [{"type": "text", "text": "Go on."}]})
    written: Json = {
        "model": "gpt-test",
        "messages": messages,
        "tools": [_tool("read_file"), _tool("list_files")],
        "parallel_tool_calls": True,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return unshared(written)


def _tool(name: str) -> Json:
    function = {"name": name, "description": "A tool.", "parameters": {"type": "object"}}
    return {"type": "function", "function": function}


def _step(step: Step, numbers: Any) -> list[Json]:
    said: Json = {"role": "assistant", "content": step.text or None}
    if step.reasoned:
        said["reasoning_content"] = "Hm."
    ids = [f"call_{next(numbers):04}" for _ in range(step.calls)]
    if ids:
        function = {"name": "read_file", "arguments": '{"path": "a"}'}
        said["tool_calls"] = [
            {"id": name, "type": "function", "function": dict(function)} for name in ids
        ]
    content = "" if step.result == "empty" else f"{step.result}: 1 | text"
    messages = [said, *({"role": "tool", "tool_call_id": name, "content": content} for name in ids)]
    if step.result == "image":
        url = {"url": f"data:image/png;base64,{PIXEL}"}
        picture = [{"type": "image_url", "image_url": url}]
        messages.append({"role": "user", "content": picture})
    return messages


def asked(request: Json) -> int:
    """The place of the first message with several calls."""
    return next(
        place
        for place, message in enumerate(request["messages"])
        if len(message.get("tool_calls", ())) > 1
    )


def every(request: Json, role: str) -> list[Json]:
    return [message for message in request["messages"] if message["role"] == role]


def calls(request: Json) -> list[Json]:
    return [call for said in every(request, "assistant") for call in said.get("tool_calls", ())]


def call(request: Json) -> Json:
    return calls(request)[1]


def function(request: Json) -> Json:
    found: Json = call(request)["function"]
    return found


def talked(request: Json) -> Json:
    return next(said for said in every(request, "assistant") if "tool_calls" not in said)


def answer(request: Json) -> Json:
    return every(request, "tool")[0]


def picture(request: Json) -> Json:
    said = [user["content"] for user in every(request, "user")]
    return next(content[0] for content in said if content[0] and "image_url" in content[0])


def insert(request: Json, offset: int, role: str) -> None:
    """Put a message so many places after the calls."""
    place = asked(request) + offset
    request["messages"].insert(place, {"role": role, "content": "Wait."})


def orphan(name: str) -> Json:
    return {"role": "tool", "tool_call_id": name, "content": "x"}


def one_call_gone(request: Json) -> None:
    request["messages"][asked(request)]["tool_calls"].pop()


def repeat(request: Json, offset: int) -> None:
    """Repeat the first result so many places after the calls."""
    place = asked(request)
    request["messages"].insert(place + offset, request["messages"][place + 1])


UNANSWERED, ORPHAN = "must be followed by tool messages", "must be a response to a preceeding"
MISSING, EMPTY, SHORT = "Missing required parameter", "must not be empty", "[] is too short"
PAIRS: list[Mutation] = [
    ("the first result missing", UNANSWERED, lambda r: r["messages"].pop(asked(r) + 1)),
    ("the second result missing", UNANSWERED, lambda r: r["messages"].pop(asked(r) + 2)),
    ("user before results", UNANSWERED, lambda r: insert(r, 1, "user")),
    ("user between results", UNANSWERED, lambda r: insert(r, 2, "user")),
    ("system between results", UNANSWERED, lambda r: insert(r, 2, "system")),
    ("assistant between results", UNANSWERED, lambda r: insert(r, 2, "assistant")),
    ("calls at the end", UNANSWERED, lambda r: r["messages"].append(r["messages"][asked(r)])),
    ("calls gone", ORPHAN, lambda r: r["messages"].pop(asked(r))),
    ("a call gone", ORPHAN, one_call_gone),
    ("an orphan first", ORPHAN, lambda r: r["messages"].insert(0, orphan("call_x"))),
    ("an orphan last", ORPHAN, lambda r: r["messages"].append(orphan("call_x"))),
    ("an old id last", ORPHAN, lambda r: r["messages"].append(orphan(call(r)["id"]))),
    ("a result twice", ORPHAN, lambda r: repeat(r, 2)),
    (
        "results out of order",
        "in the order of",
        lambda r: swap(r["messages"], asked(r) + 1, asked(r) + 2),
    ),
    ("an id of another turn", "Duplicate", lambda r: calls(r)[-1].update(id=calls(r)[0]["id"])),
    (
        "an id twice in a message",
        "Duplicate",
        lambda r: r["messages"][asked(r)]["tool_calls"].append(call(r)),
    ),
    ("an answer to nothing", MISSING, lambda r: answer(r).pop("tool_call_id")),
    ("a call without id", MISSING, lambda r: call(r).pop("id")),
    ("a call with an empty id", MISSING, lambda r: call(r).update(id="")),
    ("an id too long", "string too long", lambda r: call(r).update(id="c" * 41)),
    ("a call without function", MISSING, lambda r: call(r).pop("function")),
    ("a call without type", MISSING, lambda r: call(r).pop("type")),
    ("a name with a blank", "does not match pattern", lambda r: function(r).update(name="a b")),
    ("a name too long", "does not match pattern", lambda r: function(r).update(name="n" * 65)),
    ("no calls in the list", SHORT, lambda r: talked(r).update(tool_calls=[])),
    ("arguments as an object", "expected a string", lambda r: function(r).update(arguments={})),
    ("arguments cut off", "of an object", lambda r: function(r).update(arguments='{"path"')),
    ("arguments empty", "of an object", lambda r: function(r).update(arguments="")),
    ("arguments of a list", "of an object", lambda r: function(r).update(arguments="[]")),
    ("arguments of NaN", "of an object", lambda r: function(r).update(arguments='{"a": NaN}')),
]
