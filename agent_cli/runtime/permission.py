"""Whether a prepared call may run: the policy, then the user, each decision recorded."""

from msgspec import Struct

from agent_cli.approval.policy import Policy, decide, rule_for
from agent_cli.context.replies import reply
from agent_cli.engine.steps import REPEATS_UNTIL_ASKED
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.prepare import Prepared, attempt, failed
from agent_cli.runtime.session import Session
from agent_cli.types.approval import DecidedBy, Decision, Remember, Request, Verdict, Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.entries import CallDecided, RuleGranted
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Outcome


class Permitted(Struct, frozen=True):
    comment: str = ""
    """What the user said along with the yes."""


class Permission:
    """Judges the calls of one session."""

    def __init__(self, session: Session, policy: Policy, frontend: Frontend) -> None:
        self._session = session
        self._policy = policy
        self._frontend = frontend

    async def permit(self, prepared: Prepared, *, repeats: int) -> Permitted | ToolResult:
        """Judge the call and record the decision; return its result if it may not run."""
        if repeats >= REPEATS_UNTIL_ASKED and not await self._may_repeat(prepared, repeats):
            return failed(prepared.call, Code.REPEATED)
        if prepared.tool.kind is Kind.ALWAYS:
            self._decide(prepared, Decision.ALLOW, DecidedBy.POLICY)
            return Permitted()
        verdict, by, reason = await self._judge(prepared)
        if isinstance(verdict, ToolResult):
            return verdict
        self._decide(prepared, Decision.ALLOW if verdict.approved else Decision.DENY, by, reason)
        return self._take(verdict, by, prepared, reason)

    async def permit_inside(self, prepared: Prepared) -> Permitted | ToolResult:
        """Judge something that a started call wants to do; the start was its decision."""
        verdict, by, reason = await self._judge(prepared)
        if isinstance(verdict, ToolResult):
            return verdict
        return self._take(verdict, by, prepared, reason)

    async def _judge(self, prepared: Prepared) -> tuple[Verdict | ToolResult, DecidedBy, str]:
        granted = self._session.state.granted
        judgement = decide(self._policy, prepared.call.name, prepared.effects, granted)
        if judgement.decision is not Decision.ASK:
            approved = judgement.decision is Decision.ALLOW
            return Verdict(approved), DecidedBy.POLICY, judgement.reason
        preview = attempt(prepared.call, prepared.preview)
        if isinstance(preview, ToolResult):
            return preview, DecidedBy.POLICY, ""
        call = prepared.call
        following = tuple(later.name for later in self._session.state.task.open_calls[1:])
        request = Request(
            call.id, call.name, prepared.effects, preview, judgement.reason, following
        )
        (verdict,) = await self._frontend.approve([request])
        by = DecidedBy.USER if verdict.answered else DecidedBy.NOBODY
        return verdict, by, verdict.feedback

    def _take(
        self, verdict: Verdict, by: DecidedBy, prepared: Prepared, reason: str
    ) -> Permitted | ToolResult:
        call_id = prepared.call.id
        if not verdict.approved:
            if by is DecidedBy.POLICY:
                return ToolResult(call_id, Outcome.DENIED, Code.POLICY, reason)
            if by is DecidedBy.NOBODY:
                return ToolResult(call_id, Outcome.DENIED, Code.NOBODY_TO_ASK)
            said = reply("feedback", text=verdict.feedback) if verdict.feedback else ""
            return ToolResult(call_id, Outcome.REJECTED, None, reply("rejected") + said)
        rule = rule_for(prepared.call.name, prepared.effects)
        if verdict.remember is Remember.SESSION and rule is not None:
            self._session.append(RuleGranted(rule))
        return Permitted(reply("comment", text=verdict.feedback) if verdict.feedback else "")

    async def _may_repeat(self, prepared: Prepared, repeats: int) -> bool:
        call = prepared.call
        effects = (Effect(Kind.ASK, call.name),)
        shown = Words(f"{call.name} {call.arguments}")
        reason = f"the same call had the same result {repeats} times in a row"
        (verdict,) = await self._frontend.approve(
            [Request(call.id, call.name, effects, shown, reason)]
        )
        return verdict.approved

    def _decide(
        self, prepared: Prepared, decision: Decision, by: DecidedBy, reason: str = ""
    ) -> None:
        self._session.append(CallDecided(prepared.call.id, decision, by, reason, prepared.effects))
