"""One call, from its arguments to its result: through modes, policy, questions and dispatch."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from agent_cli.approval.policy import Policy
from agent_cli.context.customs import customs
from agent_cli.engine.steps import Dispatch, Rules, next_step
from agent_cli.hooks.runner import Hooks
from agent_cli.processes.run import Processes
from agent_cli.runtime.dispatch import Dispatcher
from agent_cli.runtime.prepare import Toolbox
from agent_cli.runtime.session import Session
from agent_cli.sessions.journal import Ephemeral
from agent_cli.tools.base import ToolContext
from agent_cli.tools.registry import built_in
from agent_cli.types.approval import Request, Verdict
from agent_cli.types.entries import AssistantSaid, SessionStarted, TaskStarted, UserSaid
from agent_cli.types.events import Event
from agent_cli.types.messages import AssistantMessage, StopReason, ToolCall, ToolResult
from agent_cli.types.requests import Protocol
from agent_cli.workspace.gate import Workspace


class Answering:
    """A user who says the same to every question; remembers what was asked and told."""

    def __init__(self, *, yes: bool) -> None:
        self._yes = yes
        self.requests: list[Request] = []
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.events.append(event)

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        self.requests += requests
        return [Verdict(self._yes) for _ in requests]

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        return None

    async def feedback(self) -> str | None:
        return None


class Dispatched(Struct, frozen=True):
    result: ToolResult
    asked: bool
    told: str
    """Everything that the journal, the model and the user got to see."""


async def _dispatch(dispatcher: Dispatcher, step: Dispatch) -> None:
    await dispatcher.dispatch(step)
    await dispatcher.close()


def dispatch(
    root: Path,
    call: tuple[str, Mapping[str, object]],
    policy: Policy,
    *,
    yes: bool = False,
    extra: tuple[Path, ...] = (),
    user: Answering | None = None,
) -> Dispatched:
    """Make the call in a workspace, the user answering every question alike if not given."""
    user = user or Answering(yes=yes)
    workspace = Workspace(root, extra)
    context = ToolContext(
        workspace=workspace, processes=Processes({"PATH": "/usr/bin:/bin"}), ask=_nobody,
        progress=print,
    )  # fmt: skip
    hooks = Hooks({}, context.processes, root)
    toolbox = Toolbox(
        built_in(), policy, customs(()), workspace, lambda _: context, hooks, context.processes
    )
    session = Session(Ephemeral(), user.emit)
    name, arguments = call
    message = AssistantMessage(
        (ToolCall("call_1", name, msgspec.json.encode(arguments).decode()),), StopReason.CALLS
    )
    for entry in (
        SessionStarted(1, "s", str(root), "test/model", Protocol.NATIVE),
        TaskStarted("code"),
        UserSaid("go"),
        AssistantSaid(message),
    ):
        session.append(entry)
    step = next_step(session.state, Rules())
    assert isinstance(step, Dispatch)
    asyncio.run(_dispatch(Dispatcher(session, toolbox, user), step))
    result = session.state.task.messages[-1]
    assert isinstance(result, ToolResult)
    return Dispatched(result, bool(user.requests), repr([user.events[4:], user.requests]))


async def _nobody(question: str, suggestions: tuple[str, ...]) -> str:
    raise AssertionError(f"no file tool asks {question!r} {suggestions!r}")
