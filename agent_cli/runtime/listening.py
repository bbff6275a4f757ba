"""Who listens to a session besides its frontend, and which names they may repeat."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from agent_cli.i18n.catalog import say
from agent_cli.providers.known import known_models
from agent_cli.providers.registry import REPLAY
from agent_cli.providers.rows import ROWS
from agent_cli.runtime.broadcast import Broadcast
from agent_cli.runtime.frontend import Frontend
from agent_cli.settings.schema import Settings
from agent_cli.telemetry.facts import Vocabulary
from agent_cli.tools.registry import built_in
from agent_cli.types.errors import ConfigurationError

Closing: TypeAlias = Callable[[], Awaitable[None]]


def listened(settings: Settings, frontend: Frontend) -> tuple[Frontend, tuple[Closing, ...]]:
    """Return the frontend with who listens along, and what is to be closed with the session.

    Raises ConfigurationError. Without telemetry nobody listens, and nothing is imported for it.
    """
    if not settings.telemetry.otel:
        return frontend, ()
    try:
        from agent_cli.telemetry.otel import Export  # noqa: PLC0415 - 150 ms, for who asked for it
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            say(
                "telemetry.otel is on, but OpenTelemetry is not installed: install "
                "agent-cli[otel], or set it to false"
            )
        ) from error
    from agent_cli.telemetry.listener import Listener  # noqa: PLC0415 - as above

    export = Export(lambda: listener.counters)
    listener = Listener(vocabulary(), export.tell)

    async def close() -> None:
        listener.close()
        export.close()

    return Broadcast(frontend, listener.hear), (close,)


def vocabulary() -> Vocabulary:
    """Return the names that are public: of our tools, and of the models of the built-in table."""
    names: dict[str, set[str]] = {}
    for full_name, _ in known_models(Settings()):
        section, _, name = full_name.partition("/")
        names.setdefault(section, set()).add(name)
    models = {
        provider: frozenset(names.get(row.models or provider, ())) for provider, row in ROWS.items()
    }
    return Vocabulary(frozenset(built_in()), {**models, REPLAY: frozenset()})
