"""Whether a prepared call may run: the policy, hooks, then the user, each decision recorded.

Who is asked what, and how answers are bound to what was shown, is in `questions.py`.
"""

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.approval.policy import PLAN, Judgement, decide, rule_for
from agent_cli.context.replies import reply
from agent_cli.engine.steps import REPEATS_UNTIL_ASKED
from agent_cli.i18n.catalog import say_many
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.hooked import Hooked
from agent_cli.runtime.prepare import Prepared, Toolbox, failed
from agent_cli.runtime.questions import Decided, Questions
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
from agent_cli.types.errors import ConfigurationError, ToolError
from agent_cli.types.events import Notice
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Outcome


class Permitted(Struct, frozen=True):
    prepared: Prepared
    """The call as it may run: with the effects and in the context that were agreed to."""
    comment: str = ""
    """What the user said along with the yes."""


class Permission:
    """Judges the calls of one session."""

    def __init__(
        self, session: Session, toolbox: Toolbox, hooked: Hooked, frontend: Frontend
    ) -> None:
        self._session = session
        self._policy = toolbox.policy
        self._keep = toolbox.keep_rule
        self._hooked = hooked
        self._frontend = frontend
        self._questions = Questions(session, toolbox, frontend, self._by_policy, self._offered)

    async def permit(self, prepared: Prepared, *, repeats: int) -> Permitted | ToolResult:
        """Judge the call and record the decision; return its result if it may not run."""
        if repeats >= REPEATS_UNTIL_ASKED:
            refused = await self._refused_again(prepared, repeats)
            if refused is not None:
                return refused
        decided = await self._judge(prepared, first=True)
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
        self,
        prepared: Prepared,
        mode: ApprovalMode | None = None,
        *,
        unasked: bool = False,
        first: bool = False,
    ) -> Decided | ToolResult:
        judgement = self._by_policy(prepared, mode)
        if judgement.decision is Decision.DENY:
            refused = Verdict(approved=False)
            return Decided(prepared, refused, DecidedBy.POLICY, judgement.reason)
        if first and (rejected := self._questions.rejected(prepared)) is not None:
            return rejected
        objection = await self._hooked.before(prepared)
        if objection is not None and objection.decision is Decision.DENY:
            refused = Verdict(approved=False)
            return Decided(prepared, refused, DecidedBy.HOOK, objection.reason)
        if objection is not None:
            return await self._questions.ask(prepared, Judgement(Decision.ASK, objection.reason))
        if first and (agreed := self._questions.agreed(prepared)) is not None:
            return agreed
        if judgement.decision is Decision.ASK and not unasked:
            return await self._questions.ask(prepared, judgement)
        return await self._alone(prepared, judgement.reason)

    async def _alone(self, prepared: Prepared, reason: str) -> Decided | ToolResult:
        """Let the call run without a person, if its tool knows how."""
        try:
            context = await prepared.tool.unattended(prepared.arguments, prepared.context)
        except ToolError as error:
            return failed(prepared.call, error.code, str(error))
        if context is None:
            why = "what else it would start here cannot be told"
            return await self._questions.ask(prepared, Judgement(Decision.ASK, why))
        ready = replace(prepared, context=context)
        return Decided(ready, Verdict(approved=True), DecidedBy.POLICY, reason)

    def _by_policy(self, prepared: Prepared, mode: ApprovalMode | None = None) -> Judgement:
        if prepared.tool.kind is Kind.ALWAYS and not prepared.effects:
            return Judgement(Decision.ALLOW, "")
        state = self._session.state
        mode = mode or state.approval
        return decide(self._policy, prepared.call.name, prepared.effects, state.granted, mode)

    def _take(self, decided: Decided) -> Permitted | ToolResult:
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
        if verdict.remember is not Remember.ONCE:
            self._grant(prepared, verdict.remember)
        comment = reply("comment", text=verdict.feedback) if verdict.feedback else ""
        return Permitted(prepared, comment)

    def _offered(self, prepared: Prepared, effects: tuple[Effect, ...]) -> str:
        """Return the rule that would let such calls run unasked; empty where none would."""
        name, state = prepared.call.name, self._session.state
        rule = rule_for(name, effects)
        if rule is None:
            return ""
        granted = (*state.granted, rule)
        judged = decide(self._policy, name, effects, granted, state.approval)
        return rule if judged.decision is Decision.ALLOW else ""

    def _grant(self, prepared: Prepared, remember: Remember) -> None:
        rule = self._offered(prepared, prepared.effects)
        if not rule:
            return
        self._session.append(RuleGranted(rule))
        if remember is Remember.ALWAYS and self._keep is not None:
            try:
                self._keep(rule)
            except ConfigurationError as error:
                self._frontend.emit(Notice(str(error)))

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

    def _record(self, decided: Decided) -> None:
        decision = Decision.ALLOW if decided.verdict.approved else Decision.DENY
        prepared = decided.prepared
        self._session.append(
            CallDecided(prepared.call.id, decision, decided.by, decided.reason, prepared.effects)
        )
