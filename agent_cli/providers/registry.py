"""From the name of a model to a provider that can be asked.

`resolve` looks everything up and opens nothing; `connect` imports the one codec and the one
transport that are needed.
"""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args
from urllib.parse import urlsplit

from msgspec import Struct

from agent_cli.i18n.catalog import say
from agent_cli.network.proxies import proxy_for
from agent_cli.providers.base import Endpoint, Provider, Transport
from agent_cli.providers.headers import checked_headers, headers_for
from agent_cli.providers.known import ModelInfo, Prices, model_info
from agent_cli.providers.rows import ROWS, Row, ollama_url
from agent_cli.settings.schema import ModelSettings, ProviderSettings, Settings, Wire
from agent_cli.settings.secrets import MissingKeyError, find_key, require_key
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.redaction import Redactor
from agent_cli.types.requests import Protocol

if TYPE_CHECKING:
    from agent_cli.providers.retry import WireProvider
    from agent_cli.wire.codec import Codec

__all__ = ["MissingKeyError", "ModelInfo", "Prices", "ResolvedModel", "connect", "resolve"]

REPLAY = "replay"
CODECS = get_args(Wire)


class ResolvedModel(Struct, frozen=True):
    provider: str
    name: str
    """The provider's own name of the model; the file, for a replay."""
    codec: str
    """Empty for a replay: its file says it."""
    endpoint: Endpoint
    info: ModelInfo
    sdk: str | None = None

    @property
    def full_name(self) -> str:
        separator = ":" if self.provider == REPLAY else "/"
        return f"{self.provider}{separator}{self.name}"


def resolve(model: str, settings: Settings, environ: Mapping[str, str]) -> ResolvedModel:
    """Return where and as whom to ask. Raises ConfigurationError; MissingKeyError for no key."""
    if model.startswith(f"{REPLAY}:"):
        file = model.removeprefix(f"{REPLAY}:")
        if not file:
            raise ConfigurationError(say("{model!r} names no file: write replay:FILE", model=model))
        return ResolvedModel(REPLAY, file, "", Endpoint(""), ModelInfo())
    provider, slash, name = model.partition("/")
    if not (provider and slash and name):
        raise ConfigurationError(
            say(
                "{model!r} is not a model: write provider/name, as in "
                "'anthropic/claude-sonnet-5-5'",
                model=model,
            )
        )
    own = settings.providers.get(provider, ProviderSettings())
    row = _row(provider, own, settings)
    base_url = _base_url(provider, row, own, environ)
    if not base_url and not row.sdk:
        raise ConfigurationError(
            say("providers.{provider}.base_url is missing in the settings", provider=provider)
        )
    endpoint = Endpoint(
        base_url,
        *_identity(provider, row, own, environ),
        stall_timeout=own.stall_timeout,
        proxy=proxy_for(base_url, environ) if base_url else "",
    )
    said = settings.models.get(f"{provider}/{name}", ModelSettings())
    info = model_info(
        row.models or provider,
        name,
        said,
        sends_parallel=row.sends_parallel,
        strict=row.strict and base_url == row.base_url,
    )
    return ResolvedModel(provider, name, own.wire or row.wire, endpoint, info, row.sdk)


def connect(
    resolved: ResolvedModel,
    settings: Settings,
    protocol: Protocol,
    record: Path | None = None,
    redactor: Redactor | None = None,
) -> Provider:
    """Return the provider, ready to be asked; it connects with the first request.

    With `record`, every exchange is written to a new cassette at that place, without secrets.
    """
    from agent_cli.providers.retry import WireProvider  # noqa: PLC0415 - asyncio, not for --help

    if resolved.provider == REPLAY:
        if record is not None:
            raise ConfigurationError(
                say("--record writes what a live model says: name one with -m")
            )
        provider = _replay(resolved, settings)
    else:
        codec = codec_named(resolved.codec)
        transport = _transport(resolved, settings, codec)
        if record is not None:
            from agent_cli.providers.record import RecordingTransport  # noqa: PLC0415 - rare

            transport = RecordingTransport(
                transport, codec, record, resolved.full_name, redactor or Redactor()
            )
        provider = WireProvider(codec, transport, settings.retry)
    if protocol is Protocol.XML:
        from agent_cli.providers.xml_tools import XmlTools  # noqa: PLC0415 - only for XML

        return XmlTools(provider)
    return provider


def codec_named(name: str) -> "Codec":
    """Import the wire format and return its codec."""
    return cast("Codec", importlib.import_module(f"agent_cli.wire.{name}"))


def _replay(resolved: ResolvedModel, settings: Settings) -> "WireProvider":
    from agent_cli.providers.cassette import read_cassette  # noqa: PLC0415 - only for a replay
    from agent_cli.providers.replay import replay  # noqa: PLC0415 - only for a replay

    cassette = read_cassette(Path(resolved.name))
    if cassette.header.codec not in CODECS:
        raise ConfigurationError(
            say(
                "cannot replay {name!r}: unknown codec {codec!r}",
                name=resolved.name,
                codec=cassette.header.codec,
            )
        )
    return replay(cassette, codec_named(cassette.header.codec), settings.retry)


def _transport(resolved: ResolvedModel, settings: Settings, codec: "Codec") -> Transport:
    headers = headers_for(resolved.endpoint, codec.NAME)
    if settings.transport == "direct" and not resolved.sdk:
        from agent_cli.providers.direct import DirectTransport  # noqa: PLC0415 - not for the SDKs

        return DirectTransport(resolved.endpoint, codec.PATH, headers)
    vendor = "anthropic" if codec.NAME == "anthropic_messages" else "openai"
    sdk: Any = importlib.import_module(f"agent_cli.providers.sdk_{vendor}")
    transport: Transport = sdk.open_transport(resolved.endpoint, codec.PATH, headers, resolved.sdk)
    return transport


def _row(provider: str, own: ProviderSettings, settings: Settings) -> Row:
    if own.sdk is not None:
        return _signed_row(provider, own)
    if provider in ROWS:
        return ROWS[provider]
    if provider not in settings.providers:
        known = ", ".join(sorted({*ROWS, *settings.providers}))
        raise ConfigurationError(
            say(
                "unknown provider {provider!r}: known are {known}, and replay:FILE; describe "
                "your own under [providers.{provider}] in the settings",
                provider=provider,
                known=known,
            )
        )
    if own.wire is None:
        raise ConfigurationError(
            say("providers.{provider}.wire is missing in the settings", provider=provider)
        )
    return Row(own.wire, "", sends_parallel=own.wire == "anthropic_messages")


def _signed_row(provider: str, own: ProviderSettings) -> Row:
    """Return the row of a provider that is reached through an official client."""
    vendor = "openai" if own.sdk == "azure" else "anthropic"
    wire = own.wire or ("openai_responses" if own.sdk == "azure" else "anthropic_messages")
    if not wire.startswith(vendor):
        raise ConfigurationError(
            say(
                "providers.{provider}: {sdk} does not speak {wire}",
                provider=provider,
                sdk=own.sdk,
                wire=wire,
            )
        )
    return Row(wire, "", models=vendor, sdk=own.sdk)


def _base_url(provider: str, row: Row, own: ProviderSettings, environ: Mapping[str, str]) -> str:
    said = environ.get(row.base_url_variable, "").strip() if row.base_url_variable else ""
    if said and provider == "ollama":
        said = ollama_url(said)
    source = f"providers.{provider}.base_url" if own.base_url else row.base_url_variable
    url = own.base_url or said or row.base_url
    if not url:
        return ""
    parts = urlsplit(url)
    try:
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:  # a port that is no number
        usable = False
    if not usable:
        raise ConfigurationError(
            say(
                "{source} = {url!r} is not a URL that begins with http(s)://",
                source=source,
                url=url,
            )
        )
    return url.rstrip("/")


def _identity(
    provider: str, row: Row, own: ProviderSettings, environ: Mapping[str, str]
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return key and headers."""
    headers = checked_headers(own.headers, provider)
    if own.api_key_env:
        return require_key(provider, (own.api_key_env,), environ)[1], headers
    if not row.keys or (own.base_url and find_key(row.keys, environ) is None):
        return "", headers  # a gateway of one's own may want no key
    variable, key = require_key(provider, row.keys, environ)
    if variable == "ANTHROPIC_AUTH_TOKEN":
        return "", (("authorization", f"Bearer {key}"), *headers)
    return key, headers
