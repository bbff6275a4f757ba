"""The transport over the official anthropic client: Anthropic, Bedrock and Vertex.

Bedrock is reached at its Messages endpoint, whose stream is the same as Anthropic's own. The
import takes a second; only `registry.connect` imports this module, when it is asked for.
"""

from typing import Any, TypeAlias

import anthropic
import httpx2
import msgspec
from anthropic.lib.bedrock import AsyncAnthropicBedrockMantle
from anthropic.lib.vertex import AsyncAnthropicVertex

from agent_cli.providers.base import Endpoint
from agent_cli.providers.sdk_stream import SdkTransport, connection_failure, http_client
from agent_cli.types.errors import ConfigurationError

Cloud: TypeAlias = AsyncAnthropicBedrockMantle | AsyncAnthropicVertex

CANNOT = "the anthropic client cannot be used"


def open_transport(
    endpoint: Endpoint, path: str, headers: tuple[tuple[str, str], ...], sdk: str | None = None
) -> SdkTransport:
    """Return a transport to the endpoint; `sdk` is None, `bedrock` or `vertex`."""
    try:
        client = _cloud(endpoint, headers, sdk) if sdk else _plain(endpoint)
    except (anthropic.AnthropicError, ValueError) as error:
        raise ConfigurationError(f"{CANNOT}: {error}") from error
    # The client would make the key a bearer token, which gateways do not look for.
    shown: dict[str, Any] = {"authorization": anthropic.omit, **dict(headers)}

    async def post(body: bytes) -> httpx2.Response:
        sent: dict[str, Any] = {"content": body, "options": {"headers": shown}}
        if sdk:
            # Vertex's client moves the model from the parsed body to the path.
            sent = {"body": msgspec.json.decode(body)}
        return await _post(client, endpoint, path, sent)

    return SdkTransport(endpoint, post, client.close)


async def _post(
    client: anthropic.AsyncAnthropic | Cloud, endpoint: Endpoint, path: str, sent: dict[str, Any]
) -> httpx2.Response:
    try:
        response: httpx2.Response = await client.post(
            path,
            cast_to=httpx2.Response,
            stream=True,
            stream_cls=anthropic.AsyncStream[Any],
            **sent,
        )
    except anthropic.APIStatusError as error:
        return error.response
    except anthropic.APIConnectionError as error:
        raise connection_failure(error, str(client.base_url), endpoint) from error
    except (RuntimeError, ImportError) as error:
        # Vertex: no project, or its library for credentials is missing.
        raise ConfigurationError(f"{CANNOT}: {error}") from error
    return response


def _plain(endpoint: Endpoint) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(
        base_url=endpoint.base_url,
        # Without a key the client takes the environment's, and would show it to any server.
        api_key=endpoint.api_key or "none",
        max_retries=0,
        http_client=http_client(endpoint),
    )


def _cloud(endpoint: Endpoint, headers: tuple[tuple[str, str], ...], sdk: str) -> Cloud:
    options: dict[str, Any] = {
        "base_url": endpoint.base_url or None,
        "default_headers": {n: v for n, v in headers if n not in {"authorization", "x-api-key"}},
        "max_retries": 0,
        "http_client": http_client(endpoint),
    }
    if sdk == "bedrock":
        return AsyncAnthropicBedrockMantle(api_key=endpoint.api_key or None, **options)
    return AsyncAnthropicVertex(access_token=endpoint.api_key or None, **options)
