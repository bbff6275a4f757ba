"""A bench for one tool: a real workspace and real processes, calls as dispatch makes them."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from agent_cli.processes.run import Processes
from agent_cli.tools.base import AnyTool, Output, ToolContext
from agent_cli.types.approval import Preview
from agent_cli.types.effects import Effect
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code
from agent_cli.workspace.gate import Workspace

Ask = Callable[[str, tuple[str, ...]], Awaitable[str]]


async def nobody(question: str, suggestions: tuple[str, ...]) -> str:
    raise ToolError("nobody can be asked", Code.NOBODY_TO_ASK)


class Bench:
    """Runs a tool in a workspace and keeps what it said while it ran."""

    def __init__(
        self, tool: AnyTool, root: Path, *, ask: Ask = nobody, path: str | None = None
    ) -> None:
        self.tool = tool
        self.root = root
        self.progress: list[str] = []
        environ = {"PATH": path or os.environ["PATH"], "SHELL": "/bin/bash", "LC_ALL": "C.UTF-8"}
        self.context = ToolContext(
            Workspace(root), Processes(environ, root.parent / "spill"), ask, self.progress.append
        )

    def effects(self, **arguments: object) -> tuple[Effect, ...]:
        return self.tool.effects(self._parse(arguments), self.context)

    def preview(self, **arguments: object) -> Preview:
        return self.tool.preview(self._parse(arguments), self.context)

    def run(self, **arguments: object) -> Output:
        """Have the effects approved, then run."""
        return asyncio.run(self.start(**arguments))

    async def start(self, **arguments: object) -> Output:
        parsed = self._parse(arguments)
        targets = [effect.target for effect in self.tool.effects(parsed, self.context)]
        workspace = self.context.workspace.granting(targets)
        return await self.tool.run(
            parsed, msgspec.structs.replace(self.context, workspace=workspace)
        )

    def text(self, **arguments: object) -> str:
        output = self.run(**arguments)
        assert isinstance(output, str)
        return output

    def _parse(self, arguments: dict[str, object]) -> object:
        return msgspec.json.decode(msgspec.json.encode(arguments), type=self.tool.arguments)
