"""Asks the upstream for the next reply, with all hidden rounds in their places."""

import asyncio
import time
from collections.abc import Collection, Sequence

import msgspec
from msgspec import Raw, Struct

from agent_cli.proxy.accounts import Called, Outcome
from agent_cli.proxy.continuity import Recalled, report
from agent_cli.proxy.delivery import Delivery
from agent_cli.proxy.dialects.base import Choice, Fields, encoded, value_of
from agent_cli.proxy.dialects.shapes import mapping, words
from agent_cli.proxy.dialects.turns import Turn
from agent_cli.proxy.envelopes import ProxyError, upstream_message
from agent_cli.proxy.failover import Line, failing, line_of
from agent_cli.proxy.injection import relaxed
from agent_cli.proxy.request import RESPONSE, Asked, Services
from agent_cli.proxy.spending import Spent
from agent_cli.proxy.upstream import Answer, Upstream

_TOO_MANY = 429
_BROKEN = frozenset({"upstream_stream_interrupted"})
_PASSING = _BROKEN | {
    "upstream_timeout", "upstream_unreadable", "upstream_error", "server_error", "api_error",
    "overloaded_error", "rate_limit_error", "rate_limit_exceeded",
}  # fmt: skip
"""What another upstream may not suffer from."""
_LARGEST_ERROR = 1024 * 1024


class UpstreamRefusedError(Exception):
    """The upstream answered with an error, which goes to the client as it is."""

    def __init__(
        self, status: int, headers: dict[str, str], body: bytes, wait: float | None
    ) -> None:
        """Note as `wait` for how many seconds the upstream wants to be left alone."""
        super().__init__(status)
        self.wait = wait
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def error(self) -> ProxyError:
        message = upstream_message(self.body) or f"the upstream answered with status {self.status}"
        return ProxyError(self.status, "upstream_error", message)


class Lost(Struct, frozen=True):
    """An attempt that came to nothing, of which the client has seen nothing."""

    error: ProxyError | UpstreamRefusedError
    reason: str
    wait: float | None = None
    """Seconds for which the upstream wants to be left alone."""


class Owned(Struct, frozen=True):
    """The names that are ours in this request, those that were once, and those that look it."""

    offered: Collection[str]
    remembered: Collection[str]
    beginnings: tuple[str, ...]
    theirs: Collection[str]

    def __contains__(self, name: object) -> bool:
        if name in self.offered:
            return True
        if not isinstance(name, str) or not name or name in self.theirs:
            return False
        return name in self.remembered or name.startswith(self.beginnings)


class Asking:
    """All rounds of one request."""

    def __init__(
        self,
        services: Services,
        request: Asked,
        delivery: Delivery,
        recalled: Recalled,
        base: Sequence[Raw],
    ) -> None:
        """Let hidden rounds of this request follow the history `base`."""
        self._services = services
        self._request = request
        self._delivery = delivery
        self._base = base
        self._fields: Fields = request.injection.fields
        self._patience = services.config.limits.round_retry
        self._line: Line | None = None
        self.count = 0
        """Replies so far, those of an equal request before this one included."""
        self.paid: list[Spent] = []
        """What this request has cost, without what was paid by an equal one before it."""
        self.headers: dict[str, str] = {}
        self.recalled = recalled
        self.continuity = report(recalled)
        reserved = services.config.mediation.reserved_names
        self.owned = Owned(
            request.injection.owned,
            recalled.tools,
            services.tools.beginnings if reserved == "answer" else (),
            request.injection.client_names,
        )

    def rebase(self, base: Sequence[Raw]) -> None:
        """Let hidden rounds follow another history."""
        self._base = base

    def relax(self) -> None:
        """Let nothing force a managed call any more."""
        self._fields = relaxed(self._request.dialect, self._fields, self._request.injection)

    def resumed(self, *, relax: bool = False) -> None:
        """Take note of a round that an equal request has had."""
        self.count += 1
        if relax:
            self.relax()

    async def ask(self, hidden: Sequence[Raw], *, finalizing: bool) -> Turn:
        """Return the next reply. Raises ProxyError and UpstreamRefusedError."""
        self.count += 1
        fields = self._asked(hidden, finalizing=finalizing)
        if self._line is None:
            self._line = await line_of(self._services, self._request)
        line = self._line
        # One that stands alone is asked once more if its answer broke off.
        tries = list(line.upstreams) if line.several else line.upstreams * 2
        lost: list[Lost] = []
        for upstream in tries:
            got = await self._attempt(line, upstream, fields)
            if not isinstance(got, Lost):
                await line.answered(upstream, got)
                return got
            lost.append(got)
            if line.several:
                line.failed(upstream, got.reason, self.count, got.wait)
        raise lost[0].error

    async def _attempt(self, line: Line, upstream: Upstream, fields: Fields) -> Turn | Lost:
        """Return a reply, or what was lost without a word; raises what another cannot mend."""
        body = msgspec.json.encode(await line.fitted(upstream, fields, self.count))
        began = time.monotonic()
        try:
            answer = await self._answer(upstream, body)
        except UpstreamRefusedError as refused:
            if line.several and failing(refused.status):
                return Lost(refused, f"status_{refused.status}", refused.wait)
            raise
        except ProxyError as error:
            await self._note(upstream, began, Outcome(error.status, error=error.code))
            if line.several:
                return Lost(error, error.code)
            raise
        try:
            turn = await self._delivery.take(answer)
        except ProxyError as error:
            heard = Outcome(answer.status, self._delivery.heard, error.code, len(body))
            await self._note(upstream, began, heard)
            mendable = _PASSING if line.several else _BROKEN
            if error.code in mendable and self._delivery.again():
                return Lost(error, error.code)
            raise
        except (ConnectionError, asyncio.CancelledError):
            gone = Outcome(answer.status, self._delivery.heard, "client_disconnect", len(body))
            await self._note(upstream, began, gone)
            raise
        self.headers = {**self.headers, **answer.returned_headers}
        written = sum(len(part.raw) for part in turn.parts)
        outcome = Outcome(answer.status, turn.usage, "", len(body), written)
        await self._note(upstream, began, outcome)
        return turn

    def _asked(self, hidden: Sequence[Raw], *, finalizing: bool) -> Fields:
        dialect = self._request.dialect
        fields = dialect.with_history(self._fields, dialect.joined(self._base, hidden))
        if finalizing:
            fields = dialect.with_choice(fields, Choice.NONE)
        return dialect.asking(fields)

    async def _answer(self, upstream: Upstream, body: bytes) -> Answer:
        """Ask until there is an answer that is no error, or one that waiting does not help."""
        dialect = self._request.dialect
        while True:
            began = time.monotonic()
            answer = await upstream.ask(dialect.NAME, dialect.PATH, self._request.headers, body)
            if answer.ok:
                return answer
            said = await answer.body(_LARGEST_ERROR)
            outcome = Outcome(answer.status, error=upstream_message(said))
            await self._note(upstream, began, outcome)
            wait = answer.wait
            waits = self.count > 1 and answer.status == _TOO_MANY
            if not waits or wait is None or wait > self._patience:
                raise UpstreamRefusedError(answer.status, answer.returned_headers, said, wait)
            self._patience -= wait
            await asyncio.sleep(wait)

    async def _note(self, upstream: Upstream, began: float, outcome: Outcome) -> None:
        request = self._request
        about = (request.id, request.principal, request.conversation)
        called = Called(*about, self.count, request.model, began)
        self.paid.append(await self._services.accounts.enter(called, upstream, outcome))


async def chained(services: Services, request: Asked) -> tuple[Fields, list[Raw]]:
    """Return the request's fields, and the outputs that the upstream does not have yet.

    A client that goes on from a stored response names the first of its rounds; the upstream has
    to go on from the last.
    """
    fields = request.injection.fields
    name = words(value_of(fields, "previous_response_id"))
    if not name:
        return fields, []
    age = services.config.continuity.lasts
    body = await services.store.get(RESPONSE, request.principal, name, age)
    if body is None:
        return fields, []
    known = msgspec.json.decode(body, type=dict[str, Raw])
    outputs = msgspec.json.decode(known["outputs"], type=list[Raw])
    last = words(mapping({"id": msgspec.json.decode(known["id"])}).get("id"))
    return {**fields, "previous_response_id": encoded(last or name)}, outputs
