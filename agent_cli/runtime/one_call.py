"""One call in a session of its own that is not kept, made by a program instead of a model."""

import asyncio

from msgspec.structs import replace

from agent_cli.approval.server_tools import PREFIX
from agent_cli.engine.steps import Dispatch, Rules, next_step
from agent_cli.runtime.dispatch import Dispatcher
from agent_cli.runtime.frontend import Frontend
from agent_cli.runtime.interruption import interrupt
from agent_cli.runtime.servers import join
from agent_cli.runtime.session import Session
from agent_cli.runtime.toolbox import Options, toolbox
from agent_cli.sessions.catalog import new_id
from agent_cli.sessions.codec import FORMAT
from agent_cli.sessions.journal import Ephemeral
from agent_cli.settings.load import digest
from agent_cli.settings.schema import Settings
from agent_cli.types.entries import (
    AssistantSaid,
    CallFinished,
    Interrupted,
    SessionStarted,
    TaskStarted,
    UserSaid,
)
from agent_cli.types.messages import AssistantMessage, StopReason, ToolCall, ToolResult
from agent_cli.types.outcomes import Code, Outcome, Stop
from agent_cli.types.requests import Protocol

_ID = "call_1"
_RULES = Rules()
_PATIENCE = 3600.0
"""Seconds: the call is there already, and each server has its own time for its start."""


class OneCall:
    """A session with one call. Its arguments and result may hold bytes that are not text."""

    def __init__(self, settings: Settings, options: Options, frontend: Frontend) -> None:
        """Start the session; raises ConfigurationError."""
        patient = replace(settings, mcp=replace(settings.mcp, wait=_PATIENCE))
        tools = replace(toolbox(patient, options, frontend), escapes=True, keeper=None)
        self._tools = tools
        self._session = Session(Ephemeral(), frontend.emit)
        self._dispatcher = Dispatcher(self._session, tools, frontend)
        self._session.append(
            SessionStarted(
                format=FORMAT,
                id=new_id(),
                cwd=str(tools.workspace.root),
                model=options.model,
                protocol=Protocol.NATIVE,
                settings=digest(settings),
            )
        )
        self._session.append(TaskStarted(settings.mode))

    async def run(self, name: str, arguments: str) -> None:
        """Make the call; when this is cancelled, it is settled first. Only once."""
        call = ToolCall(_ID, name, arguments)
        self._session.append(UserSaid(name))
        self._session.append(AssistantSaid(AssistantMessage((call,), StopReason.CALLS)))
        step = next_step(self._session.state, _RULES)
        assert isinstance(step, Dispatch)  # the first call of a task is always dispatched
        try:
            if name.startswith(PREFIX):
                await join(self._tools, self._session.state)
            if await self._dispatcher.dispatch(step) is not None:
                nobody = "a task of its own needs a model to do it, and one call alone has none"
                failed = ToolResult(_ID, Outcome.FAILED, Code.SUBTASK_FAILED, nobody)
                self._session.append(CallFinished(failed))
        except asyncio.CancelledError:
            interrupt(self._session, _RULES, Interrupted(Stop.SIGNAL))
            raise
        finally:
            await self._dispatcher.close()

    @property
    def result(self) -> ToolResult:
        """What became of the call, once it has been run or cancelled."""
        result = self._session.state.task.messages[-1]
        assert isinstance(result, ToolResult)
        return result
