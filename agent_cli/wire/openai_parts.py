"""What both OpenAI wire formats write alike: names, arguments, images, ids of responses."""

import re
from binascii import crc32
from typing import Any, cast

import msgspec
from msgspec import Raw

from agent_cli.types.errors import Fault, ProviderError, WireError
from agent_cli.types.messages import AssistantMessage, Image
from agent_cli.wire import json_text

LONGEST_NAME = 64
ILLEGAL_CHARACTER = re.compile(r"[^a-zA-Z0-9_-]")
DATA_URL = re.compile(r"data:([^;,]+);base64,(.*)", re.DOTALL)
NO_ARGUMENTS = "{}"
FREE_FORM = Raw(b'{"type":"object","properties":{}}')
"""The schema of a function that was offered without one."""
NULL = b"null"
_OBJECT = msgspec.json.Decoder(dict[str, Any])
_CHARACTERS_PER_TOKEN = 4


def legal_name(name: str) -> str:
    """Return a name that both formats accept; a model may have called what does not exist."""
    return ILLEGAL_CHARACTER.sub("_", name)[:LONGEST_NAME] or "_"


def is_object(text: str) -> bool:
    """Whether the text is a whole JSON object."""
    try:
        _OBJECT.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return True


def legal_arguments(text: str) -> str:
    """Return the model's own text, or that of no arguments if servers would choke on it.

    Chat templates iterate over the arguments, so anything but an object breaks every later request.
    """
    return text if is_object(text) else NO_ARGUMENTS


def arguments_text(arguments: object) -> str:
    """Return the text of arguments; some servers send the object instead of its text."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else msgspec.json.encode(arguments).decode()


def kept_text(raw: Raw) -> str:
    """Return JSON as it was written, nothing for null."""
    data = bytes(raw)
    return "" if data == NULL else data.decode("utf-8", "replace")


def schema_of(raw: Raw) -> Raw:
    """Return a function's schema as it was written."""
    return FREE_FORM if bytes(raw) in {b"", NULL} else raw.copy()


def data_url(image: Image) -> str:
    return f"data:{image.media_type};base64,{image.data}"


def image_of(url: object) -> Image:
    match = DATA_URL.fullmatch(url) if isinstance(url, str) else None
    if match is None:
        raise WireError(f"image {str(url)[:60]!r} is not a base64 data URL; send the image itself")
    return Image(match[1], match[2])


def content_of(content: object) -> tuple[str, tuple[Image, ...]]:
    """Return text and images of a message's content, whichever way it is written."""
    if content is None or isinstance(content, str):
        return content or "", ()
    texts: list[str] = []
    images: list[Image] = []
    for part in _parts(content):
        if "image_url" in part:
            images.append(_image_in(part["image_url"]))
        else:
            texts.append(_text_of(part))
    return "".join(texts), tuple(images)


def _parts(content: object) -> list[dict[str, Any]]:
    try:
        return msgspec.convert(content, list[dict[str, Any]])
    except msgspec.ValidationError as error:
        raise WireError(f"content is neither text nor a list of parts: {error}") from error


def objects_in(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list; of anything else, none."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]


def _image_in(value: object) -> Image:
    """Read the one spelling, `{"url": …}`, and the other, the URL itself."""
    nested = objects_in([value])
    return image_of(nested[0].get("url") if nested else value)


def _text_of(part: dict[str, Any]) -> str:
    text = part.get("text", part.get("refusal"))
    if not isinstance(text, str):
        raise WireError(f"content part of type {part.get('type')!r} is not supported")
    return text


def read_event(data: bytes, decoder: msgspec.json.Decoder[json_text.T]) -> json_text.T:
    """Decode one event of a stream; what cannot be read means that the stream is broken."""
    try:
        return json_text.decode(data, decoder)
    except WireError as error:
        raise ProviderError(f"the stream broke: {error}", Fault.CUT) from error


def estimated_tokens(characters: int) -> int:
    """Guess the tokens of streamed text, for servers that do not count."""
    return -(-characters // _CHARACTERS_PER_TOKEN)


def response_number(message: AssistantMessage) -> str:
    """Return the variable part of a response's ids: pure, so made of what it says."""
    return f"{crc32(msgspec.json.encode(message)):08x}"
