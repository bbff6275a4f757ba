"""The time of a call is that of its work: a person may take theirs."""

import asyncio
from collections.abc import Sequence

import pytest

from agent_cli.runtime import stopwatch
from agent_cli.runtime.stopwatch import Clocked, Stopwatch
from agent_cli.types.approval import Request, Verdict
from agent_cli.types.events import Event, Notice


class Clock:
    """Moves only when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


class Slow:
    """A person who takes ten seconds for everything."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.heard: list[Event] = []

    def emit(self, event: Event) -> None:
        self.heard.append(event)

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        self.clock.now += 10
        return [Verdict(approved=True)]

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        self.clock.now += 10
        return "yes"

    async def feedback(self) -> str | None:
        self.clock.now += 10
        return ""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(stopwatch, "time", made)
    return made


def test_waiting_for_a_person_does_not_count(clock: Clock):
    watch = Stopwatch()
    person = Slow(clock)
    frontend = Clocked(person, watch)
    watch.start()
    clock.now += 2
    assert asyncio.run(_every_question(frontend)) == ([Verdict(approved=True)], "yes", "")
    clock.now += 0.5
    assert watch.stop() == 2.5
    frontend.emit(Notice("n"))
    assert person.heard == [Notice("n")]


async def _every_question(frontend: Clocked) -> tuple[Sequence[Verdict], str | None, str | None]:
    return await frontend.approve([]), await frontend.ask("?"), await frontend.feedback()


def test_a_call_that_never_ran_took_no_time(clock: Clock):
    watch = Stopwatch()
    clock.now += 5
    assert watch.stop() == 0
    watch.start()
    clock.now += 1
    assert (watch.stop(), watch.stop()) == (1, 0)


def test_a_question_that_is_left_does_not_count_either(clock: Clock):
    watch = Stopwatch()

    async def left() -> None:
        clock.now += 7
        raise asyncio.CancelledError

    watch.start()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(watch.without(left()))
    assert watch.stop() == 0
