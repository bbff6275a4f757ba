"""The models that a session asks: which is next, its state says; here is how it is asked.

A connection is kept for each from when it is first chosen, and let go with the session.
"""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.context.tokens import Window
from agent_cli.i18n.catalog import say
from agent_cli.providers.base import Provider
from agent_cli.providers.known import ModelInfo
from agent_cli.providers.registry import ResolvedModel, connect, resolve
from agent_cli.runtime.gauge import Gauge
from agent_cli.runtime.session import Session
from agent_cli.runtime.toolbox import Options
from agent_cli.settings.schema import Settings
from agent_cli.types.entries import ModelSwitched
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.redaction import Redactor
from agent_cli.types.requests import Protocol
from agent_cli.types.usage import Usage


class Chosen(Struct, frozen=True):
    """A model, and what it takes to ask it."""

    resolved: ResolvedModel
    provider: Provider
    window: Window
    """How much it takes in."""
    gauge: Gauge
    """What was learned of how it counts."""

    def priced(self, usage: Usage) -> Usage:
        return priced(usage, self.resolved.info)


class Models:
    """Those of one session, by name."""

    def __init__(
        self, session: Session, first: dict[str, Chosen], choose: Callable[[str], Chosen]
    ) -> None:
        """`choose` finds and connects one; it raises ConfigurationError."""
        self._session = session
        self._choose = choose
        self._chosen = first

    @property
    def current(self) -> Chosen:
        return self._named(self._session.state.model)

    def switch(self, model: str) -> None:
        """Ask another model from now on.

        Raises ConfigurationError, or InvalidTransitionError while one is at work; then nothing
        has changed.
        """
        self._named(model)
        self._session.append(ModelSwitched(model))
        self._session.sync()

    async def close(self) -> None:
        for chosen in self._chosen.values():
            await chosen.provider.close()

    def _named(self, model: str) -> Chosen:
        if model not in self._chosen:
            self._chosen[model] = self._choose(model)
        return self._chosen[model]


def chooser(
    settings: Settings,
    options: Options,
    protocol: Protocol,
    redactor: Redactor,
    first: ResolvedModel,
) -> Callable[[str], Chosen]:
    """Return what finds a model and connects to it; it raises ConfigurationError."""

    def choose(model: str) -> Chosen:
        if model == options.model:
            provider = connect(first, settings, protocol, record=options.record, redactor=redactor)
            return chosen(first, provider, settings, protocol)
        if options.record is not None:
            raise ConfigurationError(
                say("--record writes what {model!r} says, and no other", model=options.model)
            )
        resolved = resolve(model, settings, options.environ)
        affordable(resolved, model, settings)
        return chosen(resolved, connect(resolved, settings, protocol), settings, protocol)

    return choose


def chosen(
    resolved: ResolvedModel, provider: Provider, settings: Settings, protocol: Protocol
) -> Chosen:
    info, said = resolved.info, settings.context
    window = Window(info.context_window, info.max_output, said.compact_at, said.auto_compact)
    return Chosen(resolved, provider, window, Gauge(protocol))


def affordable(resolved: ResolvedModel, model: str, settings: Settings) -> None:
    """Raise ConfigurationError if there is a limit that could not be kept."""
    if settings.max_cost is not None and resolved.info.prices is None:
        raise ConfigurationError(
            say(
                "the price of {model!r} is unknown, so max_cost cannot be kept: set prices in "
                '[models."{model}"] or leave max_cost out',
                model=model,
            )
        )


def priced(usage: Usage, info: ModelInfo) -> Usage:
    """Fill in the cost where the provider did not say it and the prices are known."""
    if usage.cost is not None or info.prices is None:
        return usage
    return replace(usage, cost=info.prices.cost(usage))
