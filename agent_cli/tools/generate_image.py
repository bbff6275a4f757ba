"""generate_image: an image made by a model, written to a file."""

from base64 import b64encode
from pathlib import PurePosixPath
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta

from agent_cli.tools._images import IMAGE_LIMIT, show
from agent_cli.tools._reasons import BLOCKED, CHANGED, TOO_LARGE, UNWRITABLE, size
from agent_cli.tools.base import (
    Blocks,
    Output,
    Painter,
    Reason,
    Services,
    Tool,
    ToolArguments,
    ToolContext,
)
from agent_cli.types.approval import Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ProviderError, ToolError
from agent_cli.types.messages import Image
from agent_cli.types.outcomes import Code
from agent_cli.workspace.files import image_type

_SUFFIXES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}


class Arguments(ToolArguments, frozen=True):
    prompt: Annotated[str, Meta(description="What the image shows, and in which style.")]
    path: Annotated[
        str,
        Meta(description="Where it is written, relative to the workspace root; .png is added."),
    ]
    image: Annotated[
        str | None,
        Meta(description="Path of an image to start from: PNG, JPEG, GIF or WebP."),
    ] = None


class GenerateImage(Tool[Arguments]):
    name = "generate_image"
    description = (
        "Have an image made from words, or an existing image changed, and write it to a file. "
        "Each image costs money: ask for one when the task needs it."
    )
    kind = Kind.WRITE
    arguments = Arguments
    example = Arguments(
        "A red paper plane on a plain white ground, flat, no text", "static/logo.png"
    )
    touches = (
        Effect(Kind.WRITE, "path"),
        Effect(Kind.NETWORK, "the host of the model's endpoint"),
        Effect(Kind.READ, "image"),
    )
    limits = (f"{size(IMAGE_LIMIT)} of an image that is shown; larger ones are only written.",)
    failures = (
        Reason("no_prompt", "The prompt is empty.", Code.INVALID_ARGUMENTS),
        BLOCKED,
        Reason("start", "The image to start from cannot be read, or is of another format."),
        Reason("model", "The model cannot be asked, or refuses."),
        Reason("no_image", "What the model answers is not an image."),
        TOO_LARGE,
        UNWRITABLE,
        CHANGED,
    )
    needs = "[images] model in the settings, and its key"

    def available(self, services: Services) -> bool:
        return services.images is not None

    def effects(self, arguments: Arguments, context: ToolContext) -> tuple[Effect, ...]:
        """Name the host too: words, and the image to start from, leave this machine."""
        if not arguments.prompt.strip():
            raise ToolError("the prompt is empty: say what the image shows", Code.INVALID_ARGUMENTS)
        workspace = context.workspace
        host = urlsplit(_port(context).url).netloc.rpartition("@")[2]
        effects = [workspace.effect(Kind.WRITE, _path(arguments)), Effect(Kind.NETWORK, host)]
        if arguments.image is not None:
            effects.append(workspace.effect(Kind.READ, arguments.image))
        return tuple(effects)

    def preview(self, arguments: Arguments, context: ToolContext) -> Words:
        path = _path(arguments)
        exists = False
        if not context.workspace.effect(Kind.WRITE, path).outside:
            exists = context.workspace.show(path) is not None
        verb = "replace" if exists else "make"
        start = f", starting from {arguments.image}" if arguments.image else ""
        return Words(f"{verb} {path} with {_port(context).model}{start}:\n\n{arguments.prompt}")

    async def run(self, arguments: Arguments, context: ToolContext) -> Output:
        path = _path(arguments)
        start = _start(arguments.image, context) if arguments.image is not None else None
        before = context.workspace.take(path)
        data = await _painted(arguments.prompt, start, _port(context))
        media_type = image_type(data)
        if media_type is None:
            raise ToolError("the model's answer is not an image: nothing was written")
        context.workspace.write(path, data, expected=before)
        text = f"{'created' if before is None else 'replaced'} {path}"
        if media_type != _SUFFIXES[PurePosixPath(path).suffix.lower()]:
            text += f". Note: it is {media_type}, whatever its name says"
        if len(data) > IMAGE_LIMIT:
            return f"{text}. It is too large to be shown."
        shown = show(data, media_type, vision=context.services.vision)
        text = f"{text}\n{shown.note}"
        return Blocks(text, (shown.image,)) if shown.image else text


def _path(arguments: Arguments) -> str:
    known = PurePosixPath(arguments.path).suffix.lower() in _SUFFIXES
    return arguments.path if known else f"{arguments.path}.png"


def _port(context: ToolContext) -> Painter:
    port = context.services.images
    if port is None:
        raise ToolError("no model for images is set, or its key is missing")
    return port


def _start(path: str, context: ToolContext) -> Image:
    """Return the image to start from."""
    data = context.workspace.read(path)
    media_type = image_type(data)
    if media_type is None:
        raise ToolError(f"{path!r} is not a PNG, JPEG, GIF or WebP image")
    return Image(media_type, b64encode(data).decode("ascii"))


async def _painted(prompt: str, start: Image | None, port: Painter) -> bytes:
    try:
        return await port.paint(prompt, start)
    except ProviderError as error:
        raise ToolError(f"no image was made: {error}") from error


TOOL = GenerateImage()
