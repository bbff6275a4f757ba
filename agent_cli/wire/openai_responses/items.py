"""Items of the Responses format: what a request's input and a response's output are made of."""

from typing import Any

import msgspec
from msgspec import Raw, Struct

from agent_cli.types.errors import WireError
from agent_cli.types.messages import Block, Reasoning, Text, ToolCall
from agent_cli.wire import json_text
from agent_cli.wire.openai_parts import arguments_text, kept_text, objects_in

CALL_PREFIX = "fc"
"""The vendor refuses ids of calls that begin otherwise."""


class Item(Struct, frozen=True):
    """The fields of all kinds of items that we know."""

    type: str = "message"
    id: str | None = None
    role: str | None = None
    content: object = None
    status: str | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: object = None
    output: object = None
    summary: object = None
    encrypted_content: str | None = None

    @property
    def refused(self) -> bool:
        return any(part.get("type") == "refusal" for part in objects_in(self.content))

    @property
    def call(self) -> str:
        """The call's id; a server that has only ids of items means those."""
        return self.call_id or self.id or ""

    def said(self) -> str:
        """Return the text of an assistant's message."""
        if isinstance(self.content, str):
            return self.content
        texts = (part.get("text", part.get("refusal")) for part in objects_in(self.content))
        return "".join(text for text in texts if isinstance(text, str))

    def thought(self) -> str:
        """Return the text of a reasoning item."""
        texts = (
            part.get("text") for part in [*objects_in(self.summary), *objects_in(self.content)]
        )
        return "\n\n".join(text for text in texts if isinstance(text, str) and text)


ITEM = msgspec.json.Decoder(Item)


def read_item(raw: Raw) -> Item:
    return json_text.decode(bytes(raw), ITEM)


def block_of(item: Item, raw: Raw) -> Block | None:
    """Return what the model's item says, None if it is empty or of a kind that we do not know."""
    match item.type:
        case "message":
            text = item.said()
            return Text(text) if text else None
        case "reasoning":
            return Reasoning(item.thought(), kept_text(raw))
        case "function_call":
            return ToolCall(
                item.call,
                item.name or "",
                arguments_text(item.arguments),
                complete=item.status != "incomplete",
                opaque=item.id or "",
            )
        case _:
            return None


def reasoning_item(block: Reasoning) -> Item | None:
    """Return the item that the block was read from, None if another codec made the block."""
    if not block.opaque:
        return None
    try:
        item = json_text.decode(block.opaque.encode(), ITEM)
    except WireError:
        return None
    return item if item.type == "reasoning" and item.id else None


def written_item(block: Block, number: str) -> dict[str, Any] | Raw:
    """Return the item of a response; `number` makes its id where the block has none."""
    match block:
        case Text(text=text):
            part: dict[str, Any] = {
                "type": "output_text",
                "text": text,
                "annotations": [],
                "logprobs": [],
            }
            return {**message_head(number), "status": "completed", "content": [part]}
        case Reasoning(text=text, opaque=opaque):
            if reasoning_item(block):
                return Raw(opaque.encode())
            summary = [{"type": "summary_text", "text": text}] if text else []
            return {"id": f"rs_{number}", "type": "reasoning", "summary": summary}
        case ToolCall(arguments=arguments, complete=complete):
            status = "completed" if complete else "incomplete"
            return {**call_head(block, number), "arguments": arguments, "status": status}


def message_head(number: str) -> dict[str, Any]:
    return {"id": f"msg_{number}", "type": "message", "role": "assistant"}


def call_head(call: ToolCall, number: str) -> dict[str, Any]:
    return {
        "id": item_id(call) or f"{CALL_PREFIX}_{number}",
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
    }


def item_id(call: ToolCall) -> str:
    """Return the id that the vendor gave the item; not another codec's opaque value."""
    return call.opaque if call.opaque.startswith(CALL_PREFIX) else ""
