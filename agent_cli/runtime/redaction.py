"""Keeps keys out of everything that is recorded, shown or sent to a model.

What counts as a secret: the values of providers' environment variables that authenticate and of
those that the settings name as keys, of headers that authenticate, and what in an address does: a
password, a user without one, and such a parameter.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec
from msgspec.structs import replace

from agent_cli.processes.environment import holds_key
from agent_cli.runtime.frontend import Frontend
from agent_cli.settings.schema import McpServer, Settings
from agent_cli.types.entries import Entry
from agent_cli.types.errors import ProviderError
from agent_cli.types.events import (
    CompletionResult,
    Event,
    Notice,
    Progress,
    ReasoningDelta,
    Retrying,
    TextDelta,
    ToolCallDelta,
)
from agent_cli.types.redaction import SHORTEST, Redactor, Stream

if TYPE_CHECKING:
    from agent_cli.mcp.config import Server

_AUTHENTICATES = re.compile(
    r"auth|key|token|secret|cookie|passw|credential|bearer|custom_headers", re.IGNORECASE
)
_KEY = re.compile(r"(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_+=-]{20,}")
"""A value that nobody has made up."""
_ADDRESSES = ("_PROXY", "_BASE_URL", "_ENDPOINT")
_EXACT = frozenset({"opaque", "id", "call_id", "parent_call_id", "calls", "hash"})
"""Members of entries that must stay as they are: they belong to the model's provider."""


def hidden_variables(settings: Settings) -> frozenset[str]:
    """Return the variables that hold keys because the settings say so."""
    named = (provider.api_key_env for provider in settings.providers.values())
    return frozenset(name for name in (*named, settings.index.api_key_env) if name)


def secrets(
    settings: Settings, environ: Mapping[str, str], servers: "Iterable[Server]" = ()
) -> frozenset[str]:
    """Return every value that must not get out."""
    found = {environ.get(name, "") for name in hidden_variables(settings)}
    for name, value in environ.items():
        if holds_key(name) and _AUTHENTICATES.search(name):
            found.add(value)
        elif holds_key(name) and name.upper().endswith("_HEADERS"):
            found |= set(_of_pairs(value))
        elif name.upper().endswith(_ADDRESSES):
            found |= set(_of_address(value))
    found |= set(_of_address(settings.index.base_url))
    for provider in settings.providers.values():
        headers = provider.headers.items()
        found |= {value for name, value in headers if _AUTHENTICATES.search(name)}
        found |= set(_of_address(provider.base_url))
    for written in settings.mcp.servers.values():
        found |= set(_written_for(written))
    for server in servers:
        found |= set(_given_to(server))
    words = {word for value in found for word in value.split()}  # "Bearer KEY"
    return frozenset(word for word in words if len(word) >= SHORTEST)


def _given_to(server: "Server") -> Iterator[str]:
    """Yield what a server gets that is named like a key, or looks like one."""
    named = (*server.environ.items(), *server.headers.items())
    return _handed(named, (*server.environ.values(), *server.argv[1:], server.url))


def _written_for(server: McpServer) -> Iterator[str]:
    """Yield what the settings give it themselves, and do not only name."""
    named = (*server.env.items(), *server.headers.items())
    for value in _handed(named, (*server.env.values(), *server.args, server.url)):
        yield from (word for word in value.split() if "${" not in word)


def _handed(named: Iterable[tuple[str, str]], words: Iterable[str]) -> Iterator[str]:
    for name, value in named:
        if _AUTHENTICATES.search(name) or _KEY.fullmatch(value):
            yield value
    for word in words:
        if "://" in word:
            yield from _of_address(word)


def _of_pairs(text: str) -> Iterator[str]:
    """Yield what authenticates among headers that are written `name=value,name=value`."""
    for pair in text.split(","):
        name, _, value = pair.partition("=")
        meant = unquote(value).strip()
        if _AUTHENTICATES.search(name) or _KEY.fullmatch(meant):
            yield from (value, meant)


def _of_address(url: str) -> Iterator[str]:
    """Yield what authenticates, as it is written and as it is meant."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        parameters = parse_qsl(parts.query)
    except ValueError:
        return
    secret = parts.password or parts.username or ""
    yield from (secret, unquote(secret))
    yield from (value for name, value in parameters if _AUTHENTICATES.search(name))


def without_secrets(entry: Entry, redactor: Redactor) -> Entry:
    """Return the entry as it may be recorded; the very same if there is nothing to hide."""
    if not redactor or not redactor.finds(msgspec.json.encode(entry)):
        return entry
    return msgspec.convert(_within(msgspec.to_builtins(entry), redactor), type=type(entry))


def harmless(error: ProviderError, redactor: Redactor) -> ProviderError:
    """Return the same error, to be raised in its place."""
    clean = ProviderError(
        redactor.text(str(error)), error.fault, status=error.status, retry_after=error.retry_after
    )
    for note in getattr(error, "__notes__", ()):
        clean.add_note(redactor.text(note))
    return clean


def _within(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return redactor.text(value)
    if isinstance(value, list | tuple):
        return [_within(one, redactor) for one in value]  # pyright: ignore[reportUnknownVariableType] - JSON
    if isinstance(value, dict):
        return {
            name: one if name in _EXACT else _within(one, redactor)
            for name, one in value.items()  # pyright: ignore[reportUnknownVariableType] - as above
        }
    return value


class Redacted:
    """A frontend that gets to see no secret, not even one that comes in pieces."""

    def __init__(self, redactor: Redactor, frontend: Frontend) -> None:
        self.redactor = redactor
        self._frontend = frontend
        self._open: tuple[_Piece, Stream] | None = None
        self.approve = frontend.approve
        self.ask = frontend.ask
        self.feedback = frontend.feedback

    def emit(self, event: Event) -> None:
        match event:
            case TextDelta() | ReasoningDelta() | ToolCallDelta() | Progress():
                self._piece(event)
            case Notice(message):
                self._whole(replace(event, message=self.redactor.text(message)))
            case Retrying(reason=reason):
                self._whole(replace(event, reason=self.redactor.text(reason)))
            case CompletionResult(result=result):
                self._whole(replace(event, result=self.redactor.text(result)))
            case _:
                self._whole(event)

    def _whole(self, event: Event) -> None:
        self._release()
        self._frontend.emit(event)

    def _piece(self, piece: "_Piece") -> None:
        part, text = _part(piece), _text(piece)
        if self._open is None or self._open[0] != part:
            self._release()
            self._open = (part, Stream(self.redactor))
        self._say(part, self._open[1].feed(text), anyway=not text)

    def _release(self) -> None:
        if self._open is not None:
            part, stream = self._open
            self._open = None
            self._say(part, stream.feed("", final=True))

    def _say(self, part: "_Piece", text: str, *, anyway: bool = False) -> None:
        if text or anyway:
            self._frontend.emit(_with(part, text))


_Piece: TypeAlias = TextDelta | ReasoningDelta | ToolCallDelta | Progress


def _text(piece: _Piece) -> str:
    return piece.arguments if isinstance(piece, ToolCallDelta) else piece.text


def _with(piece: _Piece, text: str) -> _Piece:
    if isinstance(piece, ToolCallDelta):
        return replace(piece, arguments=text)
    return replace(piece, text=text)


def _part(piece: _Piece) -> _Piece:
    """Return what tells which text this is a piece of."""
    return _with(piece, "")
