"""The transport over the official openai client: OpenAI, what is compatible with it, and Azure.

The import takes 400 ms; only `registry.connect` imports this module, when it is asked for.
"""

from typing import Any

import httpx2
import msgspec
import openai

from agent_cli.i18n.catalog import say
from agent_cli.providers.base import Endpoint
from agent_cli.providers.sdk_stream import SdkTransport, connection_failure, http_client
from agent_cli.types.errors import ConfigurationError


def open_transport(
    endpoint: Endpoint, path: str, headers: tuple[tuple[str, str], ...], sdk: str | None = None
) -> SdkTransport:
    """Return a transport to the endpoint; `sdk` is None or `azure`."""
    try:
        client = _azure(endpoint, headers) if sdk == "azure" else _plain(endpoint)
    except (openai.OpenAIError, ValueError) as error:
        raise ConfigurationError(
            say("the openai client cannot be used: {error}", error=error)
        ) from error
    # The key as our headers show it, and no other.
    shown: dict[str, Any] = {"authorization": openai.omit, **dict(headers)}

    async def post(body: bytes) -> httpx2.Response:
        sent: dict[str, Any] = {"content": body, "options": {"headers": shown}}
        if sdk:
            # Azure's client takes the deployment's name from the parsed body.
            sent = {"body": msgspec.json.decode(body)}
        try:
            response: httpx2.Response = await client.post(
                path,
                cast_to=httpx2.Response,
                stream=True,
                stream_cls=openai.AsyncStream[Any],
                **sent,
            )
        except openai.APIStatusError as error:
            return error.response
        except openai.APIConnectionError as error:
            raise connection_failure(error, str(client.base_url), endpoint) from error
        return response

    return SdkTransport(endpoint, post, client.close)


def _plain(endpoint: Endpoint) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        base_url=endpoint.base_url,
        # Without a key the client takes the environment's, and would show it to any server.
        api_key=endpoint.api_key or "none",
        max_retries=0,
        http_client=http_client(endpoint),
    )


def _azure(endpoint: Endpoint, headers: tuple[tuple[str, str], ...]) -> openai.AsyncAzureOpenAI:
    place: dict[str, Any] = {"azure_endpoint": endpoint.base_url} if endpoint.base_url else {}
    return openai.AsyncAzureOpenAI(
        api_key=endpoint.api_key or None,
        default_headers={name: value for name, value in headers if name != "authorization"},
        max_retries=0,
        http_client=http_client(endpoint),
        **place,
    )
