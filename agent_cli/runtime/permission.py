"""Whether a prepared call may run: the policy, hooks, then the user, each decision recorded.

An approval is bound to what was shown: it is made afresh after the answer, and asked about again
if it came out differently.
"""

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.approval.policy import PLAN, Judgement, Policy, decide, rule_for
from agent_cli.context.replies import reply
from agent_cli.engine.steps import REPEATS_UNTIL_ASKED
from agent_cli.i18n.catalog import say_many
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.hooked import Hooked
from agent_cli.runtime.prepare import Prepared, attempt, failed
from agent_cli.runtime.session import Session
from agent_cli.types.approval import (
    ApprovalMode,
    DecidedBy,
    Decision,
    Remember,
    Request,
    Verdict,
    Words,
)
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.entries import CallDecided, RuleGranted
from agent_cli.types.errors import ToolError
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Outcome

_MOST_CHANGES = 3
"""Questions about one call, before it is given up as one whose subject does not hold still."""


class Permitted(Struct, frozen=True):
    prepared: Prepared
    """The call as it may run: with the effects and in the context that were agreed to."""
    comment: str = ""
    """What the user said along with the yes."""


class _Decided(Struct, frozen=True):
    prepared: Prepared
    verdict: Verdict
    by: DecidedBy
    reason: str


class Permission:
    """Judges the calls of one session."""

    def __init__(
        self, session: Session, policy: Policy, hooked: Hooked, frontend: Frontend
    ) -> None:
        self._session = session
        self._policy = policy
        self._hooked = hooked
        self._frontend = frontend

    async def permit(self, prepared: Prepared, *, repeats: int) -> Permitted | ToolResult:
        """Judge the call and record the decision; return its result if it may not run."""
        if repeats >= REPEATS_UNTIL_ASKED:
            refused = await self._refused_again(prepared, repeats)
            if refused is not None:
                return refused
        decided = await self._judge(prepared)
        if isinstance(decided, ToolResult):
            return decided
        self._record(decided)
        return self._take(decided)

    async def permit_inside(self, prepared: Prepared) -> Permitted | ToolResult:
        """Judge something that a started call wants to do; the start was its decision."""
        decided = await self._judge(prepared)
        return decided if isinstance(decided, ToolResult) else self._take(decided)

    async def permit_check(self, prepared: Prepared, *, asked: bool) -> Permitted | ToolResult:
        """Judge a check: it is no command of the model's, so plan mode does not hold for it.

        Without `asked` it is the user's own, so that only a denial stops it.
        """
        decided = await self._judge(prepared, ApprovalMode.ASK, unasked=not asked)
        return decided if isinstance(decided, ToolResult) else self._take(decided)

    async def _judge(
        self, prepared: Prepared, mode: ApprovalMode | None = None, *, unasked: bool = False
    ) -> _Decided | ToolResult:
        judgement = self._by_policy(prepared, mode)
        if judgement.decision is Decision.DENY:
            refused = Verdict(approved=False)
            return _Decided(prepared, refused, DecidedBy.POLICY, judgement.reason)
        objection = await self._hooked.before(prepared)
        if objection is not None and objection.decision is Decision.DENY:
            refused = Verdict(approved=False)
            return _Decided(prepared, refused, DecidedBy.HOOK, objection.reason)
        if objection is not None:
            return await self._ask(prepared, objection.reason)
        if judgement.decision is Decision.ASK and not unasked:
            return await self._ask(prepared, judgement.reason)
        return await self._alone(prepared, judgement.reason)

    async def _alone(self, prepared: Prepared, reason: str) -> _Decided | ToolResult:
        """Let the call run without a person, if its tool knows how."""
        try:
            context = await prepared.tool.unattended(prepared.arguments, prepared.context)
        except ToolError as error:
            return failed(prepared.call, error.code, str(error))
        if context is None:
            return await self._ask(prepared, "what else it would start here cannot be told")
        ready = replace(prepared, context=context)
        return _Decided(ready, Verdict(approved=True), DecidedBy.POLICY, reason)

    def _by_policy(self, prepared: Prepared, mode: ApprovalMode | None = None) -> Judgement:
        if prepared.tool.kind is Kind.ALWAYS and not prepared.effects:
            return Judgement(Decision.ALLOW, "")
        state = self._session.state
        mode = mode or state.approval
        return decide(self._policy, prepared.call.name, prepared.effects, state.granted, mode)

    async def _ask(self, prepared: Prepared, reason: str) -> _Decided | ToolResult:
        call = prepared.call
        following = tuple(later.name for later in self._session.state.task.open_calls[1:])
        try:
            await prepared.context.processes.ready()  # the card says what confines a command
        except OSError as error:
            return failed(call, None, str(error))
        seen = attempt(call, prepared.look)
        for _ in range(_MOST_CHANGES):
            if isinstance(seen, ToolResult):
                return seen
            (verdict,) = await self._frontend.approve(
                [Request(call.id, call.name, *seen, reason, following)]
            )
            if not verdict.approved:
                by = DecidedBy.USER if verdict.answered else DecidedBy.NOBODY
                return _Decided(prepared, verdict, by, verdict.feedback)
            shown, seen = seen, attempt(call, prepared.look)
            if seen == shown:
                agreed = replace(prepared, effects=shown[0])
                return _Decided(agreed, verdict, DecidedBy.USER, verdict.feedback)
            reason = "it has changed since it was shown"
        return failed(call, None, reply("changing"))

    def _take(self, decided: _Decided) -> Permitted | ToolResult:
        prepared, verdict = decided.prepared, decided.verdict
        call_id = prepared.call.id
        if not verdict.approved:
            match decided.by:
                case DecidedBy.POLICY if decided.reason == PLAN:
                    return ToolResult(call_id, Outcome.DENIED, Code.PLANNING)
                case DecidedBy.POLICY:
                    return ToolResult(call_id, Outcome.DENIED, Code.POLICY, decided.reason)
                case DecidedBy.HOOK:
                    return ToolResult(call_id, Outcome.DENIED, Code.HOOK, decided.reason)
                case DecidedBy.NOBODY:
                    return ToolResult(call_id, Outcome.DENIED, Code.NOBODY_TO_ASK)
                case DecidedBy.USER:
                    said = reply("feedback", text=verdict.feedback) if verdict.feedback else ""
                    return ToolResult(call_id, Outcome.REJECTED, None, reply("rejected") + said)
        rule = rule_for(prepared.call.name, prepared.effects)
        if verdict.remember is Remember.SESSION and rule is not None:
            self._session.append(RuleGranted(rule))
        comment = reply("comment", text=verdict.feedback) if verdict.feedback else ""
        return Permitted(prepared, comment)

    async def _refused_again(self, prepared: Prepared, repeats: int) -> ToolResult | None:
        call = prepared.call
        effects = (Effect(Kind.ASK, call.name),)
        shown = Words(f"{call.name} {call.arguments}")
        reason = say_many(
            "the same call had the same result {count} time in a row",
            "the same call had the same result {count} times in a row",
            count=repeats,
        )
        (verdict,) = await self._frontend.approve(
            [Request(call.id, call.name, effects, shown, reason)]
        )
        if verdict.approved:
            return None
        said = reply("feedback", text=verdict.feedback) if verdict.feedback else ""
        return failed(call, Code.REPEATED, said.strip())

    def _record(self, decided: _Decided) -> None:
        decision = Decision.ALLOW if decided.verdict.approved else Decision.DENY
        prepared = decided.prepared
        self._session.append(
            CallDecided(prepared.call.id, decision, decided.by, decided.reason, prepared.effects)
        )
