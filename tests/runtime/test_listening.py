"""Who listens along changes nothing for the frontend, and is there only when asked for."""

import sys
from collections.abc import Sequence

import pytest

from agent_cli.providers.rows import ROWS
from agent_cli.runtime.broadcast import Broadcast
from agent_cli.runtime.listening import listened, vocabulary
from agent_cli.settings.schema import Settings, TelemetrySettings
from agent_cli.telemetry.facts import Model
from agent_cli.types.approval import Request, Verdict
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.events import Event, Notice, TextDelta

ON = Settings(telemetry=TelemetrySettings(otel=True))


class Hearing:
    def __init__(self) -> None:
        self.heard: list[Event] = []

    def emit(self, event: Event) -> None:
        self.heard.append(event)

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        return []

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        return question

    async def feedback(self) -> str | None:
        return ""


@pytest.mark.invariant("S2")
def test_without_telemetry_the_frontend_itself_is_used():
    frontend = Hearing()
    assert listened(Settings(), frontend) == (frontend, ())


def test_a_listener_hears_the_very_same_after_the_frontend():
    frontend, order = Hearing(), list[object]()
    both = Broadcast(frontend, lambda event: order.append((event, len(frontend.heard))))
    events = [TextDelta("a"), Notice("b")]
    for event in events:
        both.emit(event)
    assert frontend.heard == events
    assert order == [(events[0], 1), (events[1], 2)]


def test_questions_go_to_the_frontend():
    frontend = Hearing()
    both = Broadcast(frontend)
    assert (both.approve, both.ask, both.feedback) == (
        frontend.approve,
        frontend.ask,
        frontend.feedback,
    )


def test_telemetry_without_its_packages_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "agent_cli.telemetry.otel", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.metrics", None)
    with pytest.raises(ConfigurationError, match=r"install agent-cli\[otel\]"):
        listened(ON, Hearing())


def test_the_names_that_may_be_told_are_public_ones():
    told = vocabulary()
    assert set(told.models) == {*ROWS, "replay"}
    assert told.model("openai-chat/gpt-5") == Model("openai-chat", "gpt-5")
    assert told.model("anthropic/claude-opus-4-5-20251101").name == "claude-opus-4-5"
    assert {"read_file", "attempt_completion"} <= told.tools
