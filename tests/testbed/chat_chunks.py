"""Chunks as servers of the Chat Completions format send them."""

import msgspec

from agent_cli.types.usage import Usage
from agent_cli.wire.frames import Frame

DONE = Frame(b"[DONE]")
USAGE = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
COUNTED = Usage(input_tokens=5, output_tokens=2)


def chunk(delta: object = None, finish: object = None, **more: object) -> Frame:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return Frame(msgspec.json.encode({"choices": [choice], **more}))


def piece(
    index: object = None,
    id_: object = None,
    name: object = None,
    arguments: object = None,
    **more: object,
) -> Frame:
    fields = {"index": index, "id": id_, "function": {"name": name, "arguments": arguments}}
    known = {key: value for key, value in fields.items() if value is not None}
    return chunk({"tool_calls": [{**known, **more}]})


def counted(usage: object = USAGE) -> Frame:
    return Frame(msgspec.json.encode({"choices": [], "usage": usage}))


CALLED = chunk({}, "tool_calls")
