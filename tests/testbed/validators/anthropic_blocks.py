"""The content of one message of a Messages request, and the limits of all of them together."""

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from testbed.validators.shape import (
    Json,
    extra_keys,
    is_base64,
    is_list,
    is_object,
    not_matching,
    objects,
    text_of,
)

CALL_ID = re.compile(r"^[a-zA-Z0-9_-]+$")
CALL_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
MEDIA = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
MAX_CACHED, MAX_IMAGES, MAX_IMAGE = 4, 100, 5 * 1024 * 1024
KEYS = {
    "text": frozenset({"type", "text", "cache_control", "citations"}),
    "image": frozenset({"type", "source", "cache_control"}),
    "document": frozenset({"type", "source", "cache_control", "title", "context", "citations"}),
    "tool_use": frozenset(
        {"type", "id", "name", "input", "cache_control", "caller", "toolset_name"}
    ),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
}
ALLOWED = {
    "user": frozenset({"text", "image", "document", "tool_result"}),
    "assistant": frozenset({"text", "tool_use", "thinking", "redacted_thinking"}),
}
Check: TypeAlias = Callable[[Json, str], Iterator[str]]


def blocks_of(message: Json) -> list[Json]:
    """The blocks of a message; a plain string is one text block."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects(content)


def message(message: Json, where: str) -> Iterator[str]:
    """Say what is wrong inside one message, whatever its neighbours are."""
    yield from extra_keys(message, frozenset({"role", "content"}), f"{where}.")
    role = text_of(message, "role")
    if role not in ALLOWED:
        yield f"{where}.role: Input should be 'user' or 'assistant'"
        return
    content: object = message.get("content")
    if not isinstance(content, str) and not is_list(content):
        yield f"{where}.content: Input should be a valid string or list"
    elif not content:
        yield f"{where}: {role} messages must have non-empty content"
    if is_list(content) and len(objects(content)) != len(content):
        yield f"{where}.content: Input should be a list of dictionaries"
    found = blocks_of(message)
    for place, block in enumerate(found):
        yield from _block(block, ALLOWED[role], f"{where}.content.{place}")
    if role == "assistant":
        yield from _thinking_order(found, where)


def _block(block: Json, allowed: frozenset[str], where: str) -> Iterator[str]:
    kind = text_of(block, "type")
    if kind not in KEYS:
        yield f"{where}.type: Input tag '{kind}' does not match any of the expected tags"
        return
    if kind not in allowed:
        yield f"{where}: `{kind}` blocks are not permitted in this role"
        return
    yield from extra_keys(block, KEYS[kind], f"{where}.{kind}.")
    yield from CHECKS[kind](block, f"{where}.{kind}")


def _thinking_order(blocks: list[Json], where: str) -> Iterator[str]:
    kinds = [text_of(block, "type") for block in blocks]
    if kinds and kinds[-1] in {"thinking", "redacted_thinking"}:
        yield f"{where}: The final block in an assistant message cannot be `{kinds[-1]}`."
    after_call = kinds[kinds.index("tool_use") :] if "tool_use" in kinds else []
    if "thinking" in after_call or "redacted_thinking" in after_call:
        yield f"{where}: `thinking` blocks must come before `tool_use` blocks"


def _text(block: Json, where: str) -> Iterator[str]:
    text = block.get("text")
    if not isinstance(text, str):
        yield f"{where}.text: Input should be a valid string"
    elif not text:
        yield f"messages: text content blocks must be non-empty ({where})"
    elif not text.strip():
        yield f"messages: text content blocks must contain non-whitespace text ({where})"


def _image(block: Json, where: str) -> Iterator[str]:
    source = block.get("source")
    if not is_object(source) or text_of(source, "type") not in {"base64", "url", "file"}:
        yield f"{where}.source: Input tag should be 'base64', 'url' or 'file'"
        return
    if source["type"] != "base64":
        return
    if text_of(source, "media_type") not in MEDIA:
        yield f"{where}.source.base64.media_type: Input should be one of {sorted(MEDIA)}"
    data = source.get("data")
    if not is_base64(data):
        yield f"{where}.source.base64.data: invalid base64 data"
    elif len(str(data)) > MAX_IMAGE:
        yield f"{where}.source.base64: image exceeds 5 MB maximum: {len(str(data))} bytes"


def _document(block: Json, where: str) -> Iterator[str]:
    if not is_object(block.get("source")):
        yield f"{where}.source: Field required"


def _tool_use(block: Json, where: str) -> Iterator[str]:
    yield from not_matching(block.get("id"), CALL_ID, f"{where}.id")
    yield from not_matching(block.get("name"), CALL_NAME, f"{where}.name")
    if not is_object(block.get("input")):
        yield f"{where}.input: Input should be a valid dictionary"


def _tool_result(block: Json, where: str) -> Iterator[str]:
    yield from not_matching(block.get("tool_use_id"), CALL_ID, f"{where}.tool_use_id")
    error = block.get("is_error", False)
    if not isinstance(error, bool):
        yield f"{where}.is_error: Input should be a valid boolean"
    content: object = block.get("content", "")
    if not isinstance(content, str) and not is_list(content):
        yield f"{where}.content: Input should be a valid string or list"
        return
    if error and not content:
        yield f"{where}: content cannot be empty if `is_error` is true"
    if isinstance(content, str):
        return
    if len(objects(content)) != len(content):
        yield f"{where}.content: Input should be a list of dictionaries"
    for place, part in enumerate(objects(content)):
        if error and part.get("type") != "text":
            yield f"{where}: all content must be type `text` if `is_error` is true"
        yield from _block(part, ALLOWED["user"] - {"tool_result"}, f"{where}.content.{place}")


def _thinking(block: Json, where: str) -> Iterator[str]:
    if not isinstance(block.get("thinking"), str):
        yield f"{where}.thinking: Field required"
    if not text_of(block, "signature"):
        yield f"{where}.signature: Field required"


def _redacted(block: Json, where: str) -> Iterator[str]:
    if not text_of(block, "data"):
        yield f"{where}.data: Field required"


CHECKS: dict[str, Check] = {
    "text": _text,
    "image": _image,
    "document": _document,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
}


def limits(request: Json) -> Iterator[str]:
    """Count what is limited over the whole request: cache marks and images."""
    every = [*objects(request.get("tools")), *objects(request.get("system"))]
    for found in objects(request.get("messages")):
        for block in blocks_of(found):
            every += [block, *objects(block.get("content"))]
    marks = [block["cache_control"] for block in every if block.get("cache_control") is not None]
    if len(marks) > MAX_CACHED:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}."
    for mark in marks:
        if not is_object(mark) or mark.get("type") != "ephemeral":
            yield "cache_control.type: Input should be 'ephemeral'"
        elif mark.get("ttl", "5m") not in ("5m", "1h"):
            yield "cache_control.ephemeral.ttl: Input should be '5m' or '1h'"
    images = sum(block.get("type") == "image" for block in every)
    if images > MAX_IMAGES:
        yield f"messages: too many images: {images} > {MAX_IMAGES} maximum"
