"""The proxy as a process: kept over a kill, ended in good order."""

import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from testbed.managed_service import Answered, Held, ToolService
from testbed.proxied import Got
from testbed.proxy_cells import Cell, M, N, W, cells
from testbed.proxy_clients import repeated, results, user
from testbed.proxy_process import proxy_process
from testbed.replies import Call, Say
from testbed.server import ModelServer

from agent_cli.proxy.options import Mediation

CHAT = Cell("openai_chat", stream=False)


@cells
def test_a41_hidden_rounds_outlive_a_kill(cell: Cell, tmp_path: Path):
    script = [Say(calls=[W, N]), Say("Done.")]
    with (
        ModelServer(script) as upstream,
        ToolService() as service,
        proxy_process(upstream, service, tmp_path) as process,
    ):
        _, answer = cell.ask(process.start(), [user("hi")])
        assert process.end(signal.SIGKILL) == -signal.SIGKILL
        history = [user("hi"), *repeated(cell.wire, answer), *results(cell.wire, answer)]
        got, _ = cell.ask(process.start(), history)
        if not cell.stream:
            assert got.headers["x-agent-proxy-continuity"] == "injected:1"
        body = upstream.requests[1].body
        assert len(body.get("messages") or body["input"]) == 5
        assert "crm_update" in str((body.get("messages") or body["input"])[1])
        assert service.tools == ["crm_update"]
        assert process.end() == 0
        assert upstream.violations == []


def test_a_call_whose_end_a_kill_has_taken_is_not_made_again(tmp_path: Path):
    held = Held()
    script = [Say(calls=[W]), Say(calls=[W]), Say("Unknown.")]
    with (
        ModelServer(script) as upstream,
        ToolService(held) as service,
        proxy_process(upstream, service, tmp_path) as process,
    ):
        proxy = process.start()
        lost = threading.Thread(target=_ask_in_vain, args=(proxy,))
        lost.start()
        service.wait_for(1)
        process.end(signal.SIGKILL)
        lost.join()
        _, answer = CHAT.ask(process.start(), [user("hi")])
        held.go_on()
        assert answer.text == "Unknown."
        assert service.begun == ["crm_update"]
        assert "unknown_outcome" in str(upstream.requests[2].body)


def _ask_in_vain(proxy: Any) -> None:
    with pytest.raises(ConnectionError):
        CHAT.ask(proxy, [user("hi")])


def _wait_until_nobody_listens(proxy: Any) -> None:
    try:
        while True:
            proxy.ask("/health", b"", method="GET")
    except ConnectionError:
        return


def test_sigterm_lets_what_runs_come_to_its_end(tmp_path: Path):
    held = Held()
    with (
        ModelServer([Say(calls=[M]), Say("Done.")]) as upstream,
        ToolService(held) as service,
        proxy_process(upstream, service, tmp_path) as process,
    ):
        proxy = process.start()
        got: list[Got] = []
        asking = threading.Thread(target=lambda: got.append(CHAT.ask(proxy, [user("hi")])[0]))
        asking.start()
        service.wait_for(1)
        process.signal(signal.SIGTERM)
        _wait_until_nobody_listens(proxy)
        held.go_on()
        asking.join()
        assert process.wait() == 0
    assert got[0].status == 200


def test_explain_tells_of_order_and_continuity():
    done = subprocess.run(
        [sys.executable, "-m", "agent_cli", "proxy", "explain"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "mixed_tool_order" in done.stdout
    assert "Continuity." in done.stdout
    for option in Mediation.__struct_fields__:
        assert f"    {option} = " in done.stdout


def test_what_is_kept_can_be_looked_at_and_forgotten(tmp_path: Path):
    with (
        ModelServer([Say(calls=[M, N])]) as upstream,
        ToolService() as service,
        proxy_process(upstream, service, tmp_path) as process,
    ):
        CHAT.ask(process.start(), [user("hi")])
        process.end()
    config = str(tmp_path / "proxy.toml")

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "agent_cli", "proxy", *words, "--tools", config]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    (line,) = run("continuity", "list").splitlines()
    assert "docs_search" in line
    assert "docs_search" in run("continuity", "show", line.split()[0])
    assert '"event":"mediation_decision"' in run("audit", "--event", "mediation_decision")
    assert run("continuity", "purge", "--all") == "1 segment forgotten\n"
    assert run("continuity", "list", "--json") == ""
    (line,) = run("spent").splitlines()
    assert line.endswith("1         100 +       20  $         ?  local  upstream  m")
    assert '"calls":1' in run("spent", "--json", "--principal", "local")
    assert run("spent", "--since", "9999-01-01") == ""


def _most_memory(pid: int) -> int:
    """The most bytes that the process has ever had in memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (line,) = [one for one in lines if one.startswith("VmHWM:")]
    return int(line.split()[1]) * 1_024


@pytest.mark.skipif(sys.platform != "linux", reason="another system says it otherwise")
def test_a21_long_results_do_not_add_up_in_memory(tmp_path: Path):
    size = 5 * 1024 * 1024
    found_ = Answered(body=b'{"text":"' + b"x" * size + b'"}')
    calls = [Say(calls=[Call("docs_search", {"n": n})]) for n in range(8)]
    script = [one for call in calls for one in (call, Say("Done."))]
    with (
        ModelServer(script) as upstream,
        ToolService(lambda tool, arguments: found_) as service,
        proxy_process(upstream, service, tmp_path) as process,
    ):
        proxy = process.start()
        before = _most_memory(process.pid)
        CHAT.ask(proxy, [user("hi 0")])
        first = _most_memory(process.pid)
        for number in range(1, 8):
            CHAT.ask(proxy, [user(f"hi {number}")])
        last = _most_memory(process.pid)
        assert len(service.executed) == 8
    assert first - before < 8 * size
    assert last - first < 2 * size
