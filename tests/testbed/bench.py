"""A bench for tools: a real workspace and real processes, calls as dispatch makes them."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from agent_cli.processes.run import Processes
from agent_cli.tools.base import AnyTool, Output, Ran, ToolContext
from agent_cli.types.approval import Preview
from agent_cli.types.effects import Effect
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code
from agent_cli.workspace.gate import Workspace

Ask = Callable[[str, tuple[str, ...]], Awaitable[str]]


async def nobody(question: str, suggestions: tuple[str, ...]) -> str:
    raise ToolError("nobody can be asked", Code.NOBODY_TO_ASK)


class ToolUse:
    """One call, step by step: effects, preview, run."""

    def __init__(self, tool: AnyTool, context: ToolContext, arguments: dict[str, object]) -> None:
        self.tool = tool
        self.context = context
        text = msgspec.json.encode(arguments)
        self.arguments: Any = msgspec.json.decode(text, type=tool.arguments)

    def effects(self) -> tuple[Effect, ...]:
        return self.tool.effects(self.arguments, self.context)

    def preview(self) -> Preview:
        return self.tool.preview(self.arguments, self.context)

    def run(self, *, approved: bool = False) -> Output:
        return asyncio.run(self.start(approved=approved))

    async def start(self, *, approved: bool = False) -> Output:
        """Run; `approved` grants what the effects name, as a yes of the user does."""
        targets = [effect.target for effect in self.effects()] if approved else []
        workspace = self.context.workspace.granting(targets)
        context = msgspec.structs.replace(self.context, workspace=workspace)
        return await self.tool.run(self.arguments, context)


class Bench:
    """Runs a tool in a workspace, everything approved, and keeps what it said while it ran."""

    def __init__(
        self, tool: AnyTool, root: Path, *, ask: Ask = nobody, path: str | None = None
    ) -> None:
        self.tool = tool
        self.root = root
        self.progress: list[str] = []
        environ = {name: os.environ[name] for name in os.environ if name.startswith("COVERAGE_")}
        environ |= {"PATH": path or os.environ["PATH"], "SHELL": "/bin/bash", "LC_ALL": "C.UTF-8"}
        self.context = ToolContext(
            Workspace(root), Processes(environ, root.parent / "spill"), ask, self.progress.append
        )

    def call(self, **arguments: object) -> ToolUse:
        return ToolUse(self.tool, self.context, arguments)

    def effects(self, **arguments: object) -> tuple[Effect, ...]:
        return self.call(**arguments).effects()

    def preview(self, **arguments: object) -> Preview:
        return self.call(**arguments).preview()

    def run(self, **arguments: object) -> Output:
        return asyncio.run(self.start(**arguments))

    async def start(self, **arguments: object) -> Output:
        return await self.call(**arguments).start(approved=True)

    def text(self, **arguments: object) -> str:
        return said(self.run(**arguments))


def said(output: Output) -> str:
    """The text of a success."""
    if isinstance(output, Ran):
        return output.text
    assert isinstance(output, str)
    return output


def asked(tool: AnyTool, root: Path, **arguments: object) -> ToolUse:
    """A call of the tool about which nobody was asked yet."""
    return Bench(tool, root).call(**arguments)


def use(tool: AnyTool, root: Path, **arguments: object) -> Output:
    """Use the tool without the user being asked."""
    call = asked(tool, root, **arguments)
    call.effects()
    return call.run()
