"""Headers of a request: what the wire format wants, how the key is shown, what the user adds."""

from agent_cli import __version__
from agent_cli.i18n.catalog import say
from agent_cli.providers.base import Endpoint
from agent_cli.types.errors import ConfigurationError

ANTHROPIC_VERSION = "2023-06-01"
"""The version of the Messages format that our codec speaks."""

TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")
"""Characters of a header's name (RFC 9110), lower-cased."""


def headers_for(endpoint: Endpoint, codec: str) -> tuple[tuple[str, str], ...]:
    """Return all headers but host and length, names in lower case, each name once."""
    headers = {
        "content-type": "application/json",
        "accept": "text/event-stream",
        "accept-encoding": "identity",
        "user-agent": f"agent-cli/{__version__}",
    }
    if codec == "anthropic_messages":
        headers["anthropic-version"] = ANTHROPIC_VERSION
    if endpoint.api_key and codec == "anthropic_messages":
        headers["x-api-key"] = endpoint.api_key
    elif endpoint.api_key:
        headers["authorization"] = f"Bearer {endpoint.api_key}"
    headers.update(endpoint.headers)
    return tuple(headers.items())


def checked_headers(headers: dict[str, str], provider: str) -> tuple[tuple[str, str], ...]:
    """Return the user's headers; refuses one that cannot be sent, without showing its value."""
    for name, value in headers.items():
        legal = name and TOKEN.issuperset(name.lower())
        if not (legal and value.isascii() and value.isprintable()):
            raise ConfigurationError(
                say(
                    "providers.{provider}.headers: {name!r} is not a header that can be sent",
                    provider=provider,
                    name=name,
                )
            )
    return tuple((name.lower(), value.strip()) for name, value in headers.items())
