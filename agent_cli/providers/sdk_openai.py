"""The transport over the official openai client: OpenAI, what is compatible with it, and Azure."""

from typing import TYPE_CHECKING, Any

import msgspec

from agent_cli.providers.base import Endpoint
from agent_cli.types.errors import ConfigurationError

if TYPE_CHECKING:
    import openai

    from agent_cli.providers.sdk_stream import SdkTransport


def open_transport(
    endpoint: Endpoint, path: str, headers: tuple[tuple[str, str], ...], sdk: str | None = None
) -> "SdkTransport":
    """Return a transport to the endpoint; `sdk` is None or `azure`."""
    import httpx2  # noqa: PLC0415 - 80 ms
    import openai  # noqa: PLC0415 - 400 ms

    from agent_cli.providers.sdk_stream import (  # noqa: PLC0415 - imports httpx2
        SdkTransport,
        connection_failure,
    )

    try:
        client = _azure(endpoint, headers) if sdk == "azure" else _plain(endpoint)
    except (openai.OpenAIError, ValueError) as error:
        raise ConfigurationError(f"the openai client cannot be used: {error}") from error

    # The key as our headers show it, and no other: the client would send one from the
    # environment where we have none.
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


def _plain(endpoint: Endpoint) -> "openai.AsyncOpenAI":
    import openai  # noqa: PLC0415 - see above

    from agent_cli.providers.sdk_stream import http_client  # noqa: PLC0415 - see above

    return openai.AsyncOpenAI(
        base_url=endpoint.base_url,
        # Without a key the client takes the environment's, and would show it to any server.
        api_key=endpoint.api_key or "none",
        max_retries=0,
        http_client=http_client(endpoint),
    )


def _azure(endpoint: Endpoint, headers: tuple[tuple[str, str], ...]) -> "openai.AsyncAzureOpenAI":
    import openai  # noqa: PLC0415 - see above

    from agent_cli.providers.sdk_stream import http_client  # noqa: PLC0415 - see above

    place: dict[str, Any] = {"azure_endpoint": endpoint.base_url} if endpoint.base_url else {}
    return openai.AsyncAzureOpenAI(
        api_key=endpoint.api_key or None,
        default_headers={name: value for name, value in headers if name != "authorization"},
        max_retries=0,
        http_client=http_client(endpoint),
        **place,
    )
