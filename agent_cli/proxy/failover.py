"""Which upstreams a request may go to, and what it loses on the way to another.

Reasoning is sealed: only the upstream that made it can read it, and others refuse it. Who made it
is written down unless it was the first; what nobody is known to have made is the first's.
"""

from collections.abc import Sequence

from msgspec import Raw

from agent_cli.proxy.dialects.base import Fields, encoded, value_of
from agent_cli.proxy.dialects.shapes import words
from agent_cli.proxy.dialects.turns import Turn
from agent_cli.proxy.request import Asked, Services
from agent_cli.proxy.store import ORIGIN, STAY
from agent_cli.proxy.upstream import Upstream
from agent_cli.proxy.upstream_settings import FIRST

_TOO_MANY = 429
_BROKEN = 500


class Line:
    """The upstreams of one request, the one to be asked next at its head."""

    def __init__(
        self, services: Services, request: Asked, upstreams: list[Upstream], stays: str = ""
    ) -> None:
        """Note as `stays` where the conversation was sent last, if that was ever not the first."""
        self._services = services
        self.request = request
        self._stays = stays
        self.upstreams = upstreams

    @property
    def several(self) -> bool:
        return len(self.upstreams) > 1

    async def fitted(self, upstream: Upstream, fields: Fields, round_: int) -> Fields:
        """Return the request as this upstream can read it; itself, if it can do so already."""
        model = words(value_of(fields, "model"))
        if upstream.model(model) != model:
            fields = {**fields, "model": encoded(upstream.model(model))}
        if self._services.upstream.several:
            fields = await self._without_foreign(upstream, fields, round_)
        return fields

    def failed(
        self, upstream: Upstream, reason: str, round_: int, wait: float | None = None
    ) -> None:
        """Leave one alone that has failed, and tell where the request goes from there."""
        self._services.upstream.rest(upstream.name, wait)
        place = self.upstreams.index(upstream) + 1
        if place < len(self.upstreams):
            to = self.upstreams[place].name
            about = {"from": upstream.name, "to": to, "reason": reason, "round": round_}
            self._services.audit.write("failover", self.request.id, **about)

    def leaves_traces(self, upstream: Upstream) -> bool:
        """Whether anything has to be written down of its answer."""
        return self._services.upstream.several and bool(upstream.name != FIRST or self._stays)

    async def answered(self, upstream: Upstream, turn: Turn) -> None:
        """Stay with the one that answered, and write down what it has sealed."""
        if not self._services.upstream.several:
            return
        self._services.upstream.works(upstream.name)
        self.upstreams.sort(key=lambda one: one is not upstream)
        if not self.leaves_traces(upstream):
            return
        self._stays = upstream.name
        name = upstream.name.encode()
        request, store = self.request, self._services.store
        await store.put(STAY, request.principal, _place(request), name)
        for seal in self._seals(request.dialect.said(turn, tuple(range(len(turn.calls))))):
            await store.put(ORIGIN, request.principal, seal, name)
        if response := words(turn.head.get("id")):
            await store.put(ORIGIN, request.principal, response, name)

    async def _without_foreign(self, upstream: Upstream, fields: Fields, round_: int) -> Fields:
        request, dialect = self.request, self.request.dialect
        history = dialect.history(fields)
        seals = self._seals(history)
        if not seals:
            return fields
        age = self._services.config.continuity.lasts
        wanted = [(ORIGIN, seal, age) for seal in seals]
        origins = await self._services.store.get_each(request.principal, wanted)
        foreign = {
            seal
            for seal, origin in zip(seals, origins, strict=True)
            if (origin or FIRST.encode()) != upstream.name.encode()
        }
        if not foreign:
            return fields
        bare = dialect.with_history(fields, dialect.without(history, foreign))
        bare, settled = dialect.settled(bare)
        self._services.audit.write(
            "reasoning_replay_dropped",
            request.id,
            round=round_,
            provider=upstream.name,
            count=len(foreign),
            thinking_disabled=settled,
        )
        return bare

    def _seals(self, messages: Sequence[Raw]) -> list[str]:
        found = [seal for raw in messages for seal in self.request.dialect.seals(raw)]
        return list(dict.fromkeys(found))


def failing(status: int) -> bool:
    """Whether another upstream might give another answer."""
    return status == _TOO_MANY or status >= _BROKEN


async def line_of(services: Services, request: Asked) -> Line:
    """Return the upstreams that may answer: one, if only one knows what is gone on from."""
    dialect = request.dialect.NAME
    upstreams = services.upstream
    if not upstreams.several:
        return Line(services, request, [upstreams.first(dialect)])
    config, store = services.config, services.store
    if response := words(value_of(request.injection.fields, "previous_response_id")):
        age = config.continuity.lasts
        origin = await store.get(ORIGIN, request.principal, response, age)
        known = upstreams.line(dialect)
        name = origin.decode() if origin else FIRST
        return Line(services, request, [one for one in known if one.name == name] or known)
    kept = await store.get(STAY, request.principal, _place(request), config.limits.stay)
    stays = kept.decode() if kept else ""
    return Line(services, request, upstreams.line(dialect, stays), stays)


def _place(request: Asked) -> str:
    """Return what tells the conversation from others: its key, or how it begins."""
    beginning = next((one for one in request.prefixes if one != request.prefixes[0]), "")
    return f"{request.dialect.NAME} {request.conversation or beginning}"
