"""What the user is asked before calls run, and what holds of the answers.

An answer is bound to what was shown: that is made afresh after the answer, and when a call comes
up that was asked about together with an earlier one; it is asked about again if it came out
differently.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.approval.policy import Judgement
from agent_cli.context.replies import reply
from agent_cli.engine.ahead import verdict_on
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.prepare import Prepared, Seen, Toolbox, attempt, failed
from agent_cli.runtime.session import Session
from agent_cli.runtime.together import Asked, digest, together
from agent_cli.types.approval import DecidedBy, Request, Verdict
from agent_cli.types.effects import Effect
from agent_cli.types.entries import VerdictGiven
from agent_cli.types.messages import ToolResult

_MOST_CHANGES = 3
"""Questions about one call, before it is given up as one whose subject does not hold still."""


class Decided(Struct, frozen=True):
    """What became of the question whether a call may run."""

    prepared: Prepared
    verdict: Verdict
    by: DecidedBy
    reason: str


class Questions:
    """Puts the calls of one session to the user."""

    def __init__(
        self,
        session: Session,
        toolbox: Toolbox,
        frontend: Frontend,
        judge: Callable[[Prepared], Judgement],
        offered: Callable[[Prepared, tuple[Effect, ...]], str],
    ) -> None:
        """`offered` returns the rule that would let such a call run unasked."""
        self._session = session
        self._toolbox = toolbox
        self._frontend = frontend
        self._judge = judge
        self._offered = offered

    def rejected(self, prepared: Prepared) -> Decided | None:
        """Return the no that was said ahead of the call."""
        given = verdict_on(self._session.state.task, prepared.call.id)
        if given is None or given.verdict.approved:
            return None
        return Decided(prepared, given.verdict, DecidedBy.USER, given.verdict.feedback)

    def agreed(self, prepared: Prepared) -> Decided | None:
        """Return the yes that was said ahead, if the call would do now what was shown then."""
        given = verdict_on(self._session.state.task, prepared.call.id)
        if given is None:
            return None
        seen = attempt(prepared.call, prepared.look)
        if isinstance(seen, ToolResult) or digest(seen) != given.shown:
            return None
        return _agreed(prepared, seen, given.verdict)

    async def ask(self, prepared: Prepared, judgement: Judgement) -> Decided | ToolResult:
        """Ask about the call, and along with it about those that come later."""
        call = prepared.call
        try:
            await prepared.context.processes.ready()  # the card says what confines a command
        except OSError as error:
            return failed(call, None, str(error))
        seen = attempt(call, prepared.look)
        for _ in range(_MOST_CHANGES):
            if isinstance(seen, ToolResult):
                return seen
            verdict = await self._put(Asked(prepared, seen, judgement))
            if not verdict.approved:
                by = DecidedBy.USER if verdict.answered else DecidedBy.NOBODY
                return Decided(prepared, verdict, by, verdict.feedback)
            shown, seen = seen, attempt(call, prepared.look)
            if not isinstance(seen, ToolResult) and digest(seen) == digest(shown):
                return _agreed(prepared, seen, verdict)
            judgement = replace(judgement, reason="it has changed since it was shown")
        return failed(call, None, reply("changing"))

    async def _put(self, first: Asked) -> Verdict:
        """Ask on one card; record what is said of later calls, return what is said of this one."""
        state = self._session.state
        along = await together(first.seen, state, self._toolbox, self._judge)
        asked = (first, *along.asked)
        requests = [self._request(one) for one in asked]
        requests[0] = replace(requests[0], unasked=along.unasked)
        verdict, *later = await self._frontend.approve(requests)
        if verdict.approved:
            self._keep(along.asked, later)
        return verdict

    def _keep(self, asked: Sequence[Asked], verdicts: Sequence[Verdict]) -> None:
        """Record the verdicts; after a no, what follows is skipped, so nothing was said of it."""
        for one, verdict in zip(asked, verdicts, strict=True):
            if not verdict.answered:
                return
            shown = digest(one.seen)
            self._session.append(VerdictGiven(one.prepared.call.id, verdict, shown))
            if not verdict.approved:
                return

    def _request(self, asked: Asked) -> Request:
        call, judgement = asked.prepared.call, asked.judgement
        calls = self._session.state.task.open_calls
        place = [one.id for one in calls].index(call.id)
        return Request(
            call.id,
            call.name,
            *asked.seen,
            judgement.reason,
            following=tuple(later.name for later in calls[place + 1 :]),
            part=judgement.part,
            rule=self._offered(asked.prepared, asked.seen[0]),
        )


def _agreed(prepared: Prepared, seen: Seen, verdict: Verdict) -> Decided:
    return Decided(replace(prepared, effects=seen[0]), verdict, DecidedBy.USER, verdict.feedback)
