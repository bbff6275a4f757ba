"""Who may use the proxy: by token, in constant time, and by the name that it was called by."""

import hmac
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import urlsplit

from agent_cli.network.proxies import is_loopback
from agent_cli.proxy.config import Config
from agent_cli.proxy.envelopes import ProxyError

EVERYBODY = "local"
"""The principal of those who need no token."""
_OWN = "x-agent-proxy-token"


class Access:
    """Decides who a request comes from."""

    def __init__(self, config: Config, environ: Mapping[str, str]) -> None:
        self._open = config.server.auth == "none"
        self._hosts = {config.server.host.lower(), *(one.lower() for one in config.server.hosts)}
        self._origins = set(config.server.origins)
        self._digests = {
            name: token.sha256 or _digest(environ.get(token.env, ""))
            for name, token in config.tokens.items()
        }

    def principal(self, headers: Mapping[str, str]) -> str:
        """Return whose request it is. Raises ProxyError."""
        self._check_names(headers)
        if self._open:
            return EVERYBODY
        given = _digest(_token(headers)[1])
        found = ""
        for name, digest in self._digests.items():  # all of them, whichever is right
            if hmac.compare_digest(given, digest):
                found = name
        if not found:
            raise ProxyError(401, "invalid_token", "the token is missing or not known")
        return found

    def others(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the headers without the token, which is no business of an upstream."""
        used = "" if self._open else _token(headers)[0]
        return {name: value for name, value in headers.items() if name != used}

    def _check_names(self, headers: Mapping[str, str]) -> None:
        """Refuse what a web page may have sent by way of a name that it made lead here."""
        host = _hostname(headers.get("host", ""))
        if not (host in self._hosts or is_loopback(host) or _is_address(host)):
            raise ProxyError(
                403, "host_not_allowed", f"the host {host!r} is not allowed: add it to server.hosts"
            )
        origin = headers.get("origin", "")
        if origin and origin not in self._origins:
            raise ProxyError(
                403,
                "origin_not_allowed",
                f"the origin {origin!r} is not allowed: add it to server.origins",
            )


def _token(headers: Mapping[str, str]) -> tuple[str, str]:
    """Return the header that holds the token, and the token.

    The proxy's own header comes first: the others may be meant for the upstream.
    """
    if headers.get(_OWN):
        return _OWN, headers[_OWN]
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and token:
        return "authorization", token.strip()
    return "x-api-key", headers.get("x-api-key", "")


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _hostname(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return host


def _is_address(host: str) -> bool:
    from ipaddress import ip_address  # noqa: PLC0415 - only for a host that is not ours

    try:
        ip_address(host)
    except ValueError:
        return False
    return True
