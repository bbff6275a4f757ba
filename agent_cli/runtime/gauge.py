"""How many tokens requests have, as the provider of this session counts them."""

from collections.abc import Callable

from msgspec.structs import replace

from agent_cli.context.tokens import Calibration, Sizes, sizes
from agent_cli.engine.task import State, Task
from agent_cli.types.messages import AssistantMessage
from agent_cli.types.requests import ModelRequest, Protocol
from agent_cli.types.usage import Usage
from agent_cli.wire.growing import Growing


class Gauge:
    """Measures requests, and learns from every answer how far it is off."""

    def __init__(self, protocol: Protocol) -> None:
        self._xml = protocol is Protocol.XML
        self._calibration = Calibration()
        self._known = Growing()

    @property
    def observed(self) -> bool:
        """Whether a provider has said how it counts."""
        return self._calibration.observed

    def learn(self, request: ModelRequest, usage: Usage) -> None:
        """Take account of what the provider counted for the request."""
        self._calibration = self._calibration.after(self._sizes(request).whole, usage)

    def recall(self, state: State, request: Callable[[State], ModelRequest]) -> None:
        """Learn from the last answer of a session that is gone on with, once."""
        if self._calibration.observed or state.task.compacted:
            return
        messages = state.task.messages
        for at in range(len(messages) - 1, 0, -1):
            message = messages[at]
            if isinstance(message, AssistantMessage):
                asked = replace(state.task, messages=messages[:at])
                self.learn(request(with_task(state, asked)), message.usage)
                return

    def tokens(self, request: ModelRequest) -> int:
        return self._calibration.tokens(self._sizes(request).whole)

    def parts(self, request: ModelRequest) -> Sizes:
        """Return the tokens of each part."""
        found = self._sizes(request)
        count = self._calibration.tokens
        return Sizes(
            count(found.system), count(found.tools), count(found.said), count(found.results)
        )

    def of_size(self, size: int) -> int:
        return self._calibration.tokens(size)

    def _sizes(self, request: ModelRequest) -> Sizes:
        # the system prompt describes the tools, which are kept off the wire
        return sizes(replace(request, tools=()) if self._xml else request, self._known)


def with_task(state: State, task: Task) -> State:
    """Return the state with this task in the place of the one that runs."""
    return replace(state, tasks=(*state.tasks[:-1], task))
