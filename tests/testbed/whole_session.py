"""One call in a whole session, in either protocol, with the product assembled in this process.

Natively the call and an attempt_completion are one message; in XML, which has one call a message,
the completion comes in the next. After that the model completes alone. The user says yes to all.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from testbed.exchange import Exchange
from testbed.loopback import Loopback
from testbed.replies import Call, Reply, Say
from testbed.run_agent import environment
from testbed.scenario import Scenario, filled, places, workspace
from testbed.server import ModelServer

from agent_cli.runtime.assemble import assemble
from agent_cli.runtime.toolbox import Options
from agent_cli.settings.schema import Settings
from agent_cli.types.approval import Request, Verdict
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.entries import CallDecided, CallStarted
from agent_cli.types.events import Appended, Event
from agent_cli.types.messages import ToolCall, ToolResult
from agent_cli.wire.xml_tools.render import call as in_xml

MODEL = "anthropic/test-model"
DONE = Call("attempt_completion", {"result": "All done."})
ALLOWED = {"read": "allow", "write": "allow", "execute": "allow", "network": "allow"}
ASKED = {"read": "ask", "write": "ask", "execute": "ask", "network": "ask"}


class User:
    """Says yes to every question but whether to go on in circles; knows no answer."""

    def __init__(self, scenario: Scenario, root: Path) -> None:
        self._scenario = scenario
        self._root = root
        self.effects: list[Effect] = []
        """Of all calls that were decided about."""

    def emit(self, event: Event) -> None:
        if not isinstance(event, Appended):
            return
        if isinstance(event.entry, CallDecided):
            self.effects += event.entry.effects
        if isinstance(event.entry, CallStarted):
            self._scenario.on_start(self._root)

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        self._scenario.on_ask(self._root)
        said, yes = self._scenario.comment, not self._scenario.declines
        return [Verdict(yes and one.effects[0].kind is not Kind.ASK, said) for one in requests]

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        return None

    async def feedback(self) -> str | None:
        return None


@dataclass(frozen=True)
class Played:
    results: list[ToolResult]
    """Of every call of the session, in order."""
    effects: list[Effect]
    requests: list[dict[str, Any]]


def play(
    tool: str, scenario: Scenario, tmp_path: Path, patching: pytest.MonkeyPatch, *, xml: bool
) -> Played:
    """Return what became of the calls, and what the model was sent."""
    root = workspace(tmp_path)
    scenario.prepare(root)
    scenario.patch(patching)
    said = filled(scenario.environ, places(tmp_path, ""))
    for name, value in said.items():
        patching.setenv(name, value)
    script: list[Reply] = []

    def reply(exchange: Exchange) -> Reply:
        done = [_said(DONE) if xml else _alone(DONE)]
        return (script[exchange.number : exchange.number + 1] or done)[0]

    user = User(scenario, root)
    with ModelServer(reply) as server:

        async def whole() -> list[ToolResult]:
            async with Loopback(*scenario.answers) as web:
                known = places(tmp_path, web.url)
                script.extend(_script(tool, scenario, known, xml=xml))
                environ = environment(tmp_path / "home", server, said)
                settings = _settings(filled(scenario.settings, known), scenario, xml=xml)
                options = _options(root, environ, scenario)
                return await _work(settings, options, user, gives_up=scenario.gives_up)

        results = asyncio.run(whole())
    assert server.violations == []
    return Played(results, user.effects, [exchange.body for exchange in server.requests])


def _settings(said: dict[str, Any], scenario: Scenario, *, xml: bool) -> Settings:
    """With XML everything is asked about, so that what is shown is made too."""
    approval = ASKED if scenario.asks or xml else ALLOWED
    known = {
        "protocol": "xml" if xml else "native",
        "mode": scenario.mode,
        "approval": {**approval, "mcp": approval["network"]},
        "models": {MODEL: {"vision": True}},
    }
    return msgspec.convert({**known, **said}, Settings)


def _options(root: Path, environ: Mapping[str, str], scenario: Scenario) -> Options:
    return Options(
        root,
        environ,
        MODEL,
        ephemeral=True,
        spills=False,
        interactive=scenario.gives_up,
        brought=scenario.brought,
    )


async def _work(
    settings: Settings, options: Options, user: User, *, gives_up: bool
) -> list[ToolResult]:
    agent = assemble(settings, options, user)
    try:
        await agent.submit("Do it.")
        if gives_up:
            await agent.cancel_subtask()
        messages = agent.session.state.task.messages
        return [message for message in messages if isinstance(message, ToolResult)]
    finally:
        await agent.close()


def _script(tool: str, scenario: Scenario, known: Mapping[str, str], *, xml: bool) -> list[Reply]:
    args = scenario.args if isinstance(scenario.args, str) else filled(scenario.args, known)
    call = Call(scenario.name or tool, args)
    alone = _said if xml else _alone
    before = [alone(Call(one.name, filled(one.args, known))) for one in scenario.before]
    if xml:
        text = in_xml(_made(call)) if scenario.xml is None else scenario.xml
        last = Say(text, stop=scenario.stop)
    else:
        calls = [call] if scenario.stop else [*scenario.together, call, DONE]
        last = Say(calls=calls, stop=scenario.stop)
    return [*before, last, *scenario.then, *map(alone, scenario.later)]


def _alone(call: Call) -> Say:
    return Say(calls=[call])


def _said(call: Call) -> Say:
    return Say(in_xml(_made(call)))


def _made(call: Call) -> ToolCall:
    return ToolCall("x", call.name, call.arguments)
