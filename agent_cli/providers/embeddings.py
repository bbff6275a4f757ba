"""Who makes vectors of texts: the endpoint that the settings name, in OpenAI's format.

Not through a client: one small request does not earn 400 ms of import. The texts are parts of the
user's files; what counts as a secret is taken out of them first. Redirects are not followed.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

import h11
import msgspec
from msgspec import Struct

from agent_cli import __version__
from agent_cli.index.question import Embedder
from agent_cli.network.connection import Connection, authority_of, connect, credentials
from agent_cli.network.proxies import proxy_for
from agent_cli.providers.refusals import refusal, unreachable
from agent_cli.settings.schema import IndexSettings
from agent_cli.settings.secrets import require_key
from agent_cli.types.errors import ConfigurationError, Fault, ProviderError

if TYPE_CHECKING:
    import ssl

TIMEOUT = 30.0
"""Seconds for one answer."""
LARGEST = 32 * 1024 * 1024
"""Bytes of one answer."""
_SUCCESS = 200

Vectors = list[list[float]]


class _Vector(Struct):
    index: int
    embedding: list[float]


class _Answer(Struct):
    data: list[_Vector]


def embedder(
    settings: IndexSettings, environ: Mapping[str, str], redact: Callable[[str], str]
) -> Embedder | None:
    """Return who makes vectors; None if no model is set for it.

    Raises ConfigurationError for an address that is none, or a key that is not there.
    """
    model = settings.embeddings_model
    if not model:
        return None
    url = settings.base_url.rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigurationError(
            f"index.base_url = {url.rpartition('@')[2]!r} is not a URL that begins with "
            "http(s)://; index.embeddings_model needs one"
        )
    key = _key(settings, environ)
    proxy = proxy_for(url, environ)

    async def embed(texts: Sequence[str]) -> Vectors:
        body = msgspec.json.encode(
            {"model": model, "input": [redact(text) for text in texts], "encoding_format": "float"}
        )
        try:
            async with asyncio.timeout(TIMEOUT):
                data = await _post(f"{url}/embeddings", body, key, proxy)
        except TimeoutError as error:
            raise unreachable(url, f"no answer within {TIMEOUT:g} s") from error
        except (OSError, h11.ProtocolError) as error:
            raise unreachable(url, str(error)) from error
        # In a thread: numbers as text are many, and the loop has other things to do.
        return await asyncio.to_thread(_vectors, data, len(texts))

    return Embedder(f"{url.rpartition('@')[2]} {model}", embed)


def _key(settings: IndexSettings, environ: Mapping[str, str]) -> str:
    if not settings.api_key_env:
        return ""
    return require_key("index", (settings.api_key_env,), environ)[1]


async def _post(url: str, body: bytes, key: str, proxy: str) -> bytes:
    """Return the answer's body; ProviderError for a refusal."""
    parts = urlsplit(url)
    connection = await connect(parts, proxy, _tls(parts))
    try:
        response = await connection.request(_request(parts, len(body), key, proxy), body)
        data = await _body(connection)
    finally:
        connection.abort()
    if response.status_code != _SUCCESS:
        headers = {
            name.decode("latin-1"): text.decode("latin-1") for name, text in response.headers
        }
        raise refusal(url, response.status_code, headers, data)
    return data


def _request(url: SplitResult, length: int, key: str, proxy: str) -> h11.Request:
    host = authority_of(url)
    headers = [
        ("host", host),
        ("content-type", "application/json"),
        ("accept", "application/json"),
        ("accept-encoding", "identity"),
        ("user-agent", f"agent-cli/{__version__}"),
        ("content-length", str(length)),
        ("connection", "close"),
    ]
    if key:
        headers.append(("authorization", f"Bearer {key}"))
    target = url.path
    if proxy and url.scheme == "http":
        target = f"http://{host}{target}"
        headers += credentials(urlsplit(proxy))
    return h11.Request(method="POST", target=target, headers=headers)


async def _body(connection: Connection) -> bytes:
    data = bytearray()
    while (chunk := await connection.read()) is not None:
        data += chunk
        if len(data) > LARGEST:
            raise _unusable(f"an answer of more than {LARGEST} bytes")
    return bytes(data)


def _vectors(data: bytes, count: int) -> Vectors:
    """Return the vectors in the order of the texts; ProviderError for an answer that has others."""
    try:
        answer = msgspec.json.decode(data, type=_Answer)
    except msgspec.DecodeError as error:
        raise _unusable(str(error)) from error
    ordered = sorted(answer.data, key=lambda one: one.index)
    vectors = [one.embedding for one in ordered]
    if [one.index for one in ordered] != list(range(count)):
        raise _unusable(f"{len(vectors)} vectors for {count} texts")
    lengths = {len(vector) for vector in vectors}
    if len(lengths) != 1 or 0 in lengths:
        raise _unusable(f"vectors of {sorted(lengths)} numbers")
    if not all(isfinite(number) for vector in vectors for number in vector):
        raise _unusable("a number that is infinite")
    return vectors


def _unusable(what: str) -> ProviderError:
    return ProviderError(f"the service for embeddings sent {what}", Fault.SERVER)


def _tls(url: SplitResult) -> "ssl.SSLContext | None":
    if url.scheme != "https":
        return None
    import ssl  # noqa: PLC0415 - 15 ms, and a local service has no certificate

    return ssl.create_default_context()
