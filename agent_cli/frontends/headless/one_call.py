"""One call with nobody watching: its questions get one answer, given beforehand."""

from collections.abc import Sequence

from agent_cli.frontends.headless.nobody import NobodyThere
from agent_cli.types.approval import Request, Verdict
from agent_cli.types.events import Event


class FixedAnswer(NobodyThere):
    """Answers every request for approval alike, and remembers that there was one."""

    def __init__(self, verdict: Verdict) -> None:
        self.asked = False
        self._verdict = verdict

    def emit(self, event: Event) -> None:
        """Show nothing: the result is all that is wanted."""

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        self.asked = True
        return [self._verdict for _ in requests]
