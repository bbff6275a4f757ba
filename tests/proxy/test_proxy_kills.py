"""kill -9 at every step of the proxy: nothing is lost, nothing with a side effect is done twice.

A sample runs with every commit; `-m nightly` runs every step, before it and after it. That a call
is begun and not ended is tried with every commit in `test_proxy_process`.
"""

import json
import random
import signal
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import OPENAI_CHAT, Exchange
from testbed.managed_service import ToolService
from testbed.proxy_cells import Cell, N, names
from testbed.proxy_clients import Answer, repeated, results, user
from testbed.proxy_process import ProxyProcess, proxy_process
from testbed.replies import Call, Say
from testbed.server import ModelServer

CHAT = Cell(OPENAI_CHAT, stream=False)
ALPHA = Call("crm_update", {"q": "alpha"})
BETA = Call("crm_update", {"q": "beta"})
EXPECTED = [
    "ask",  # a managed call alone
    "add", "call", "put",  # in the journal, made, in the journal
    "put",  # the round is kept
    "ask",  # a managed call and a native one
    "add", "call", "put",
    "put",
    "remember",
    "whole",  # the client gets its call
    "ask",
    "whole",
]  # fmt: skip
"""What happens, in order: in each of the places between them it may die."""
MOMENTS = ("before", "after")
EVERY = [(number + 1, moment) for number in range(len(EXPECTED)) for moment in MOMENTS]
WAITING = [(2, "after"), (3, "before"), (3, "after"), (4, "before")]
WAITING += [(number + 5, moment) for number, moment in WAITING]
"""A call is begun and not ended: whoever asks next waits until the dead one counts as dead."""
SAMPLE = 6
QUICK = [step for step in EVERY if step not in WAITING]


def script(exchange: Exchange) -> Say:
    shown = json.dumps(exchange.body["messages"])
    if "alpha" not in shown:
        return Say(calls=[ALPHA])
    return Say("Done.") if "beta" in shown else Say("Both.", [BETA, N])


class Story:
    """A client that asks again whenever its connection is lost."""

    def __init__(self, process: ProxyProcess) -> None:
        self._process = process
        self.died = 0

    def ask(self, history: list[Any]) -> Answer:
        try:
            return CHAT.ask(self._process.proxied, history)[1]
        except ConnectionError:
            self.died += 1
            assert self._process.wait() == -signal.SIGKILL
            return CHAT.ask(self._process.start(), history)[1]

    def whole(self) -> None:
        answer = self.ask([user("hi")])
        assert names(answer) == ["read_file"]
        more = [*repeated(CHAT.wire, answer), *results(CHAT.wire, answer)]
        assert self.ask([user("hi"), *more]).text == "Done."


def play(number: int, moment: str, folder: Path) -> list[str]:
    """Tell the story; return the steps, if it was not killed."""
    with (
        ModelServer(script) as upstream,
        ToolService() as service,
        proxy_process(upstream, service, folder) as process,
    ):
        process.start("testbed.dying_proxy", str(number), moment, str(process.config))
        story = Story(process)
        story.whole()
        last = upstream.requests[-1].body["messages"]
        assert upstream.violations == []
        made = [one.arguments["q"] for one in service.executed]
        process.end()
    _nothing_is_lost_or_done_twice(last, made)
    if number == 0:
        return (folder / "steps").read_text().splitlines()
    assert story.died == 1 or number == len(EXPECTED), "the last one has been answered by then"
    return []


def _nothing_is_lost_or_done_twice(last: list[dict[str, Any]], made: list[str]) -> None:
    roles = [one["role"] for one in last]
    assert roles == ["user", "assistant", "tool", "assistant", "tool", "assistant", "tool"]
    for place, call in ((2, "alpha"), (4, "beta")):
        told = json.loads(last[place]["content"])
        assert made.count(call) <= 1
        if told["ok"]:
            assert made.count(call) == 1
            assert told["data"]["got"]["q"] == call
        else:
            assert told["error"]["code"] == "unknown_outcome"


def test_a41_the_steps_are_known(tmp_path: Path):
    steps = play(0, "before", tmp_path)
    assert steps == EXPECTED


@pytest.mark.parametrize(("number", "moment"), random.Random(41).sample(QUICK, SAMPLE))
def test_a41_a_kill_at_some_steps(number: int, moment: str, tmp_path: Path):
    play(number, moment, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize(("number", "moment"), EVERY)
def test_a41_a_kill_at_each_step(number: int, moment: str, tmp_path: Path):
    play(number, moment, tmp_path)
