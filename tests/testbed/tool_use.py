"""Use one tool as the runtime does: parse, effects, preview, grant, run."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec

from agent_cli.processes.run import Processes
from agent_cli.tools.base import AnyTool, Output, ToolContext
from agent_cli.types.approval import Preview
from agent_cli.types.effects import Effect
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code
from agent_cli.workspace.gate import Workspace


class ToolUse:
    """A tool in a workspace, asked step by step."""

    def __init__(self, tool: AnyTool, root: Path, **arguments: object) -> None:
        self.tool = tool
        self.context = ToolContext(
            workspace=Workspace(root), processes=Processes({}), ask=_nobody, progress=print
        )
        text = msgspec.json.encode(arguments)
        self.arguments: Any = msgspec.json.decode(text, type=tool.arguments)

    def effects(self) -> tuple[Effect, ...]:
        return self.tool.effects(self.arguments, self.context)

    def preview(self) -> Preview:
        return self.tool.preview(self.arguments, self.context)

    def run(self, *, approved: bool = False) -> Output:
        """Run; `approved` grants what the effects name, as a yes of the user does."""
        targets = [effect.target for effect in self.effects()] if approved else []
        context = msgspec.structs.replace(
            self.context, workspace=self.context.workspace.granting(targets)
        )
        return asyncio.run(self._run(context))

    async def _run(self, context: ToolContext) -> Output:
        return await self.tool.run(self.arguments, context)


def use(tool: AnyTool, root: Path, **arguments: object) -> Output:
    """Use the tool without the user being asked."""
    asked = ToolUse(tool, root, **arguments)
    asked.effects()
    return asked.run()


async def _nobody(question: str, suggestions: tuple[str, ...]) -> str:
    raise ToolError(question, Code.NOBODY_TO_ASK)
