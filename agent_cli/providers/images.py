"""Who makes images: the model that the settings name for it, through the official openai client."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import TypeAlias, cast

from msgspec import Struct

from agent_cli.providers.base import Endpoint
from agent_cli.providers.registry import resolve
from agent_cli.settings.schema import Settings
from agent_cli.settings.secrets import MissingKeyError
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.messages import Image

Paint: TypeAlias = Callable[[str, Image | None], Awaitable[bytes]]
"""Makes an image from words, and from another image if there is one; raises ProviderError."""

_Paint: TypeAlias = Callable[[Endpoint, str, str, Image | None], Awaitable[bytes]]


class Painter(Struct, frozen=True):
    """What the tool that makes images asks for, and where that leads."""

    model: str
    url: str
    paint: Paint


def painter(settings: Settings, environ: Mapping[str, str]) -> Painter | None:
    """Return who makes images; None if no model is set for it, or its key is not there.

    Raises ConfigurationError for a model that cannot be one.
    """
    if settings.images.model is None:
        return None
    try:
        resolved = resolve(settings.images.model, settings, environ)
    except MissingKeyError:
        return None
    if not resolved.codec.startswith("openai") or resolved.sdk:
        raise ConfigurationError(
            f"images.model = {settings.images.model!r}: images are made through the openai client; "
            "name a model of a provider that speaks OpenAI's format"
        )
    endpoint, name = resolved.endpoint, resolved.name

    async def paint(prompt: str, image: Image | None) -> bytes:
        # The client takes 400 ms to import: in a thread, so that nothing else waits for it.
        module = await asyncio.to_thread(import_module, "agent_cli.providers.sdk_images")
        return await cast("_Paint", module.paint)(endpoint, name, prompt, image)

    return Painter(settings.images.model, endpoint.base_url, paint)
