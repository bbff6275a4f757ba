"""The state of one mediated request, and the steps that change it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from msgspec import Raw, Struct, field

from agent_cli.proxy.asking import Asking
from agent_cli.proxy.clients import usage_report
from agent_cli.proxy.delivery import Delivery
from agent_cli.proxy.dialects.turns import Call, Round, Turn
from agent_cli.proxy.dialects.usage import EXTENSION, merged
from agent_cli.proxy.envelopes import failure
from agent_cli.proxy.managed import Managed
from agent_cli.proxy.mediation import Kind, Plan, Then
from agent_cli.proxy.remembering import Memory, Results
from agent_cli.proxy.request import Asked, Services
from agent_cli.proxy.sentences import sentence
from agent_cli.proxy.spending import told
from agent_cli.proxy.store import Kept

_UNKNOWN = 2
"""Calls of tools that there are not, after which the model is told to end."""


class Report(Struct):
    """What headers and audit say of the request."""

    disposition: str = "error"
    classes: list[str] = field(default_factory=list[str])
    forwarded: list[dict[str, object]] = field(default_factory=list[dict[str, object]])


class Course:
    """How far a request has come. `finalizing` says why the model was told to end."""

    def __init__(
        self,
        services: Services,
        request: Asked,
        delivery: Delivery,
        asking: Asking,
        base: Callable[[], Awaitable[Sequence[Raw]]],
    ) -> None:
        """Ask for the history that hidden rounds follow as it is remembered now with `base`."""
        self.services = services
        self.request = request
        self.delivery = delivery
        self.asking = asking
        self.base = base
        self.memory = Memory(services, request, asking.owned)
        self._view = services.config.mediation.view(request.dialect.NAME)
        self.rounds: list[Round] = []
        self.executed_rounds = 0
        self.retried = 0
        self.elided = False
        self.finalizing = ""
        self.ledger = request.ledger()
        self.report = Report()

    def headers(self) -> dict[str, str]:
        return {
            "x-agent-proxy-rounds": str(self.asking.count),
            "x-agent-proxy-managed-calls": str(len(self.ledger.executed)),
            "x-agent-proxy-disposition": self.report.disposition,
        }

    async def resume(self, kept: Kept) -> bool:
        """Take over a round of an equal request; return whether it ends the answer."""
        self.ledger.executed += kept.executed
        self.executed_rounds += bool(kept.executed)
        self.asking.resumed(relax=bool(kept.executed))
        self.memory.kept.append(kept)
        await self.delivery.replay(kept.turn)
        if kept.last:
            made = Plan(Kind.PREFIX, Then.FINISH, release=kept.release)
            return await self.end(kept.turn, made, kept.results)
        self.memory.hidden += kept.messages
        await self._close(kept.turn)
        return False

    async def execute(self, calls: Sequence[Call], *, stop: bool = False) -> Results:
        """Make the calls; with `stop`, none after one that failed."""
        batch = [(call, self._tool(call)) for call in calls]
        number = len(self.memory.kept) + 1
        envelopes = await self.services.executor.run(batch, self.ledger, number, stop=stop)
        self.executed_rounds += 1
        return list(zip(calls, envelopes, strict=True))

    async def keep(
        self, turn: Turn, keep: Sequence[int], results: Results, *, executed: bool
    ) -> None:
        """Add a hidden round."""
        self._look_at_limits()
        dialect = self.request.dialect
        instruction = sentence("finalize") if self.finalizing else ""
        messages = (*dialect.said(turn, keep), *dialect.answered(results, instruction))
        names = self._names(results) if executed else ()
        await self.memory.keep(Kept(turn, messages, tuple(results), names))
        if executed:
            self.asking.relax()
        await self._close(turn)

    async def keep_last(self, turn: Turn, results: Results, release: tuple[int, ...]) -> None:
        """Write down the turn of which the client gets the rest."""
        names = self._names(results)
        await self.memory.keep(Kept(turn, (), tuple(results), names, release=release, last=True))

    async def end_with_notice(self, turn: Turn) -> bool:
        """End without asking the model again."""
        text = self.services.config.mediation.terminal_text
        notice = self.request.dialect.worded(text, turn)
        await self.delivery.replay(notice)
        return await self.end(notice, Plan(Kind.NONE, Then.FINISH), ())

    async def end(self, turn: Turn, made: Plan, results: Results) -> bool:
        """Give the answer, after all that later requests need is kept."""
        self.rounds.append(Round(turn, self._view, made.release, last=True))
        self.report.forwarded = [
            {"id": call.id, "name": call.shown_name}
            for call in (turn.calls[place] for place in made.release)
        ]
        stored = await self.memory.remember(self.rounds, results)
        self.report.disposition = _disposition(made, len(self.rounds), self.finalizing)
        continuity = "stored" if stored else self.asking.continuity
        headers = {**self.asking.headers, **self.headers(), "x-agent-proxy-continuity": continuity}
        await self.delivery.finish(self.rounds, _usage(self), headers)
        return True

    def spent(self, calls: Sequence[Call]) -> Results:
        """Answer calls that there are no rounds left for."""
        self.finalizing = self.finalizing or "max_rounds"
        most = self.services.config.limits.max_rounds
        details = {"max_rounds": most, "finalize_now": True, "tools_disabled": True}
        said = sentence("tool_budget_exhausted")
        envelope = failure("tool_budget_exhausted", said, 429, details)
        return [(call, envelope) for call in calls]

    async def _close(self, turn: Turn) -> None:
        self.rounds.append(Round(turn, self._view))
        if self._view.hidden_thoughts and self.request.dialect.NAME != "openai_chat":
            await self.memory.note_thoughts(turn)
        await self.delivery.close_round(self.rounds[-1])

    def _look_at_limits(self) -> None:
        if not self.finalizing and self.services.executor.late(self.ledger):
            self.finalizing = "soft_deadline"
        if not self.finalizing and self.ledger.streak >= self.services.config.limits.repeats:
            self.finalizing = "repeated_calls"
        if not self.finalizing and self.ledger.unknown > _UNKNOWN:
            self.finalizing = "unsupported_tools"
        if self.finalizing:
            self.services.audit.write("finalization", self.request.id, reason=self.finalizing)

    def _tool(self, call: Call) -> Managed | None:
        return self.request.injection.owned.get(call.name)

    def _names(self, results: Results) -> tuple[str, ...]:
        return tuple(tool.name for call, _ in results if (tool := self._tool(call)))


def _disposition(made: Plan, rounds: int, finalizing: str) -> str:
    if finalizing:
        return "finalized"
    if made.kind is Kind.PREFIX:
        return "mixed_forwarded"
    if made.release:
        return "native" if rounds > 1 else "native_only"
    return "final"


def _usage(course: Course) -> dict[str, Any]:
    """Return what the client is told of what was used."""
    config = course.services.config
    token = config.tokens.get(course.request.principal)
    own = token.usage if token else None
    report = usage_report(config.clients, course.request.client, own, config.mediation.usage)
    usage = merged([one.turn.usage for one in course.rounds], report)
    if config.mediation.usage_extension:
        return {**usage, EXTENSION: told(course.asking.paid)}
    return usage
