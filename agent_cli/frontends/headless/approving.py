"""Text output that says yes to every question: for a script of our own, never for a model."""

from collections.abc import Sequence

from agent_cli.frontends.headless.text import TextOutput
from agent_cli.types.approval import Request, Verdict
from agent_cli.types.events import CompletionResult, Event


class ApprovesAll(TextOutput):
    """What `agent demo --yes` runs with."""

    def emit(self, event: Event) -> None:
        if not isinstance(event, CompletionResult):  # its command was approved and has run
            super().emit(event)

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        return [Verdict(approved=True) for _ in requests]
