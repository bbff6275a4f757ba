"""`proxy.toml`: upstream, tokens, tools and limits. A mistake names its line and what to do."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct, field

from agent_cli.network.proxies import is_loopback
from agent_cli.proxy.clients import Client, check_clients
from agent_cli.proxy.dialects.usage import Report
from agent_cli.proxy.egress import Egress, check_endpoint
from agent_cli.proxy.listening import Telemetry
from agent_cli.proxy.options import Mediation
from agent_cli.proxy.spending import Budget, Price, check_budget
from agent_cli.proxy.upstream_settings import Seconds, Upstream, check_upstreams
from agent_cli.settings.check import SettingError, check
from agent_cli.settings.locate import line_of
from agent_cli.settings.schema import McpServer
from agent_cli.types.errors import ConfigurationError

Positive = Annotated[int, Meta(ge=1)]
_MEGABYTE = 1024 * 1024
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SHORTEST_TOKEN = 16


class Server(Struct, frozen=True, forbid_unknown_fields=True):
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8788
    auth: Literal["tokens", "none"] = "tokens"
    """`none` is only for this machine."""
    hosts: tuple[str, ...] = ()
    """Names by which clients may call it, besides its own."""
    origins: tuple[str, ...] = ()
    """Web pages that may call it."""
    max_body: Positive = 32 * _MEGABYTE
    max_requests: Positive = 512
    """At the same time."""
    drain: Seconds = 30.0
    """That requests have to end when the proxy is ended."""


class Token(Struct, frozen=True, forbid_unknown_fields=True):
    """Who may use the proxy; one of the two says the secret."""

    env: str = ""
    sha256: str = ""
    tools: tuple[str, ...] = ("*",)
    """Patterns of the managed tools that they get."""
    client: str = ""
    """Which client uses it, of `[clients]` or of those that are known; empty is by `user-agent`."""
    usage: Report | None = None
    budget: Budget | None = None
    mcp: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    """Headers by which servers know them, over those of `[mcp]`; `${NAME}` as there."""


class HttpTool(Struct, frozen=True, forbid_unknown_fields=True):
    """A managed tool that is an HTTP endpoint."""

    url: str
    """`{name}` stands for an argument."""
    description: str = ""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])
    """JSON Schema."""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    """`${NAME}` stands for a variable of the environment."""
    body_key: str = ""
    read_only: bool = False
    idempotent: bool = False
    volatile: bool = False
    """Calling it again is no repetition."""
    ends_turn: bool = False
    """After a success the model is not asked again."""
    timeout: Seconds | None = None


class Treatment(Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a server's tool beyond what the server says."""

    read_only: bool | None = None
    idempotent: bool = False
    volatile: bool = False
    ends_turn: bool = False
    hidden: bool = False
    timeout: Seconds | None = None


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    max_rounds: Positive = 8
    tool_timeout: Seconds = 30.0
    total_timeout: Seconds = 120.0
    """From the first managed call on; after nine tenths of it the model is told to end."""
    result_bytes: Annotated[int, Meta(ge=1024)] = 16 * 1024
    upstream_body: Positive = 16 * _MEGABYTE
    repeats: Positive = 3
    """Identical calls in a row after which the model is told to end."""
    heartbeat: Seconds = 10.0
    round_retry: Annotated[float, Meta(ge=0)] = 10.0
    """Seconds to wait for an upstream that asks for it, between rounds."""
    stay: Seconds = 300.0
    """Without a request, that a conversation stays where it went when the first upstream failed:
    as long as that one may have its beginning in a cache."""
    duplicate_wait: Seconds = 30.0
    parallel: Positive = 8
    """Managed calls at the same time, in one request."""


class Continuity(Struct, frozen=True, forbid_unknown_fields=True):
    path: str = ""
    """Empty is a file among the user's data."""
    postgres_env: str = ""
    """The variable with the address of a database, `postgresql://…`, that replicas share."""
    key_env: str = ""
    """The variable with a key of 32 bytes, by which what was said is encrypted."""
    days: Positive = 7
    """Without use, after which something is forgotten."""
    journal_ttl: Seconds = 600.0
    guidance_ttl: Seconds = 900.0
    max_bytes: Positive = 256 * _MEGABYTE
    max_segment: Positive = _MEGABYTE
    max_per_conversation: Positive = 64

    @property
    def lasts(self) -> float:
        """The days in seconds."""
        return self.days * 86_400.0


class Audit(Struct, frozen=True, forbid_unknown_fields=True):
    path: str = ""
    max_bytes: Positive = 256 * _MEGABYTE


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    upstream: Upstream = Upstream()
    fallback: dict[str, Upstream] = field(default_factory=dict[str, Upstream])
    """Upstreams that are asked when the first fails, in the order in which they stand."""
    server: Server = Server()
    tokens: dict[str, Token] = field(default_factory=dict[str, Token])
    clients: dict[str, Client] = field(default_factory=dict[str, Client])
    mcp: dict[str, McpServer] = field(default_factory=dict[str, McpServer])
    prices: dict[str, Price] = field(default_factory=dict[str, Price])
    """By patterns of the names of models, over what is known of them."""
    http: dict[str, HttpTool] = field(default_factory=dict[str, HttpTool])
    egress: Egress = Egress()
    treat: dict[str, Treatment] = field(default_factory=dict[str, Treatment])
    """By `server.tool`."""
    limits: Limits = Limits()
    mediation: Mediation = Mediation()
    continuity: Continuity = Continuity()
    audit: Audit = Audit()
    telemetry: Telemetry = Telemetry()


def read(path: Path) -> Config:
    """Read the file. Raises ConfigurationError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read {str(path)!r}: {error}") from error
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{path}: not valid TOML: {error}") from error
    try:
        check(table, Config)
        return msgspec.convert(table, Config)
    except SettingError as fault:
        line = line_of(text, fault.keys)
        place = f"{path}:{line}" if line else str(path)
        raise ConfigurationError(f"{place}: {fault}") from fault
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"{path}: {error}") from error


def checked(config: Config, environ: Mapping[str, str]) -> Config:
    """Return the configuration if it can be started with. Raises ConfigurationError."""
    check_upstreams(config.upstream, config.fallback, environ)
    server = config.server
    if server.auth == "none" and not is_loopback(server.host):
        raise ConfigurationError(
            f"server.auth = 'none' would let anybody in on {server.host!r}: listen on 127.0.0.1, "
            "or name tokens"
        )
    if server.auth == "tokens" and not config.tokens:
        raise ConfigurationError(
            "there is no token: add one as [tokens.NAME] with env = 'VARIABLE', or say --no-auth "
            "on this machine"
        )
    for name, token in config.tokens.items():
        _check_token(name, token, environ)
        check_budget(name, token.budget)
        _check_headers(name, token, config.mcp)
    config.mediation.check()
    check_clients(config.clients, {name: token.client for name, token in config.tokens.items()})
    for name, tool in config.http.items():
        parts = urlsplit(tool.url)
        check_endpoint(name, parts)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError(
                f"http.{name}.url = {tool.url!r}: it must begin with http:// or https:// and a host"
            )
    return config


def _check_token(name: str, token: Token, environ: Mapping[str, str]) -> None:
    if bool(token.env) == bool(token.sha256):
        raise ConfigurationError(f"tokens.{name}: say either env or sha256")
    if token.sha256 and not _DIGEST.fullmatch(token.sha256):
        raise ConfigurationError(f"tokens.{name}.sha256 is not a SHA-256 in hexadecimal")
    if token.env and len(environ.get(token.env, "")) < _SHORTEST_TOKEN:
        raise ConfigurationError(
            f"tokens.{name}.env names {token.env!r}, which is not set or has fewer than "
            f"{_SHORTEST_TOKEN} characters"
        )


def _check_headers(name: str, token: Token, servers: Mapping[str, McpServer]) -> None:
    for server in token.mcp:
        if server not in servers or not servers[server].url:
            raise ConfigurationError(
                f"tokens.{name}.mcp.{server} names no server that is reached by its address: add "
                f"one as [mcp.{server}] with url = 'https://…'"
            )
