"""How the model is asked: the request is made from the state, the answer streamed and priced."""

import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from msgspec import Struct
from msgspec.structs import replace

from agent_cli.context.customs import Customs
from agent_cli.context.request import RequestBuilder
from agent_cli.context.rules_files import RulesFile
from agent_cli.context.tokens import estimate, message_size, size
from agent_cli.engine.budget import Budget, used_up
from agent_cli.engine.steps import order_refused
from agent_cli.engine.task import State
from agent_cli.i18n.catalog import say
from agent_cli.runtime.breath import Breath
from agent_cli.runtime.gauge import Gauge
from agent_cli.runtime.mentions import Along
from agent_cli.runtime.models import Models
from agent_cli.runtime.redaction import harmless
from agent_cli.runtime.session import Session
from agent_cli.types.entries import AssistantSaid, AttemptLost, Nudged
from agent_cli.types.errors import Fault, ProviderError
from agent_cli.types.events import Delta, Event, Retrying
from agent_cli.types.messages import AssistantMessage
from agent_cli.types.redaction import Redactor
from agent_cli.types.requests import ModelRequest, Protocol
from agent_cli.types.usage import Usage
from agent_cli.wire.accumulate import Accumulator


class Asking(Struct, frozen=True):
    """How the model is asked; built once by assemble."""

    models: Models
    builder: RequestBuilder
    customs: Customs
    """Modes, and what the user can type after a slash."""
    request: Callable[[State, RequestBuilder], ModelRequest]
    along: Callable[[str], Awaitable[Along]]
    """Looks up what the user's words mention; never raises."""
    instructions: Callable[[State], tuple[RulesFile, ...]]
    """The files with instructions that the model is given."""
    environment: Callable[[State], str]
    """Makes the details that go along with what the user says."""
    redactor: Redactor
    """Takes secrets out of what a provider says when it refuses."""
    protocol: Protocol
    ready: Callable[[State], Awaitable[None]]
    """Called before each request, for what a session does not wait for until then."""
    budget: Budget
    """What may be used up."""


class Model:
    """Asks the model of one session, one request at a time."""

    def __init__(self, asking: Asking, emit: Callable[[Event], None]) -> None:
        self._asking = asking
        self._emit = emit
        self.protocol = asking.protocol
        self.cut_off = ""
        """The text of an answer that did not come to its end."""

    @property
    def gauge(self) -> Gauge:
        return self._asking.models.current.gauge

    def request(self, state: State) -> ModelRequest:
        """Return what the model would be asked in this state."""
        return self._asking.request(state, self._asking.builder)

    async def answer(self, session: Session) -> AssistantSaid | Nudged:
        """Return what the model says next, or what it is told of calls in a refused order.

        Raises ProviderError. An answer that broke off on the way is recorded as lost, whoever
        broke it off.
        """
        began = time.monotonic()
        request = self.request(session.state)
        try:
            message, retries = await self._ask(session, request, self._emit)
        except ProviderError as error:
            task = session.state.task
            told = order_refused(task, str(error)) if error.fault is Fault.CALL_ORDER else None
            if told is None:
                raise
            self._emit(Retrying(task.nudges + 2, 0.0, str(error)))
            self.cut_off = ""
            return told
        return AssistantSaid(message, round(time.monotonic() - began, 3), retries)

    async def aside(self, session: Session, request: ModelRequest) -> AssistantMessage:
        """Return the answer to what is no part of the conversation; it is not shown."""
        try:
            answer, _ = await self._ask(session, request, self._waiting)
        finally:
            self.cut_off = ""
        return answer

    async def _ask(
        self, session: Session, request: ModelRequest, emit: Callable[[Delta], None]
    ) -> tuple[AssistantMessage, int]:
        """Return the answer, and how often it had to be asked for again."""
        self._refuse_beyond_budget(session.state, 0)
        began, breath = time.monotonic(), Breath()
        accumulator, retries, lost = Accumulator(session.state.ids), 0, True
        try:
            async with aclosing(self._asking.models.current.provider.stream(request)) as deltas:
                async for delta in deltas:
                    again = isinstance(delta, Retrying) and delta.left is None
                    if again and accumulator.begun:
                        session.append(AttemptLost(self._lost(request, accumulator)))
                    accumulator.add(delta)
                    emit(delta)
                    await breath.take()
                    if again:
                        retries += 1
                        self._refuse_beyond_budget(session.state, time.monotonic() - began)
            message = accumulator.message()
            lost = False
        except ProviderError as error:
            raise harmless(error, self._asking.redactor) from None
        finally:
            if lost and accumulator.begun:
                seconds = round(time.monotonic() - began, 3)
                session.append(AttemptLost(self._lost(request, accumulator), seconds))
            self.cut_off = accumulator.text if lost else ""
        self.gauge.learn(request, message.usage)
        return replace(
            message, usage=self._asking.models.current.priced(_counted(message, request))
        ), retries

    def _waiting(self, delta: Delta) -> None:
        if isinstance(delta, Retrying):
            self._emit(delta)

    def _refuse_beyond_budget(self, state: State, seconds: float) -> None:
        """Raise ProviderError if nothing of the session's budget is left for asking once more."""
        used = replace(state.used, seconds=state.used.seconds + seconds)
        found = used_up(replace(state, used=used), self._asking.budget)
        if found is not None and not found.of_subtask:
            message = say("nothing is left for asking the model again; see /budget")
            raise ProviderError(message, Fault.BUDGET)

    def _lost(self, request: ModelRequest, accumulator: Accumulator) -> Usage:
        """Estimate what an answer used that broke off, and may be billed all the same."""
        written = estimate(accumulator.size)
        return self._asking.models.current.priced(
            Usage(estimate(size(request)), written, estimated=True)
        )


def _counted(message: AssistantMessage, request: ModelRequest) -> Usage:
    """Return what the message used, estimated where the provider did not say it."""
    usage = message.usage
    if usage.input_tokens:
        return usage
    written = usage.output_tokens or estimate(message_size(message))
    read = estimate(size(request))
    return replace(usage, input_tokens=read, output_tokens=written, estimated=True)
