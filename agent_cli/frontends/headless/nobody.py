"""The answers of a frontend with nobody behind it: at once, and never yes."""

from collections.abc import Sequence

from agent_cli.types.approval import Request, Verdict


class NobodyThere:
    """Base of every headless output: its questions."""

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        return [Verdict(approved=False, answered=False) for _ in requests]

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        return None

    async def feedback(self) -> str | None:
        return None
