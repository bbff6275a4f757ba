"""Which models a provider lists: the cheapest question there is, with which a key is tried."""

import asyncio
from urllib.parse import urlsplit

import h11
import msgspec
from msgspec import Struct

from agent_cli.network.connection import Connection, authority_of, connect, credentials
from agent_cli.providers.base import Endpoint
from agent_cli.providers.headers import headers_for
from agent_cli.providers.refusals import refusal, unreachable, untrusted
from agent_cli.types.errors import Fault, ProviderError

_MOST = 4 * 1024 * 1024
"""Bytes of an answer that are read."""


class Model(Struct, frozen=True):
    """One of the list, as the compatible servers describe it."""

    id: str
    max_model_len: int | None = None
    """Tokens it takes in, where the server says so (vLLM)."""


class _Models(Struct):
    data: list[Model]


async def list_models(endpoint: Endpoint, wire: str, patience: float) -> tuple[Model, ...]:
    """Return what the endpoint lists within `patience` seconds; raises ProviderError."""
    version = "/v1" if wire == "anthropic_messages" else ""
    try:
        async with asyncio.timeout(patience):
            status, body = await _get(endpoint, wire, f"{version}/models")
    except TimeoutError as error:
        raise unreachable(endpoint.base_url, f"no answer within {patience:g} s") from error
    except (OSError, h11.ProtocolError) as error:
        if type(error).__name__ == "SSLCertVerificationError":
            raise untrusted(endpoint.base_url, str(error)) from error
        raise unreachable(endpoint.base_url, str(error)) from error
    if status != 200:  # noqa: PLR2004 - OK
        raise refusal(endpoint.base_url, status, {}, body)
    try:
        return tuple(msgspec.json.decode(body, type=_Models).data)
    except msgspec.DecodeError as error:
        raise ProviderError(f"no list of models: {error}", Fault.SERVER) from error


async def _get(endpoint: Endpoint, wire: str, path: str) -> tuple[int, bytes]:
    url = urlsplit(endpoint.base_url)
    context = None
    if url.scheme == "https":
        import ssl  # noqa: PLC0415 - 20 ms that a server on this machine saves

        context = ssl.create_default_context()
    connection = await connect(url, endpoint.proxy, context)
    try:
        host = authority_of(url)
        headers = [("host", host), *headers_for(endpoint, wire)]
        target = f"{url.path.rstrip('/')}{path}"
        if endpoint.proxy and context is None:
            headers += credentials(urlsplit(endpoint.proxy))
            target = f"http://{host}{target}"
        response = await connection.request(
            h11.Request(method="GET", target=target, headers=headers)
        )
        return response.status_code, await _body(connection)
    finally:
        connection.abort()


async def _body(connection: Connection) -> bytes:
    body = b""
    while (piece := await connection.read()) is not None and len(body) < _MOST:
        body += piece
    return body
