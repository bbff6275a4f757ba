"""Which hosts a model may send us to: by their names, and by the addresses behind the names.

A name is looked up once, and the connection goes to what was found then: a name that means
another address a moment later leads nowhere else. Whoever is on this machine or in its local
network is reached only if the user has said so.
"""

import asyncio
import socket
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit, urlunsplit

from agent_cli.network.proxies import DEFAULT_PORTS, port_of
from agent_cli.types.errors import ToolError

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

WORKSPACE = "workspace.invalid"
"""The host that stands for the workspace in a browser; no other can have the name."""
_TRANSLATED = "64:ff9b::/96"
"""IPv6 addresses that stand for IPv4 addresses; the last 32 bits are those."""
_LONGEST = 8_000
"""Characters of a URL."""


def parse_url(text: str) -> SplitResult:
    """Read an http(s) URL, its host in the one form in which it is looked up; raises ToolError.

    The fragment is left out: no server gets to see it.
    """
    if len(text) > _LONGEST or not text.isprintable() or " " in text.strip():
        raise ToolError(f"{text[:80]!r} is not a URL: it is too long or has blanks in it")
    try:
        parts = urlsplit(text.strip())
        host, port = _plain_host(parts.hostname or ""), parts.port
    except ValueError as error:
        raise ToolError(f"{text!r} is not a URL: {error}") from error
    if parts.scheme not in DEFAULT_PORTS or not host or port == 0:
        raise ToolError(f"{text!r} is not a URL that begins with http:// or https:// and a host")
    if parts.username is not None or parts.password is not None:
        raise ToolError("a URL with a user or password in it is not fetched: leave them out")
    shown = f"[{host}]" if ":" in host else host
    given = port is not None and port != DEFAULT_PORTS[parts.scheme]
    return parts._replace(netloc=f"{shown}:{port}" if given else shown, fragment="")


def _plain_host(host: str) -> str:
    host = host.rstrip(".")
    return host if ":" in host else host.encode("idna").decode()


def address_of(url: SplitResult) -> str:
    """Return the URL as it is written in a request."""
    return urlunsplit(url)


async def look_up(url: SplitResult, *, local: bool, proxied: bool = False) -> tuple[str, ...]:
    """Return the addresses of the URL's host; ToolError for one that may not be reached.

    Behind a proxy a name that only the proxy knows has none here.
    """
    host = url.hostname or ""
    try:
        addresses = await addresses_of(url)
    except ToolError:
        if proxied:
            return ()
        raise
    if not local and not all(map(is_public, addresses)):
        raise ToolError(
            f"{host!r} is on this machine or in a local network, and is not fetched: only the "
            "user can allow it, with allow_local = true under [web] in the settings"
        )
    return addresses


async def addresses_of(url: SplitResult) -> tuple[str, ...]:
    """Return the addresses of the URL's host, whoever's they are; ToolError if it has none."""
    host = url.hostname or ""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            host, port_of(url), type=socket.SOCK_STREAM
        )
    except (OSError, UnicodeError) as error:
        raise ToolError(f"the host {host!r} is not found: {error}") from error
    return tuple(dict.fromkeys(str(one[4][0]) for one in found))


def is_public(address: str) -> bool:
    """Whether the address can be that of anybody on the internet."""
    return all(one.is_global and not one.is_multicast for one in _meant(address))


def _meant(address: str) -> "list[IPv4Address | IPv6Address]":
    """Return the address and every IPv4 address that is hidden in it."""
    from ipaddress import (  # noqa: PLC0415 - 4 ms, and only for who connects
        IPv4Address,
        IPv6Network,
        ip_address,
    )

    one = ip_address(address.partition("%")[0])
    if isinstance(one, IPv4Address):
        return [one]
    if one.ipv4_mapped is not None:
        return [one.ipv4_mapped]
    hidden = [one.sixtofour, *(one.teredo or ())]
    if one in IPv6Network(_TRANSLATED):
        hidden.append(IPv4Address(int(one) & 0xFFFF_FFFF))
    return [one, *(found for found in hidden if found is not None)]
