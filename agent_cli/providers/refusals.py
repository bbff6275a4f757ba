"""Which answers are a stream, and what the others mean; the same for every transport."""

import time
from collections.abc import Mapping
from urllib.parse import urlsplit

from agent_cli.network.proxies import DEFAULT_PORTS
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.wire.errors import http_error

LONGEST_REFUSAL = 65_536
NOT_A_STREAM = ("text/html", "application/json")
"""What a server sends that did not understand that a stream was wanted."""


def streams(status: int, headers: Mapping[str, str]) -> bool:
    """Whether the answer is a stream. Names of headers are in lower case."""
    kind = headers.get("content-type", "").lower()
    return 200 <= status < 300 and not kind.startswith(NOT_A_STREAM)  # noqa: PLR2004 - HTTP: success


def refusal(url: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """Return what an answer that is no stream means."""
    if 300 <= status < 400:  # noqa: PLR2004 - HTTP: redirection
        place = headers.get("location", "nowhere")
        return ProviderError(
            f"{host_of(url)} redirects to {place!r}, which is not followed: correct the base URL",
            Fault.INVALID_REQUEST,
            status=status,
        )
    return http_error(status, body[:LONGEST_REFUSAL], headers, now=time.time())


def unreachable(url: str, why: str) -> ProviderError:
    return ProviderError(f"cannot reach {host_of(url)}: {why}", Fault.UNREACHABLE)


def untrusted(url: str, why: str) -> ProviderError:
    """Return the error for a certificate that does not hold; asking again would not help."""
    return ProviderError(
        f"cannot trust {host_of(url)}: {why}; if the certificate is your own, name its authority"
        " in SSL_CERT_FILE",
        Fault.INVALID_REQUEST,
    )


def cut(why: str) -> ProviderError:
    return ProviderError(f"the stream was cut: {why}", Fault.CUT)


def stalled(seconds: float) -> ProviderError:
    hint = "`stall_timeout` of the provider in the settings sets how long to wait"
    return ProviderError(f"not a byte for {seconds:g} s; {hint}", Fault.CUT)


def host_of(url: str) -> str:
    """Return host and port, without user and password."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or DEFAULT_PORTS.get(parts.scheme, 0)}"
