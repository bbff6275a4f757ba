"""All calls of one message, as a session runs them, with a user who answers whole cards."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from agent_cli.approval.policy import Policy
from agent_cli.context.customs import customs
from agent_cli.engine.ahead import one_at_a_time
from agent_cli.engine.steps import CallModel, Dispatch, Finish, Rules, Settle, next_step
from agent_cli.hooks.runner import Hooks
from agent_cli.processes.run import Processes
from agent_cli.runtime.dispatch import Dispatcher
from agent_cli.runtime.facts import fact
from agent_cli.runtime.prepare import Toolbox
from agent_cli.runtime.session import Session
from agent_cli.sessions.journal import Ephemeral
from agent_cli.settings.schema import Hook, HookEvent
from agent_cli.tools.base import Services, ToolContext
from agent_cli.tools.registry import built_in
from agent_cli.types.approval import Request, Verdict
from agent_cli.types.entries import AssistantSaid, Entry, SessionStarted, TaskStarted, UserSaid
from agent_cli.types.events import Appended, Event
from agent_cli.types.messages import AssistantMessage, StopReason, ToolCall, ToolResult
from agent_cli.types.requests import Protocol
from agent_cli.workspace.gate import Workspace

YES = Verdict(approved=True)
NO = Verdict(approved=False)
Called = tuple[str, Mapping[str, object]]


class Cards:
    """Answers the first card with the first verdicts, and so on; then with a yes to everything."""

    def __init__(self, *answers: Sequence[Verdict], asked: Callable[[], None] | None = None):
        self._answers = list(answers)
        self._asked = asked
        self.cards: list[tuple[Request, ...]] = []
        self.entries: list[Entry] = []
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, Appended):
            self.entries.append(event.entry)

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        self.cards.append(tuple(requests))
        if self._asked is not None:
            self._asked()
        given = self._answers.pop(0) if self._answers else [YES] * len(requests)
        assert len(given) == len(requests)
        return given

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        return None

    async def feedback(self) -> str | None:
        return None

    @property
    def asked(self) -> list[list[str]]:
        """Ids of the calls on each card."""
        return [[request.call_id for request in card] for card in self.cards]


class Setting(Struct, frozen=True):
    """In what the message is said."""

    root: Path
    policy: Policy = Policy()
    protocol: Protocol = Protocol.NATIVE
    mode: str = "code"
    before: tuple[Entry, ...] = ()
    hooks: Mapping[HookEvent, tuple[Hook, ...]] = {}
    keep_rule: Callable[[str], None] | None = None


def run_message(setting: Setting, calls: Sequence[Called], user: Cards) -> list[ToolResult]:
    """Return the results of the calls, `call_1` and so on."""
    workspace = Workspace(setting.root)
    processes = Processes({"PATH": "/usr/bin:/bin"})
    context = ToolContext(
        workspace=workspace,
        processes=processes,
        ask=user.ask,
        progress=print,
        services=Services(modes=("ask", "code")),
    )  # type: ignore[arg-type]
    hooks = Hooks(dict(setting.hooks), processes, setting.root)
    toolbox = Toolbox(
        built_in(), setting.policy, customs(()), workspace, lambda _: context, hooks, processes,
        keep_rule=setting.keep_rule,
    )  # fmt: skip
    session = Session(Ephemeral(), user.emit)
    message = AssistantMessage(
        tuple(
            ToolCall(f"call_{number}", name, msgspec.json.encode(arguments).decode())
            for number, (name, arguments) in enumerate(calls, 1)
        ),
        StopReason.CALLS,
    )
    for entry in (
        SessionStarted(1, "s", str(setting.root), "test/model", setting.protocol),
        TaskStarted(setting.mode),
        UserSaid("go"),
        *setting.before,
        AssistantSaid(message),
    ):
        session.append(entry)
    asyncio.run(_work(session, Dispatcher(session, toolbox, user)))
    return [one for one in session.state.task.messages if isinstance(one, ToolResult)]


async def _work(session: Session, dispatcher: Dispatcher) -> None:
    rules = Rules(calls_per_message=1) if one_at_a_time(session.state) else Rules()
    try:
        while True:
            match next_step(session.state, rules):
                case Dispatch() as step:
                    await dispatcher.dispatch(step)
                case Settle() as step:
                    session.append(fact(step, session.state))
                case CallModel() | Finish():
                    return
                case other:
                    raise AssertionError(other)
    finally:
        await dispatcher.close()


def commented(verdict: Verdict, text: str) -> Verdict:
    return replace(verdict, feedback=text)
