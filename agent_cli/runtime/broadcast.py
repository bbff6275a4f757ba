"""One frontend, and others who hear what it hears, after it, and cannot answer."""

from collections.abc import Callable

from agent_cli.runtime.frontend import Frontend
from agent_cli.types.events import Event


class Broadcast:
    """The frontend itself, for whoever asks it something; a listener neither blocks nor raises."""

    def __init__(self, frontend: Frontend, *listeners: Callable[[Event], None]) -> None:
        self._frontend = frontend
        self._listeners = listeners
        self.approve = frontend.approve
        self.ask = frontend.ask
        self.feedback = frontend.feedback

    def emit(self, event: Event) -> None:
        self._frontend.emit(event)
        for hear in self._listeners:
            hear(event)
