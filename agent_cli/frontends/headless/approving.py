"""Text output that says yes to every question: for a script of our own, never for a model."""

from collections.abc import Sequence

from agent_cli.frontends.headless.text import TextOutput
from agent_cli.types.approval import Request, Verdict


class ApprovesAll(TextOutput):
    """What `agent demo --yes` runs with."""

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        return [Verdict(approved=True) for _ in requests]
