"""Listens to a session while it is at work, counts, and passes facts on."""

from collections.abc import Callable

from agent_cli.telemetry.counters import Counters, count
from agent_cli.telemetry.facts import Fact, Vocabulary, moment
from agent_cli.telemetry.reader import Reader, ended, opened, read
from agent_cli.types.events import Appended, Event, SessionOpened


class Listener:
    """Hears every event of one session; keeps counters and nothing that was said."""

    def __init__(self, vocabulary: Vocabulary, tell: Callable[[Fact], None]) -> None:
        self._reader = Reader(vocabulary)
        self._tell = tell
        self.counters = Counters()

    def hear(self, event: Event) -> None:
        """Take note. Never blocks, never raises."""
        match event:
            case Appended(at=at, entry=entry):
                self._reader, facts = read(self._reader, moment(at), entry)
                self._pass(facts)
            case SessionOpened():
                self._reader = opened(self._reader, event)
            case _:
                pass

    def close(self) -> None:
        """Take what is still at work for ended."""
        self._pass(ended(self._reader))

    def _pass(self, facts: tuple[Fact, ...]) -> None:
        self.counters = count(self.counters, facts)
        for fact in facts:
            self._tell(fact)
