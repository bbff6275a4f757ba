"""Coding agents of others behind the proxy, as their users run them. Needs npm and a network."""

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from testbed.agents import AGENTS, Agent, before, install, run
from testbed.exchange import Exchange
from testbed.managed_service import Answered, found
from testbed.proxied import Proxied
from testbed.proxy_cells import M
from testbed.replies import Reply, Say
from testbed.server import Script

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.timeout(300),
    pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm to install them with"),
]
agents = pytest.mark.parametrize("agent", AGENTS.values(), ids=list(AGENTS))
END = Say("The answer.")
VERY_TEXT = "the very text of a.py"
LONG = 60.0


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("npm"))


def answering(replies: Sequence[Reply]) -> Script:
    """Answer the requests of the conversation in turn, and those for a title or summary besides."""
    asked = iter(replies)

    def script(exchange: Exchange) -> Reply:
        return next(asked) if mediated(exchange) else Say("A title.")

    return script


def mediated(exchange: Exchange) -> bool:
    return "docs_search" in [
        tool.get("name") or tool.get("function", {}).get("name")
        for tool in exchange.body.get("tools", [])
    ]


def conversation(proxy: Proxied) -> list[str]:
    """What the model was shown, request by request."""
    shown = [one.body for one in proxy.upstream.requests if mediated(one)]
    return [str(body.get("messages") or body["input"]) for body in shown]


@agents
def test_a76_i_words_alone(agent: Agent, programs: Path, tmp_path: Path):
    with before(answering([END]), tmp_path) as proxy:
        done = run(agent, programs, tmp_path, proxy.port)
        assert proxy.upstream.violations == []
    assert done.returncode == 0, done.stderr
    assert "The answer." in done.stdout


@agents
def test_a76_ii_five_turns_with_tools_of_its_own(agent: Agent, programs: Path, tmp_path: Path):
    script = [Say(f"Step {place}.", [agent.native]) for place in range(5)]
    with before(answering([*script, END]), tmp_path) as proxy:
        done = run(agent, programs, tmp_path, proxy.port)
        assert proxy.upstream.violations == []
        assert proxy.service.executed == []
        assert conversation(proxy)[-1].count(VERY_TEXT) == 5
    assert done.returncode == 0, done.stderr
    assert "The answer." in done.stdout


@agents
def test_a76_iii_managed_calls_alone(agent: Agent, programs: Path, tmp_path: Path):
    with before(answering([Say(calls=[M]), END]), tmp_path) as proxy:
        done = run(agent, programs, tmp_path, proxy.port)
        assert proxy.upstream.violations == []
        assert proxy.service.tools == ["docs_search"]
    assert done.returncode == 0, done.stderr
    assert "The answer." in done.stdout
    assert "docs_search" not in done.stdout + done.stderr


@agents
def test_a76_iv_managed_calls_before_its_own(agent: Agent, programs: Path, tmp_path: Path):
    script = [Say("Both.", [M, agent.native]), Say(calls=[agent.native]), END]
    with before(answering(script), tmp_path) as proxy:
        done = run(agent, programs, tmp_path, proxy.port)
        assert proxy.upstream.violations == []
        assert proxy.service.tools == ["docs_search"]
        _, second, third = conversation(proxy)
    assert done.returncode == 0, done.stderr
    assert second.index("docs_search") < second.index(VERY_TEXT)
    assert "docs_search" in third
    assert third.count(VERY_TEXT) == 2


@agents
@pytest.mark.parametrize("words", ["", "Let me see."], ids=["before any word", "after words"])
def test_a76_v_its_user_is_told_of_a_refused_order(
    words: str, agent: Agent, programs: Path, tmp_path: Path
):
    with before(answering([Say(words, [agent.native, M]), END]), tmp_path) as proxy:
        done = run(agent, programs, tmp_path, proxy.port)
        assert proxy.service.executed == []
        assert len(conversation(proxy)) == 1
    told = done.stdout + done.stderr
    assert "mixed_tool_order" in told
    assert "split them" in told


@agents
def test_a76_vi_a_minute_without_words(agent: Agent, programs: Path, tmp_path: Path):
    def slow(tool: str, arguments: dict[str, Any]) -> Answered:
        time.sleep(LONG)
        return found(tool, arguments)

    patience = {"tool_timeout": 90.0, "total_timeout": 200.0}
    with before(answering([Say(calls=[M]), END]), tmp_path, slow, limits=patience) as proxy:
        done = run(agent, programs, tmp_path, proxy.port)
        assert proxy.service.tools == ["docs_search"]
        assert len(conversation(proxy)) == 2
    assert done.returncode == 0, done.stderr
    assert "The answer." in done.stdout
