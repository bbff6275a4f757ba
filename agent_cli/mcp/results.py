"""What a server answered, as the model gets it: bounded, images as images, the rest as text."""

from base64 import b64decode
from binascii import Error as NotBase64Error
from typing import cast

import msgspec
from msgspec import Struct

from agent_cli.tools.base import Blocks, Failure, Output
from agent_cli.tools.use_mcp_tool import LARGEST_IMAGE, LONGEST_RESULT, MOST_IMAGES
from agent_cli.types.messages import Image

_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
EMPTY = "(no content)"


class Part(Struct, frozen=True):
    """One block of an answer: text, or data in base64."""

    text: str = ""
    data: str = ""
    media_type: str = ""


def rendered(
    parts: tuple[Part, ...], structured: object = None, *, is_error: bool = False
) -> Output:
    """Return the answer."""
    texts: list[str] = []
    images: list[Image] = []
    for part in parts:
        if not part.media_type:
            texts.append(part.text)
        elif _can_be_shown(part) and len(images) < MOST_IMAGES and not is_error:
            images.append(Image(part.media_type, part.data))
        else:
            size = len(part.data) * 3 // 4
            texts.append(f"[{part.media_type}, {size} bytes: cannot be shown]")
    if structured is not None and not _says(texts, structured):
        texts.append(msgspec.json.encode(structured).decode())
    text = bounded("\n\n".join(filter(None, texts)))
    if is_error:
        return Failure(text or EMPTY)
    return Blocks(text, tuple(images)) if images else text or EMPTY


def bounded(text: str) -> str:
    """Return the text, its middle left out if it is too long."""
    if len(text) <= LONGEST_RESULT:
        return text
    half = LONGEST_RESULT // 2
    left_out = len(text) - 2 * half
    return (
        f"{text[:half]}\n\n[{left_out} characters left out: the result is longer than "
        f"{LONGEST_RESULT} characters; ask for less]\n\n{text[-half:]}"
    )


def _can_be_shown(part: Part) -> bool:
    if part.media_type not in _IMAGES or not 0 < len(part.data) <= LARGEST_IMAGE:
        return False
    try:
        b64decode(part.data, validate=True)
    except (NotBase64Error, ValueError):
        return False
    return True


def _says(texts: list[str], structured: object) -> bool:
    """Whether the text says the same already, as the protocol recommends."""
    if isinstance(structured, dict):
        values = list(cast("dict[str, object]", structured).values())
        if values == ["\n\n".join(texts)]:
            return True
    for text in texts:
        try:
            said = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            continue
        if structured in (said, {"result": said}):
            return True
    return False
