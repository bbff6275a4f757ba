"""I8: what a session had recorded when it asked the model makes the very bytes it asked with.

A session with everything in it runs against a server that, with every request, keeps what the
session file holds at that moment. Afterwards each request is made again from those bytes alone.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import NamedTuple

import pytest
from testbed.exchange import Exchange
from testbed.loaded import entries, load
from testbed.replies import Call, Delivery, Reply, Say, Status
from testbed.run_agent import environment
from testbed.server import ModelServer

from agent_cli.context.request import RequestBuilder
from agent_cli.engine.state import fold
from agent_cli.frontends.headless.nobody import NobodyThere
from agent_cli.runtime.agent import Agent
from agent_cli.runtime.assemble import assemble
from agent_cli.runtime.toolbox import Options
from agent_cli.settings.schema import RetrySettings, Settings
from agent_cli.types.entries import (
    CallStarted,
    HistoryCompacted,
    ParallelSwitched,
    Rewound,
)
from agent_cli.types.events import Appended, Event
from agent_cli.types.messages import ToolCall
from agent_cli.types.requests import Protocol
from agent_cli.wire.xml_tools.render import call as in_xml

MODELS = ["anthropic/test-model", "openai-chat/test-model", "openai/test-model"]
READ = Call("read_file", {"files": [{"path": "README.md"}]})
MISSING = Call("read_file", {"files": [{"path": "größer.md"}]})
WRITE = Call("write_to_file", {"path": "new.txt", "content": "a\u2028\r\n\t\U0001f600\n"})
TODO = Call("update_todo_list", {"todos": "[ ] one\n[x] two"})
RUN = Call("execute_command", {"command": "printf 'a\\xffb\\xf0\\x9f\\x98\\x80'"})
SWITCH = Call("switch_mode", {"mode_slug": "architect"})
HAND = Call("new_task", {"mode": "ask", "message": "What does it do?"})
NOBODYS = Call("functions.read file", "{}")
DONE = Call("attempt_completion", {"result": "All done."})
SAID = "I look — größer, 你好, \U0001f600 \u2028 \\ud83d"


EVERYTHING = (
    "nudged", "attempt_lost", "input_queued", "interrupted", "rewound", "history_compacted",
    "mode_switched", "parallel_switched", "todos_updated", "task_finished",
)  # fmt: skip
"""Entries that the session must have, or it does not show what it is meant to."""


def hostile(call: Call, id_: str) -> Call:
    return Call(call.name, call.args, id_)


STOP = "Stop!"
"""What the user says before they think better of it; the answer to it never ends."""
STALLED = Say("So far.", delivery=Delivery(stall_at=200, piece=1))
NATIVE: list[Reply] = [
    Say(SAID, reasoning="hm", calls=[hostile(READ, "a b"), hostile(MISSING, "a b"), WRITE]),
    Status(529),
    Say("Text alone.", delivery=Delivery(drop_last=6, piece=1)),
    Say("Text alone."),
    Say(" \n"),
    Say(calls=[hostile(TODO, "a b"), hostile(RUN, ""), NOBODYS, DONE]),
    Say("And now a part.", calls=[READ, HAND, READ]),
    Say("A part of it.", calls=[hostile(READ, "a_b")]),
    Say(calls=[DONE]),
    Say(calls=[WRITE, WRITE.cut(20)], stop="length"),
    Say(calls=[SWITCH, DONE]),
    Say(calls=[DONE]),  # and here a message waits that was said meanwhile
    Say(calls=[READ, DONE]),
    Say(calls=[READ, TODO]),
    Say(calls=[DONE]),
    Say(calls=[DONE]),
]


def said_in_xml(reply: Reply) -> Reply:
    if not isinstance(reply, Say) or not reply.calls:
        return reply
    (first, *_) = reply.calls
    if reply.stop == "length":
        return Say("<write_to_file>\n<path>new.t", stop="length")
    made = ToolCall("x", first.name, first.arguments)
    return Say(f"{reply.text}\n\n{in_xml(made)}", reasoning=reply.reasoning)


class Watching(NobodyThere):
    """Says something while a call is at work."""

    def __init__(self) -> None:
        self.queue: Callable[[str], None] | None = None

    def emit(self, event: Event) -> None:
        if self.queue and isinstance(event, Appended) and isinstance(event.entry, CallStarted):
            self.queue("And what I said meanwhile.")
            self.queue = None


class Asked(NamedTuple):
    """One request, and what the session file held when it arrived."""

    body: bytes
    recorded: bytes


class Run(NamedTuple):
    settings: Settings
    model: str
    home: Path

    def agent(self, server: ModelServer, watching: Watching, *, ephemeral: bool = False) -> Agent:
        environ = environment(self.home, server)
        options = Options(Path.cwd(), environ, self.model, ephemeral=ephemeral, yolo=True)
        return assemble(self.settings, options, watching)


async def interrupted(agent: Agent, came: threading.Event) -> None:
    """Say something, and think better of it while the answer comes."""
    work = asyncio.create_task(agent.submit(STOP))
    assert await asyncio.to_thread(came.wait, 30)
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)


async def whole(agent: Agent, came: threading.Event, watching: Watching) -> None:
    session = agent.session
    try:
        await agent.submit("Do it — größer.")
        watching.queue = agent.queue
        await agent.submit("And more.")
        session.append(ParallelSwitched(on=False))
        await interrupted(agent, came)
        await agent.submit("Go on.")
        session.append(Rewound(session.state.messages_said - 1))
        await agent.submit("Go on otherwise.")
        session.append(HistoryCompacted("What was said so far.", 0, "user"))
        await agent.submit("And the rest.")
    finally:
        await agent.close()


def asked(run: Run, script: list[Reply]) -> list[Asked]:
    """Run the whole session; return what it asked, and from what."""
    seen: list[Asked] = []
    left = iter([*script, *script[-1:] * 10])
    stopped = threading.Event()

    def reply(exchange: Exchange) -> Reply:
        (journal,) = run.home.glob("agent/data/sessions/*/*.jsonl")
        seen.append(Asked(exchange.raw, journal.read_bytes()))
        if stopped.is_set() or STOP.encode() not in exchange.raw:
            return next(left)
        stopped.set()  # not before the file was read
        return STALLED

    with ModelServer(reply) as server:
        watching = Watching()
        agent = run.agent(server, watching)
        asyncio.run(whole(agent, stopped, watching))
    assert server.violations == []
    return seen


def asked_again(run: Run, recorded: list[bytes]) -> list[bytes]:
    """Make each request from what was recorded, in a process that knows nothing else."""
    with ModelServer(lambda exchange: Say("Fine.")) as server:
        agent = run.agent(server, Watching(), ephemeral=True)
        asking = agent._asking

        async def all_of_them() -> None:
            for data in recorded:
                state = fold(entries(load(data)))
                request = asking.request(state, RequestBuilder())
                async with aclosing(asking.models.current.provider.stream(request)) as deltas:
                    async for _ in deltas:
                        pass
            await agent.close()

        asyncio.run(all_of_them())
    assert server.violations == []
    return [exchange.raw for exchange in server.requests]


@pytest.mark.invariant("I8", "I2", "I3", "I11")
@pytest.mark.parametrize("protocol", Protocol)
@pytest.mark.parametrize("model", MODELS)
def test_the_record_alone_makes_the_same_requests(
    model: str, protocol: Protocol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    (project / "README.md").write_text("# A project\n")
    settings = Settings(protocol=protocol, retry=RetrySettings(cap=0.01))
    run = Run(settings, model, tmp_path / "home")
    script = NATIVE if protocol is Protocol.NATIVE else [said_in_xml(one) for one in NATIVE]
    seen = asked(run, script)
    for kind in EVERYTHING:
        assert f'"type":"{kind}"'.encode() in seen[-1].recorded, kind
    again = asked_again(run, [one.recorded for one in seen])
    assert again == [one.body for one in seen]
