"""What `proxy.toml` says of upstreams: the first one, and those that are asked when it fails."""

from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

from msgspec import Meta, Struct, field

from agent_cli.types.errors import ConfigurationError

Seconds = Annotated[float, Meta(gt=0, le=86_400)]
FIRST = "upstream"
"""The name of the one that is asked first."""


class Upstream(Struct, frozen=True, forbid_unknown_fields=True):
    url: str = ""
    """The base address; the paths of all three dialects begin with /v1 below it."""
    chat_url: str = ""
    """The base address of one dialect alone, to which its path without /v1 is added."""
    responses_url: str = ""
    messages_url: str = ""
    auth: Literal["key", "passthrough", "none"] = "key"
    """With `passthrough` the client's own credentials go on to the upstream."""
    api_key_env: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    models: dict[str, str] = field(default_factory=dict[str, str])
    """What a model is called here, by the name that clients use."""
    connect_timeout: Seconds = 10.0
    idle_timeout: Seconds = 300.0
    """Without a byte."""
    headers_timeout: Seconds = 900.0
    """Until the answer begins, which for one that is not streamed is its whole making."""


def check_upstreams(
    first: Upstream, others: Mapping[str, Upstream], environ: Mapping[str, str]
) -> None:
    """Raise ConfigurationError for one that cannot be asked."""
    if FIRST in others:
        raise ConfigurationError(f"fallback.{FIRST}: this is the name of the first; take another")
    if not any(_urls(first)):
        raise ConfigurationError("there is no upstream: say --upstream URL, or upstream.url")
    _check(FIRST, first, environ)
    for name, other in others.items():
        if not any(_urls(other)):
            raise ConfigurationError(f"fallback.{name}.url is missing")
        _check(f"fallback.{name}", other, environ)


def _check(name: str, upstream: Upstream, environ: Mapping[str, str]) -> None:
    for url in filter(None, _urls(upstream)):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError(
                f"{name}: {url!r} must begin with http:// or https:// and a host"
            )
    variable = upstream.api_key_env
    if upstream.auth == "key" and variable and not environ.get(variable):
        raise ConfigurationError(f"{name}.api_key_env names {variable!r}, which is not set")


def _urls(upstream: Upstream) -> tuple[str, ...]:
    return upstream.url, upstream.chat_url, upstream.responses_url, upstream.messages_url


def base_url(upstream: Upstream, dialect: str) -> str:
    """Return what a dialect's path is added to; empty if it does not speak the dialect."""
    own = {
        "openai_chat": upstream.chat_url,
        "openai_responses": upstream.responses_url,
        "anthropic_messages": upstream.messages_url,
    }[dialect]
    if own:
        return own.rstrip("/")
    return upstream.url.rstrip("/").removesuffix("/v1") + "/v1" if upstream.url else ""


def key_of(upstream: Upstream, environ: Mapping[str, str]) -> str:
    if upstream.auth != "key":
        return ""
    return environ.get(upstream.api_key_env, "") if upstream.api_key_env else ""
