"""The agent: asks the engine what is next, does it, until the user has the floor."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.context.customs import Customs
from agent_cli.context.request import RequestBuilder
from agent_cli.engine.steps import (
    Awaiting,
    AwaitUser,
    CallModel,
    Dispatch,
    Finish,
    NudgeModel,
    Rules,
    Settle,
    StopForBudget,
    next_step,
)
from agent_cli.engine.task import State
from agent_cli.providers.base import Provider
from agent_cli.runtime.dispatch import Dispatcher
from agent_cli.runtime.interruption import interrupt, settle
from agent_cli.runtime.mentions import Along
from agent_cli.runtime.redaction import harmless
from agent_cli.runtime.session import Session
from agent_cli.types.entries import (
    AssistantSaid,
    BudgetStopped,
    Interrupted,
    ModeSwitched,
    Nudged,
    TaskFinished,
    UserSaid,
)
from agent_cli.types.errors import ProviderError
from agent_cli.types.events import Event
from agent_cli.types.messages import AssistantMessage, Image
from agent_cli.types.outcomes import Stop
from agent_cli.types.redaction import Redactor
from agent_cli.types.requests import ModelRequest, Protocol
from agent_cli.types.usage import Usage
from agent_cli.wire.accumulate import Accumulator


class Asking(Struct, frozen=True):
    """How the model is asked; built once by assemble."""

    provider: Provider
    builder: RequestBuilder
    customs: Customs
    """Modes, and what the user can type after a slash."""
    request: Callable[[State, RequestBuilder], ModelRequest]
    along: Callable[[str], Awaitable[Along]]
    """Looks up what the user's words mention; never raises."""
    environment: Callable[[State], str]
    """Makes the details that go along with what the user says."""
    redactor: Redactor
    """Takes secrets out of what a provider says when it refuses."""
    ready: Callable[[State], Awaitable[None]]
    """Called before each request, for what a session does not wait for until then."""
    price: Callable[[Usage], Usage]
    """Fills in what the provider did not say of the cost."""


class Agent:
    """One session at work. Not to be entered twice at a time."""

    def __init__(
        self,
        session: Session,
        asking: Asking,
        dispatcher: Dispatcher,
        rules: Rules,
        emit: Callable[[Event], None],
    ) -> None:
        self.session = session
        self._asking = asking
        self._dispatcher = dispatcher
        self._rules = rules
        self._emit = emit
        self._partial = ""

    @property
    def customs(self) -> Customs:
        return self._asking.customs

    async def submit(
        self, text: str, images: tuple[Image, ...] = (), *, typed: str | None = None
    ) -> Awaiting:
        """Say something to the model and work until the user has the floor.

        `typed` is the part of the text that the user wrote themselves, if not all of it: only
        there do mentions and commands count. The text is recorded as it is.

        Raises ProviderError when the model cannot be asked, HookError when a hook forbids it.
        Whatever is raised, cancellation included, every call has its result before.
        """
        await self._dispatcher.hooked.submit(text)
        along = await self._asking.along(text if typed is None else typed)
        if along.mode not in ("", self.session.state.task.mode):
            self.session.append(ModeSwitched(along.mode))
        environment = self._asking.environment(self.session.state)
        below = "\n\n".join(filter(None, (along.text, environment)))
        self.session.append(UserSaid(text, (*images, *along.images), below))
        return await self.work()

    async def work(self) -> Awaiting:
        """Go on from where the session is; see `submit`."""
        try:
            return await self._work()
        except BaseException as error:
            by_user = isinstance(error, asyncio.CancelledError | KeyboardInterrupt)
            self.interrupt(Stop.USER if by_user else Stop.ERROR, str(error))
            raise

    def interrupt(self, reason: Stop, detail: str = "") -> None:
        """Record that work stopped and answer every open call truthfully."""
        interrupt(self.session, self._rules, Interrupted(reason, detail, self._partial))
        self._partial = ""

    async def close(self) -> None:
        """End what still runs, and let go of the connection and the session file."""
        try:
            await self._dispatcher.hooked.end()
            await self._dispatcher.close()
            await self._asking.provider.close()
        finally:
            self.session.close()

    def recover(self) -> bool:
        """Settle what a killed process left open; return whether there was anything."""
        step = next_step(self.session.state, self._rules)
        if isinstance(step, AwaitUser):
            return False
        self.interrupt(Stop.KILLED)
        return True

    async def _work(self) -> Awaiting:
        while True:
            match next_step(self.session.state, self._current_rules()):
                case CallModel():
                    await self._dispatcher.hooked.settled(going_on=True)
                    await self._call_model()
                case Dispatch() as step:
                    await self._dispatcher.dispatch(step)
                case Settle() as step:
                    settle(self.session, step)
                case NudgeModel(code):
                    self.session.append(Nudged(code))
                case Finish(result):
                    self.session.append(TaskFinished(result))
                case StopForBudget(limit):
                    self.session.append(BudgetStopped(limit))
                case AwaitUser(reason):
                    await self._dispatcher.hooked.settled(going_on=False)
                    self.session.sync()
                    return reason

    def _current_rules(self) -> Rules:
        state = self.session.state
        xml = state.session is not None and state.session.protocol is Protocol.XML
        single = xml or not state.parallel
        return replace(self._rules, calls_per_message=1) if single else self._rules

    async def _call_model(self) -> None:
        self.session.sync()
        state = self.session.state
        await self._asking.ready(state)
        message = await self._stream(self._asking.request(state, self._asking.builder), state)
        usage = self._asking.price(message.usage)
        self.session.append(AssistantSaid(replace(message, usage=usage)))
        self.session.sync()

    async def _stream(self, request: ModelRequest, state: State) -> AssistantMessage:
        accumulator = Accumulator(state.ids)
        try:
            async with aclosing(self._asking.provider.stream(request)) as deltas:
                async for delta in deltas:
                    accumulator.add(delta)
                    self._emit(delta)
            message = accumulator.message()
        except ProviderError as error:
            raise harmless(error, self._asking.redactor) from None
        finally:
            self._partial = accumulator.text
        self._partial = ""
        return message
