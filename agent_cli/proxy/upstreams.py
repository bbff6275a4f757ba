"""All upstreams in the order in which they are asked; one that failed is left alone a while."""

import time
from collections.abc import Mapping

from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.upstream import Upstream
from agent_cli.proxy.upstream_settings import FIRST
from agent_cli.proxy.upstream_settings import Upstream as Settings

_REST = 10.0
"""Seconds for which one that has failed is asked last, if it does not say for how long."""
_LONGEST_REST = 60.0


class Upstreams:
    """Whoever makes them closes them."""

    def __init__(
        self, first: Settings, others: Mapping[str, Settings], environ: Mapping[str, str]
    ) -> None:
        self._known = [
            Upstream(name, settings, environ) for name, settings in {FIRST: first, **others}.items()
        ]
        self._resting: dict[str, float] = {}
        """Until when, by the monotonic clock."""

    @property
    def several(self) -> bool:
        return len(self._known) > 1

    def first(self, dialect: str) -> Upstream:
        """Return the first that speaks the dialect. Raises ProxyError."""
        return self._speaking(dialect)[0]

    def line(self, dialect: str, preferred: str = "") -> list[Upstream]:
        """Return those that speak the dialect as they are to be asked. Raises ProxyError."""
        now = time.monotonic()

        def order(one: Upstream) -> tuple[bool, bool]:
            return self._resting.get(one.name, 0.0) > now, one.name != preferred

        speaking = self._speaking(dialect)
        return sorted(speaking, key=order) if preferred or self._resting else speaking

    def aliases(self, dialect: str) -> list[str]:
        """Return the names that models have here only."""
        return sorted({name for one in self._speaking(dialect) for name in one.aliases})

    def rest(self, name: str, seconds: float | None) -> None:
        """Let one alone that has failed."""
        wait = _REST if seconds is None else min(seconds, _LONGEST_REST)
        self._resting[name] = time.monotonic() + wait

    def works(self, name: str) -> None:
        self._resting.pop(name, None)

    async def close(self) -> None:
        for one in self._known:
            await one.close()

    def _speaking(self, dialect: str) -> list[Upstream]:
        found = [one for one in self._known if one.speaks(dialect)]
        if not found:
            raise ProxyError(404, "dialect_not_served", f"no upstream speaks {dialect}")
        return found
