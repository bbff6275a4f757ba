"""The agent: asks the engine what is next, does it, until the user has the floor."""

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from agent_cli.engine.ahead import one_at_a_time
from agent_cli.engine.steps import (
    Awaiting,
    AwaitUser,
    CallModel,
    DeliverInput,
    Dispatch,
    RollBack,
    Rules,
    next_step,
)
from agent_cli.runtime.asking import Asking, Model
from agent_cli.runtime.compaction import Compaction
from agent_cli.runtime.dispatch import Dispatcher
from agent_cli.runtime.facts import fact
from agent_cli.runtime.interruption import interrupt, recover
from agent_cli.runtime.keeping import Keeping
from agent_cli.runtime.saying import Saying
from agent_cli.runtime.session import Session
from agent_cli.runtime.subtasks import cancelled, delegated
from agent_cli.types.approval import ApprovalMode
from agent_cli.types.entries import ApprovalSwitched, Interrupted
from agent_cli.types.events import Event
from agent_cli.types.messages import Image
from agent_cli.types.outcomes import Stop
from agent_cli.types.queued_input import InputQueued


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
        self.toolbox = dispatcher.toolbox
        self.customs = asking.customs
        self.models = asking.models
        self.instructions = asking.instructions
        self.budget = rules.budget
        self._model = Model(asking, emit)
        self._saying = Saying(session, asking, dispatcher.hooked, emit)
        self.compaction = Compaction(session, asking, self._model, emit)
        self._partial = ""

    @property
    def keeping(self) -> Keeping:
        """What was kept of the files that the session changed."""
        return self._dispatcher.keeping

    async def submit(
        self, text: str, images: tuple[Image, ...] = (), *, typed: str | None = None
    ) -> Awaiting:
        """Say something to the model and work until the user has the floor.

        `typed` is the part of the text that the user wrote themselves, if not all of it: only
        there do mentions and commands count. The text is recorded as it is.

        Raises ProviderError when the model cannot be asked, HookError when a hook forbids it.
        Whatever is raised, cancellation included, every call has its result before.
        """
        await self._saying.deliver_all()  # it was said before
        await self._saying.say(text, images, text if typed is None else typed)
        return await self.work()

    def set_approval(self, mode: ApprovalMode) -> None:
        """Decide how much goes without a question from the next call on."""
        if mode is not self.session.state.approval:
            self.session.append(ApprovalSwitched(mode))

    def cycle_approval(self) -> ApprovalMode:
        """Go on to the next approval mode, and return it."""
        self.set_approval(self.session.state.approval.following)
        return self.session.state.approval

    def queue(self, text: str) -> None:
        """Take down what the user says while work goes on; the model gets it between turns."""
        self.session.append(InputQueued(text))

    async def cancel_subtask(self) -> Awaiting:
        """Give up the running subtask, and go on with the task that waits for it; see `submit`.

        Raises InvalidTransitionError when no subtask runs, or it is at work.
        """
        self.session.append(cancelled(self.session.state))
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
            await self._asking.models.close()
        finally:
            self.session.close()

    def recover(self) -> bool:
        """Settle what a killed process left open; return whether there was anything."""
        return recover(self.session, self._rules, self.keeping.recover)

    async def _work(self) -> Awaiting:
        while True:
            match next_step(self.session.state, self._current_rules()):
                case CallModel():
                    await self._dispatcher.hooked.settled(going_on=True)
                    await self._call_model()
                case Dispatch() as step:
                    await self._dispatch(step)
                case RollBack():
                    self._dispatcher.keeping.roll_back()
                case DeliverInput(text):
                    await self._saying.deliver(text)
                case AwaitUser(reason):
                    await self._dispatcher.hooked.settled(going_on=False)
                    self.session.sync()
                    return reason
                case step:
                    self.session.append(fact(step, self.session.state))

    async def _dispatch(self, step: Dispatch) -> None:
        start = await self._dispatcher.dispatch(step)
        if start is not None:
            environment = self._asking.environment
            task = delegated(step.call.id, start, self.session.state, environment)
            self.session.append(task)
            self.session.sync()

    def _current_rules(self) -> Rules:
        single = one_at_a_time(self.session.state)
        return replace(self._rules, calls_per_message=1) if single else self._rules

    async def _call_model(self) -> None:
        self.session.sync()
        await self._asking.ready(self.session.state)
        await self.compaction.if_full()
        if not isinstance(next_step(self.session.state, self._current_rules()), CallModel):
            return  # a summary used up what was left
        try:
            said = await self.compaction.answer()
        finally:
            self._partial = self._model.cut_off
        self.session.append(said)
        self.session.sync()
