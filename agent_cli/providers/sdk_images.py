"""Images through the official openai client.

The import takes 400 ms; only `images.painter` imports this module, when an image is wanted.
"""

import binascii
from base64 import b64decode
from typing import Any, cast

import openai

from agent_cli.providers.base import Endpoint
from agent_cli.providers.refusals import refusal
from agent_cli.providers.sdk_stream import connection_failure, http_client
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.messages import Image

_ASKED_FOR_DATA = "dall-e"
"""Begins the names of the models that must be told to send data instead of an address."""


async def paint(endpoint: Endpoint, model: str, prompt: str, image: Image | None) -> bytes:
    """Return the bytes of the image that the model makes; raises ProviderError."""
    asked: dict[str, Any] = {"model": model, "prompt": prompt, "n": 1}
    if model.startswith(_ASKED_FOR_DATA):
        asked["response_format"] = "b64_json"
    async with openai.AsyncOpenAI(
        base_url=endpoint.base_url,
        # Without a key the client takes the environment's, and would show it to any server.
        api_key=endpoint.api_key or "none",
        default_headers=dict(endpoint.headers),
        http_client=http_client(endpoint),
    ) as client:
        images = cast("Any", client.images)  # its overloads know nothing of what is spread here
        try:
            if image is None:
                answer = await images.generate(**asked)
            else:
                suffix = image.media_type.rpartition("/")[2]
                given = (f"image.{suffix}", b64decode(image.data), image.media_type)
                answer = await images.edit(image=given, **asked)
        except openai.APIStatusError as error:
            response = error.response
            url, body = str(response.request.url), await response.aread()
            raise refusal(url, response.status_code, response.headers, body) from error
        except openai.APIError as error:
            raise connection_failure(error, str(client.base_url), endpoint) from error
    data: str | None = answer.data[0].b64_json if answer.data else None
    try:
        return b64decode(data or "", validate=True)
    except binascii.Error as error:
        raise ProviderError(f"the image is not valid base64: {error}", Fault.SERVER) from error
