"""Events as servers of the Responses format send them, and two calls to send."""

import msgspec

from agent_cli.types.messages import ToolCall
from agent_cli.wire.frames import Frame

USAGE = {"input_tokens": 5, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 3}}


def event(kind: str, index: object = None, **fields: object) -> Frame:
    where = {} if index is None else {"output_index": index}
    return Frame(msgspec.json.encode({"type": kind, **where, **fields}))


def added(item: object, index: object = None) -> Frame:
    return event("response.output_item.added", index, item=item)


def done(item: object, index: object = None) -> Frame:
    return event("response.output_item.done", index, item=item)


def piece(delta: str, index: object = None, item_id: object = None) -> Frame:
    return event("response.function_call_arguments.delta", index, item_id=item_id, delta=delta)


def told(arguments: str, index: object = None, item_id: object = None) -> Frame:
    kind = "response.function_call_arguments.done"
    return event(kind, index, item_id=item_id, arguments=arguments)


def call(
    id_: object, call_id: object, name: object, arguments: object = "", **more: object
) -> dict[str, object]:
    fields = {"id": id_, "call_id": call_id, "name": name, "arguments": arguments}
    return {"type": "function_call", **fields, **more}


def completed(**fields: object) -> Frame:
    response = {"status": "completed", "usage": USAGE, **fields}
    return event("response.completed", response=response)


A, A_DONE = call("fc_1", "a", "f"), call("fc_1", "a", "f", '{"x":1}')
B, B_DONE = call("fc_2", "b", "g"), call("fc_2", "b", "g", '{"y":2}')
X = ToolCall("a", "f", '{"x":1}', opaque="fc_1")
Y = ToolCall("b", "g", '{"y":2}', opaque="fc_2")
XY = [piece('{"x"', 0), piece('{"y"', 1), piece(":1}", 0), piece(":2}", 1)]
