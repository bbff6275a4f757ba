"""Images as a model is shown them."""

from base64 import b64encode

from msgspec import Struct

from agent_cli.types.errors import ToolError
from agent_cli.types.messages import Image

IMAGE_LIMIT = 5 * 1024 * 1024
"""Bytes of one image."""
IMAGES_LIMIT = 20 * 1024 * 1024
"""Bytes of all images in one result."""


class Shown(Struct, frozen=True):
    """What is said of an image, and the image, if the model can see it."""

    note: str
    image: Image | None
    size: int
    """Bytes that it takes from the limit of all images."""


def show(data: bytes, media_type: str, *, vision: bool, room: int = IMAGES_LIMIT) -> Shown:
    """Return the image as it goes into a result; ToolError where it is too large."""
    note = f"Image ({media_type}, {(len(data) + 1023) // 1024} KB)"
    if not vision:
        return Shown(f"{note}: it is left out, since this model cannot see images.", None, 0)
    if len(data) > IMAGE_LIMIT:
        raise ToolError(f"the image has {len(data)} bytes, more than the limit of {IMAGE_LIMIT}")
    if len(data) > room:
        raise ToolError(f"the images of one call may have {IMAGES_LIMIT} bytes together")
    return Shown(note, Image(media_type, b64encode(data).decode("ascii")), len(data))
