"""A session whose model says what a script says, without a wire between."""

from collections.abc import AsyncGenerator, Callable, Iterable

from testbed.conversations import Requests

from agent_cli.context.customs import customs
from agent_cli.context.tokens import Window
from agent_cli.engine.budget import Budget
from agent_cli.engine.task import State
from agent_cli.providers.base import Endpoint
from agent_cli.providers.known import ModelInfo
from agent_cli.providers.registry import ResolvedModel
from agent_cli.runtime.asking import Asking, Model
from agent_cli.runtime.compaction import Compaction
from agent_cli.runtime.gauge import Gauge
from agent_cli.runtime.mentions import Along
from agent_cli.runtime.models import Chosen, Models
from agent_cli.runtime.session import Session
from agent_cli.sessions.journal import Ephemeral
from agent_cli.types.entries import Entry
from agent_cli.types.errors import ProviderError
from agent_cli.types.events import Appended, Delta, Event, MessageEnd, TextDelta
from agent_cli.types.messages import StopReason
from agent_cli.types.redaction import Redactor
from agent_cli.types.requests import ModelRequest, Protocol
from agent_cli.types.usage import Usage


class Scripted:
    """A provider; `answer` says a text, or raises, for each request."""

    def __init__(self, answer: Callable[[ModelRequest], str | ProviderError]) -> None:
        self._answer = answer
        self.requests: list[ModelRequest] = []
        self.stop_reason = StopReason.END
        self.usage = Usage()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        self.requests.append(request)
        answer = self._answer(request)
        if isinstance(answer, ProviderError):
            raise answer
        yield TextDelta(answer)
        yield MessageEnd(self.stop_reason, self.usage)

    async def close(self) -> None:
        pass


class Conversation:
    """A session after these entries, and what compacts it."""

    def __init__(
        self, entries: Iterable[Entry], provider: Scripted, window: Window | None = None
    ) -> None:
        self.events: list[Event] = []
        self.session = Session(Ephemeral(), self.events.append)
        requests = Requests("openai_chat", Protocol.NATIVE)
        resolved = ResolvedModel("test", "model", "", Endpoint(""), ModelInfo())
        chosen = Chosen(resolved, provider, window or Window(), Gauge(Protocol.NATIVE))
        self.asking = Asking(
            models=Models(self.session, {}, lambda _: chosen),
            builder=requests.builder,
            customs=customs(()),
            request=lambda state, _: requests.request(state.task.messages),
            along=_nothing,
            instructions=lambda _: (),
            environment=lambda _: "",
            redactor=Redactor(),
            protocol=Protocol.NATIVE,
            ready=_at_once,
            budget=Budget(),
        )
        model = Model(self.asking, self.events.append)
        self.compaction = Compaction(self.session, self.asking, model, self.events.append)
        self.model = model
        for entry in entries:
            self.session.append(entry)

    @property
    def entries(self) -> list[Entry]:
        return [event.entry for event in self.events if isinstance(event, Appended)]

    def texts(self) -> str:
        """Everything that the model would read."""
        request = self.model.request(self.session.state)
        return "\n".join(getattr(message, "text", "") for message in request.messages)


async def _nothing(text: str) -> Along:
    return Along("")


async def _at_once(state: State) -> None:
    pass
