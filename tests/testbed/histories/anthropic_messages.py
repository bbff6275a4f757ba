"""Valid Messages requests, and a way to break each rule in any of the rich ones."""

from itertools import count, pairwise
from typing import Any

from testbed.histories.turns import PIXEL, Json, Mutation, Step, steps, swap, unshared
from testbed.validators.shape import objects

MARK = {"type": "ephemeral"}


def request(names: tuple[str, ...]) -> Json:
    """Write a conversation of these turns, and a last word of the user."""
    messages: list[Json] = []
    numbers = count()
    for said, following in steps(names):
        messages.append({"role": "user", "content": [_text(said)]})
        for step in following:
            messages += _step(step, numbers)
    messages.append({"role": "user", "content": "Go on."})
    written: Json = {
        "model": "claude-test",
        "max_tokens": 8000,
        "system": [_text("You are an agent.") | {"cache_control": MARK}],
        "messages": messages,
        "tools": [_tool("read_file"), _tool("list_files") | {"cache_control": MARK}],
        "stream": True,
    }
    return unshared(written)


def _tool(name: str) -> Json:
    return {"name": name, "description": "A tool.", "input_schema": {"type": "object"}}


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _step(step: Step, numbers: Any) -> list[Json]:
    content: list[Json] = []
    if step.reasoned:
        content.append({"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmF0dXJl"})
    if step.text:
        content.append(_text(step.text))
    ids = [f"toolu_{next(numbers):04}" for _ in range(step.calls)]
    content += [
        {"type": "tool_use", "id": name, "name": "read_file", "input": {"path": "a"}}
        for name in ids
    ]
    messages: list[Json] = [{"role": "assistant", "content": content}]
    if ids:
        results = [_result(name, step.result) for name in ids]
        messages.append({"role": "user", "content": results})
    return messages


def _result(name: str, kind: str) -> Json:
    result: Json = {"type": "tool_result", "tool_use_id": name}
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    match kind:
        case "empty":
            return result | {"content": ""}
        case "error":
            return result | {"content": "no such file", "is_error": True}
        case "image":
            return result | {"content": [_text("A picture."), {"type": "image", "source": source}]}
        case _:
            return result | {"content": "1 | text"}


def asked(request: Json) -> tuple[Json, Json]:
    """The first message with several calls, and the results after it."""
    messages = request["messages"]
    for asking, answering in pairwise(messages):
        if len(_of(asking, "tool_use")) > 1:
            return asking, answering
    raise LookupError("no message with several calls")


def _of(message: Json, kind: str) -> list[Json]:
    content = message["content"]
    return [] if isinstance(content, str) else [item for item in content if item["type"] == kind]


def every(request: Json, kind: str) -> list[Json]:
    return [block for message in request["messages"] for block in _of(message, kind)]


def call(request: Json) -> Json:
    return every(request, "tool_use")[1]


def result(request: Json) -> Json:
    return every(request, "tool_result")[1]


def image(request: Json) -> Json:
    results = every(request, "tool_result")
    parts = [part for block in results for part in objects(block["content"])]
    return next(part for part in parts if part["type"] == "image")


def failed(request: Json) -> Json:
    return next(block for block in every(request, "tool_result") if block.get("is_error"))


def reasoned(request: Json) -> Json:
    """The message with thinking and two calls."""
    return next(
        message
        for message in request["messages"]
        if _of(message, "thinking") and len(_of(message, "tool_use")) > 1
    )


def unasked(name: str) -> Json:
    return {"type": "tool_result", "tool_use_id": name, "content": "x"}


def open_loop(request: Json, budget: int) -> None:
    """Leave the history in the middle of a turn that began without thinking, with thinking on."""
    bare = [_step(Step(calls=1), iter([9999]))[place] for place in (0, 1)]
    request["messages"] += [{"role": "assistant", "content": "Yes."}, request["messages"][-1]]
    request["messages"] += bare
    request["thinking"] = {"type": "enabled", "budget_tokens": budget}


def after(request: Json, kind: str, block: Json) -> None:
    """Put a block at the end of the message that has `kind`, which cannot end with it."""
    reasoned(request)["content"].insert(
        [item["type"] for item in reasoned(request)["content"]].index(kind) + 1, block
    )


ALTERNATE, UNANSWERED = "roles must alternate", "without `tool_result` blocks immediately after"
UNEXPECTED, TWICE = "unexpected `tool_use_id`", "must be unique"
TURN_MUTATIONS: list[Mutation] = [
    ("no messages", "at least one message", lambda r: r["messages"].clear()),
    ("assistant first", "first message", lambda r: r["messages"].pop(0)),
    ("assistant last", "must end with a user", lambda r: r["messages"].pop()),
    ("user twice", ALTERNATE, lambda r: r["messages"].insert(0, r["messages"][0])),
    (
        "assistant twice",
        ALTERNATE,
        lambda r: r["messages"].insert(1, {"role": "assistant", "content": "Yes."}),
    ),
    ("a role unknown", "Input should be 'user'", lambda r: r["messages"][0].update(role="tool")),
    ("a result missing", UNANSWERED, lambda r: asked(r)[1]["content"].pop()),
    ("the first result missing", UNANSWERED, lambda r: asked(r)[1]["content"].pop(0)),
    ("all results missing", UNANSWERED, lambda r: asked(r)[1].update(content="Never mind.")),
    ("results gone", UNANSWERED, lambda r: r["messages"].remove(asked(r)[1])),
    ("calls gone", UNEXPECTED, lambda r: asked(r)[0].update(content="I did nothing.")),
    ("a call gone", UNEXPECTED, lambda r: asked(r)[0]["content"].pop()),
    ("a foreign result", UNEXPECTED, lambda r: asked(r)[1]["content"].append(unasked("toolu_x"))),
    (
        "an orphan at the end",
        UNEXPECTED,
        lambda r: r["messages"][-1].update(content=[unasked(call(r)["id"])]),
    ),
    (
        "an orphan at the start",
        UNEXPECTED,
        lambda r: r["messages"][0]["content"].insert(0, unasked("toolu_0")),
    ),
    (
        "a result twice",
        "must have a single result",
        lambda r: asked(r)[1]["content"].append(asked(r)[1]["content"][0]),
    ),
    ("results out of order", "in the order of", lambda r: swap(asked(r)[1]["content"], 0, 1)),
    (
        "text before results",
        "before all other",
        lambda r: asked(r)[1]["content"].insert(0, _text("So:")),
    ),
    (
        "text between results",
        "before all other",
        lambda r: asked(r)[1]["content"].insert(1, _text("And:")),
    ),
    (
        "a call in two messages",
        TWICE,
        lambda r: every(r, "tool_use")[-1].update(id=every(r, "tool_use")[0]["id"]),
    ),
    (
        "a call twice in a message",
        TWICE,
        lambda r: asked(r)[0]["content"].append(asked(r)[0]["content"][-1]),
    ),
    (
        "a call in a user message",
        "not permitted in this role",
        lambda r: r["messages"][0]["content"].append(call(r)),
    ),
    (
        "a result in an assistant message",
        "not permitted in this role",
        lambda r: asked(r)[0]["content"].append(result(r)),
    ),
    ("a turn without its thinking", "Expected `thinking`", lambda r: open_loop(r, 1024)),
]
