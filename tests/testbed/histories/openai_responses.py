"""Valid Responses requests, and a way to break each rule of pairs in any of the rich ones."""

from itertools import count
from typing import Any

from testbed.histories.turns import PIXEL, Json, Mutation, Step, steps, swap, unshared


def request(names: tuple[str, ...]) -> Json:
    """Write a conversation of these turns, and a last word of the user."""
    items: list[Json] = []
    numbers = count()
    for said, following in steps(names):
        items.append({"role": "user", "content": said})
        for step in following:
            items += _step(step, numbers)
    items.append(
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go on."}]}
    )
    written: Json = {
        "model": "gpt-test",
        "instructions": "You are an agent.",
        "input": items,
        "tools": [_tool("read_file"), _tool("list_files")],
        "parallel_tool_calls": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "stream": True,
    }
    return unshared(written)


def _tool(name: str) -> Json:
    schema: Json = {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }
    return {"type": "function", "name": name, "parameters": schema, "strict": True}


def _step(step: Step, numbers: Any) -> list[Json]:
    items: list[Json] = []
    if step.reasoned:
        name = f"rs_{next(numbers):04}"
        summary = [{"type": "summary_text", "text": "Hm."}]
        items.append(
            {"type": "reasoning", "id": name, "summary": summary, "encrypted_content": "c2VhbA=="}
        )
    if step.text:
        part: Json = {"type": "output_text", "text": step.text, "annotations": []}
        name = f"msg_{next(numbers):04}"
        items.append({"type": "message", "role": "assistant", "id": name, "content": [part]})
    ids = [f"{next(numbers):04}" for _ in range(step.calls)]
    call = {"type": "function_call", "name": "read_file", "arguments": '{"path": "a"}'}
    items += [call | {"id": f"fc_{name}", "call_id": f"call_{name}"} for name in ids]
    output = {"type": "function_call_output", "output": _output(step.result)}
    return items + [output | {"call_id": f"call_{name}"} for name in ids]


def _output(kind: str) -> str | list[Json]:
    if kind == "image":
        return [{"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"}]
    return "" if kind == "empty" else f"{kind}: 1 | text"


def every(request: Json, kind: str) -> list[Json]:
    return [item for item in request["input"] if item.get("type", "message") == kind]


def asked(request: Json) -> int:
    """The place of the first of several calls."""
    kinds = [item.get("type") for item in request["input"]]
    return next(
        place for place in range(len(kinds)) if kinds[place : place + 2] == ["function_call"] * 2
    )


def answered(request: Json) -> int:
    """The place of the first of their outputs."""
    kinds = [item.get("type") for item in request["input"]]
    return kinds.index("function_call_output", asked(request))


def call(request: Json) -> Json:
    found: Json = request["input"][asked(request)]
    return found


def output(request: Json) -> Json:
    found: Json = request["input"][answered(request)]
    return found


def reasoning(request: Json) -> int:
    return [item.get("type") for item in request["input"]].index("reasoning")


def insert(request: Json, place: int, role: str) -> None:
    request["input"].insert(place, {"role": role, "content": "Wait."})


def orphan(name: str) -> Json:
    return {"type": "function_call_output", "call_id": name, "output": "x"}


def late_call(request: Json) -> None:
    """Ask for something more after the first of several outputs."""
    late = call(request) | {"call_id": "call_late", "id": "fc_late"}
    request["input"].insert(answered(request) + 1, late)


def rename_last(request: Json) -> None:
    every(request, "function_call")[-1]["call_id"] = call(request)["call_id"]


UNANSWERED, ORPHAN = "No tool output found", "No tool call found"
FOLLOWING, SEALED = "without its required following item", "not persisted"
PAIRS: list[Mutation] = [
    ("the first output missing", UNANSWERED, lambda r: r["input"].pop(answered(r))),
    ("the second output missing", UNANSWERED, lambda r: r["input"].pop(answered(r) + 1)),
    ("user before outputs", UNANSWERED, lambda r: insert(r, answered(r), "user")),
    ("user between outputs", UNANSWERED, lambda r: insert(r, answered(r) + 1, "user")),
    ("developer between outputs", UNANSWERED, lambda r: insert(r, answered(r) + 1, "developer")),
    ("assistant between outputs", UNANSWERED, lambda r: insert(r, answered(r) + 1, "assistant")),
    ("a call between outputs", UNANSWERED, late_call),
    (
        "a call at the end",
        UNANSWERED,
        lambda r: r["input"].append(call(r) | {"call_id": "call_x", "id": "fc_x"}),
    ),
    ("a call gone", ORPHAN, lambda r: r["input"].pop(asked(r))),
    ("an orphan first", ORPHAN, lambda r: r["input"].insert(0, orphan("call_x"))),
    ("an orphan last", ORPHAN, lambda r: r["input"].append(orphan("call_x"))),
    ("an old id last", ORPHAN, lambda r: r["input"].append(orphan(call(r)["call_id"]))),
    ("an output twice", ORPHAN, lambda r: r["input"].insert(answered(r) + 1, output(r))),
    ("an output by item id", ORPHAN, lambda r: output(r).update(call_id=call(r)["id"])),
    (
        "outputs out of order",
        "in the order of",
        lambda r: swap(r["input"], answered(r), answered(r) + 1),
    ),
    ("a call twice", "Duplicate function_call", lambda r: r["input"].insert(asked(r), call(r))),
    ("a call of another turn", "Duplicate function_call", rename_last),
    ("an item twice", "Duplicate item", lambda r: r["input"].insert(asked(r), call(r))),
    ("reasoning last", FOLLOWING, lambda r: r["input"].append(r["input"].pop(reasoning(r)))),
    (
        "reasoning before the user",
        FOLLOWING,
        lambda r: r["input"].insert(0, r["input"].pop(reasoning(r))),
    ),
    (
        "reasoning before outputs",
        FOLLOWING,
        lambda r: r["input"].insert(answered(r), r["input"].pop(reasoning(r))),
    ),
    (
        "reasoning unsealed",
        SEALED,
        lambda r: r["input"][reasoning(r)].pop("encrypted_content"),
    ),
    ("assistant last", "must end with", lambda r: insert(r, len(r["input"]), "assistant")),
]
