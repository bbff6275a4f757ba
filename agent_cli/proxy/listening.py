"""Who listens to what the proxy does, besides the audit: nobody unless that is configured."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Protocol

from msgspec import Struct

from agent_cli.types.errors import ConfigurationError


class Telemetry(Struct, frozen=True, forbid_unknown_fields=True):
    """`[telemetry]` of proxy.toml."""

    otel: bool = False
    """Send spans and metrics to where the OTEL_EXPORTER_OTLP_ variables say."""


class Listener(Protocol):
    """Hears of requests; never of what is said in them."""

    def begin(self, request_id: str, headers: Mapping[str, str]) -> Mapping[str, str]:
        """Take note of a request; return its headers as upstream and tools shall see them."""
        ...

    def tell(self, event: str, request_id: str, fields: Mapping[str, Any]) -> None: ...

    def close(self) -> None: ...


class Nobody:
    """Listens to nothing, and hands on what the client has sent."""

    def begin(self, request_id: str, headers: Mapping[str, str]) -> Mapping[str, str]:
        return headers

    def tell(self, event: str, request_id: str, fields: Mapping[str, Any]) -> None:
        return

    def close(self) -> None:
        return


def listener(settings: Telemetry) -> Listener:
    """Return who listens. Raises ConfigurationError without what that needs."""
    if not settings.otel:
        return Nobody()
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None:
        raise ConfigurationError("telemetry.otel needs a package: pip install 'agent-cli[otel]'")
    from agent_cli.proxy.otel import OtelListener  # noqa: PLC0415 - 0.3 s, and optional

    return OtelListener()
