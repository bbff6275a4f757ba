"""Keeps the account book, and says what a principal may still spend."""

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.providers.known import Prices, known_prices, undated
from agent_cli.proxy.audit import Audit
from agent_cli.proxy.background import Background
from agent_cli.proxy.config import Config
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.spending import Budget, Spent, counted, price_of
from agent_cli.proxy.store import Store
from agent_cli.proxy.upstream import Upstream
from agent_cli.types.usage import Usage

_BYTES_PER_TOKEN = 4
_LONGEST = 200
"""Characters in the book of what a client or an upstream has said."""


class Called(Struct, frozen=True):
    """A call of an upstream, as far as it is known before it is counted."""

    request: str
    principal: str
    conversation: str
    round: int
    model: str
    """As the client calls it."""
    began: float
    """By the monotonic clock."""


class Outcome(Struct, frozen=True):
    """What has become of a call of an upstream."""

    status: int
    usage: Mapping[str, Any] = {}
    error: str = ""
    read: int = 0
    """Bytes of the request, and of the reply: they stand for tokens that nobody has counted."""
    written: int = 0


class May(StrEnum):
    """What a budget allows between two rounds."""

    GO_ON = "go_on"
    END = "end"
    """One more reply, which has to be the last."""
    NOTHING = "nothing"


class Accounts:
    """Shared by all requests."""

    def __init__(self, config: Config, store: Store, audit: Audit) -> None:
        self._config = config
        self._store = store
        self._audit = audit
        self._known: dict[str, Prices] | None = None
        self.background = Background()

    async def enter(self, called: Called, upstream: Upstream, outcome: Outcome) -> Spent:
        """Write a call down, also when its client has gone."""
        self._audit.write(
            "upstream_round",
            called.request,
            round=called.round,
            provider=upstream.name,
            model=upstream.model(called.model),
            status=outcome.status,
            seconds=round(time.monotonic() - called.began, 3),
            usage=outcome.usage,
            error=outcome.error or None,
        )
        return await self.background.end(self._enter(called, upstream, outcome))

    async def _enter(self, called: Called, upstream: Upstream, outcome: Outcome) -> Spent:
        counts, reasoning = counted(outcome.usage)
        prices = self._prices(upstream, called.model)
        read, written = outcome.read // _BYTES_PER_TOKEN, outcome.written // _BYTES_PER_TOKEN
        spent = Spent(
            called.request,
            called.principal,
            called.conversation[:_LONGEST],
            called.round,
            upstream.name,
            upstream.model(called.model)[:_LONGEST],
            outcome.status,
            outcome.error[:_LONGEST],
            counts.input_tokens if outcome.usage else read,
            counts.output_tokens if outcome.usage else written,
            counts.cache_read_tokens,
            counts.cache_write_tokens,
            reasoning,
            estimated=not outcome.usage and bool(read),
            prices=prices,
        )
        spent = _priced(spent, counts.cost, prices)
        try:
            await self._store.spend(spent)
        except ProxyError as lost:
            # The reply is there and paid for: the client gets it, and the audit has the line.
            self._audit.write("spent_lost", called.request, code=lost.code, spent=spent.shown)
        return spent

    async def admit(
        self, principal: str, request: str, upstreams: Sequence[Upstream], model: str
    ) -> None:
        """Raise ProxyError if there is nothing left to spend, or nobody knows what it would be."""
        budget = self._budget(principal)
        if budget is None:
            return
        if budget.usd is not None and any(not self._prices(one, model) for one in upstreams):
            raise ProxyError(
                403,
                "model_not_priced",
                f"what {model!r} costs is not known, and the token has a budget in dollars: the "
                "operator can say it under [prices]",
            )
        if await self._left(budget, principal) <= 0:
            raise self.exceeded(principal, request)

    async def may(self, principal: str, last: Spent | None) -> May:
        """Return what the budget allows, if another reply costs what the last one has."""
        budget = self._budget(principal)
        if budget is None:
            return May.GO_ON
        left = await self._left(budget, principal)
        # What is shown again costs again, and an answer to it as well.
        share = _share(budget, last) if last else 0.0
        if left <= 0 or left < share:
            return May.NOTHING
        return May.END if left < 2 * share else May.GO_ON

    def exceeded(self, principal: str, request: str) -> ProxyError:
        """Return what the client is told whose budget is spent."""
        budget = self._budget(principal)
        assert budget is not None
        self._audit.write("budget", request, principal=principal, budget=budget, then="refuse")
        period = "" if budget.per == "total" else f" of this {budget.per}"
        return ProxyError(
            429,
            "budget_exceeded",
            f"the budget{period} of {principal!r} is spent",
            headers={"x-should-retry": "false"},
        )

    def _budget(self, principal: str) -> Budget | None:
        token = self._config.tokens.get(principal)
        return token.budget if token else None

    async def _left(self, budget: Budget, principal: str) -> float:
        """Return the part of the budget that is left, of the amount of which there is less."""
        since = budget.since(datetime.now(UTC))
        account = await self._store.account(principal, since)
        parts = [1.0]
        if budget.usd is not None:
            parts.append(1 - account.usd / budget.usd if budget.usd else 0.0)
        if budget.tokens is not None:
            parts.append(1 - account.tokens / budget.tokens if budget.tokens else 0.0)
        return min(parts)

    def _prices(self, upstream: Upstream, model: str) -> Prices | None:
        if self._known is None:
            self._known = known_prices()
        there = upstream.model(model)
        return price_of(self._config.prices, self._known, (there, undated(there), model))


def _share(budget: Budget, last: Spent) -> float:
    """Return which part of the budget a reply like the last one takes."""
    parts = [0.0]
    if budget.usd and last.usd is not None:
        parts.append(last.usd / budget.usd)
    if budget.tokens:
        parts.append(last.tokens / budget.tokens)
    return max(parts)


def _priced(spent: Spent, billed: float | None, prices: Prices | None) -> Spent:
    if billed is None and prices is not None:
        counts = Usage(spent.input, spent.output, spent.cache_read, spent.cache_write)
        billed = prices.cost(counts)
    return replace(spent, usd=billed)
