"""Servers of tools in whole sessions: offered, called, refused, ended with the agent."""

import json
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from testbed.bare_server import PNG
from testbed.exchange import Exchange
from testbed.one_shot import ANTHROPIC, results, run
from testbed.replies import Call, Hang, Say
from testbed.run_agent import Completed, run_agent, start_process
from testbed.server import ModelServer
from testbed.servers import HERE

from agent_cli.processes.tree import read

DONE = Say(calls=[Call("attempt_completion", {"result": "All done."})])
ECHO = Call("mcp__bare__echo", {"text": "hello"})
BARE = [sys.executable, "-I", str(HERE / "bare_server.py")]
KEY = "mcp-canary-8a1b2c3d4e"


def configure(home: Path, *does: str, wait: float = 60, name: str = "bare", more: str = "") -> None:
    path = home / "agent/config/config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"[mcp]\nwait = {wait}\n[mcp.servers.{name}]\ncommand = {json.dumps(BARE[0])}\n"
        f"args = {json.dumps([*BARE[1:], *does])}\nenv = {{ A_TOKEN = '{KEY}' }}\n{more}"
    )


def tools(body: dict[str, Any]) -> list[str]:
    return [tool.get("name") or tool["function"]["name"] for tool in body["tools"]]


@pytest.mark.parametrize("model", [ANTHROPIC, "openai-chat/m", "openai-responses/m"])
def test_a_servers_tools_are_offered_and_called(model: str, project: Path, home: Path):
    configure(home)
    pictured = Say(calls=[ECHO, Call("mcp__bare__picture")])
    done, server = run([pictured, DONE], project, home, "--json", model=model)
    assert done.exit_code == 0, done.stderr
    assert results(done)[:2] == [
        ("mcp__bare__echo", "ok", None),
        ("mcp__bare__picture", "ok", None),
    ]
    first, second = (exchange.body for exchange in server.requests)
    assert tools(first) == tools(second)
    assert "mcp__bare__echo" in tools(first)
    assert "use_mcp_tool" not in tools(first)
    assert PNG in json.dumps(second)


def test_in_xml_one_tool_calls_them_all(project: Path, home: Path):
    configure(home)
    call = (
        "<use_mcp_tool><server_name>bare</server_name><tool_name>echo</tool_name>"
        '<arguments>{"text": "hello"}</arguments></use_mcp_tool>'
    )
    done = "<attempt_completion><result>All done.</result></attempt_completion>"
    ended, server = run([Say(call), Say(done)], project, home, "--json", "--protocol", "xml")
    assert ended.exit_code == 0, ended.stderr
    assert results(ended)[0] == ("use_mcp_tool", "ok", None)
    system = json.dumps(server.requests[0].body["system"])
    assert "## bare: echo" in system
    assert "hello" in json.dumps(server.requests[1].body["messages"])


def test_a_server_that_is_late_is_reached_all_the_same(project: Path, home: Path):
    configure(home, wait=0)
    late = Call("use_mcp_tool", {"server_name": "bare", "tool_name": "echo", "arguments": {}})
    done, server = run([Say(calls=[late]), DONE], project, home, "--json")
    assert results(done)[0] == ("use_mcp_tool", "ok", None)
    offered = tools(server.requests[0].body)
    assert "use_mcp_tool" in offered
    assert not any(name.startswith("mcp__") for name in offered)
    assert tools(server.requests[1].body) == offered


@pytest.mark.parametrize(
    ("args", "status", "offered"),
    [
        pytest.param([], "denied", True, id="nobody to ask"),
        pytest.param(["--allowed-tools", "mcp__bare__echo"], "ok", True, id="allowed"),
        pytest.param(["--allowed-tools", "mcp__bare"], "ok", True, id="its server allowed"),
        pytest.param(["-y", "--disallowed-tools", "mcp__bare__echo"], "failed", False, id="denied"),
        pytest.param(["-y", "--disallowed-tools", "mcp__bare"], "failed", False, id="its server"),
        pytest.param(
            ["-y", "--disallowed-tools", "use_mcp_tool(*/echo)"], "denied", True, id="by pattern"
        ),
    ],
)
def test_the_policy_decides(
    args: list[str], status: str, project: Path, home: Path, *, offered: bool
):
    configure(home)
    with ModelServer([Say(calls=[ECHO]), DONE, DONE]) as server:
        words = ["run", "--json", "-m", ANTHROPIC, *args, "Do it."]
        done = run_agent(words, cwd=project, home=home, server=server)
    assert results(done)[0][:2] == ("mcp__bare__echo", status)
    assert ("mcp__bare__echo" in tools(server.requests[0].body)) is offered


def test_a_servers_key_gets_nowhere(project: Path, home: Path):
    configure(home)
    seen = Say(calls=[Call("mcp__bare__environment")])
    done, server = run([seen, DONE], project, home, "--json")
    assert results(done)[0][1] == "ok"
    kept = [path for path in (home / "agent").rglob("*") if path.is_file()]
    texts = [path.read_text(errors="replace") for path in kept if path.name != "config.toml"]
    texts += [json.dumps(exchange.body) for exchange in server.requests]
    assert "[secret removed]" in texts[-1]
    assert not any(KEY in text for text in (*texts, done.stdout, done.stderr))


def test_a_changed_definition_is_asked_about_whatever_was_allowed(project: Path, home: Path):
    configure(home)
    changing = Say(calls=[ECHO, Call("mcp__bare__change")])
    again = Say(calls=[ECHO])
    with ModelServer([changing, again, again, DONE, DONE]) as server:
        words = ["run", "--json", "-y", "-m", ANTHROPIC, "Do it."]
        done = run_agent(words, cwd=project, home=home, server=server)
    first, second, third = (one[1] for one in results(done) if one[0] == "mcp__bare__echo")
    assert (first, third) == ("ok", "denied")
    assert second in ("failed", "denied")  # whether it had been listed again by then


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_however_the_agent_ends_its_servers_do(number: int, project: Path, home: Path):
    configure(home)
    with ModelServer([Say(calls=[Call("mcp__bare__environment")]), Hang()]) as server:
        process = start_process(
            ["run", "-y", "-m", ANTHROPIC, "Do it."], cwd=project, home=home, server=server
        )
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
        try:
            said = json.dumps(server.wait_for(2).body["messages"])
            pid = int(re.findall(r"pid\W+(\d+)", said)[0])
            assert read(pid) is not None
            process.send_signal(number)
        finally:
            process.communicate(timeout=30)
    deadline = time.monotonic() + 10
    while read(pid) is not None:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def folders(project: Path) -> Path:
    path = project / ".mcp.json"
    entry = {"command": BARE[0], "args": BARE[1:], "env": {"WHERE": "${HOME}"}}
    path.write_text(json.dumps({"mcpServers": {"theirs": entry}}))
    return path


def theirs(project: Path, home: Path, *args: str) -> tuple[Completed, bool]:
    configure(home, more="disabled = true\n")
    with ModelServer([DONE]) as server:
        words = ["run", "-y", "-m", ANTHROPIC, *args, "Do it."]
        done = run_agent(words, cwd=project, home=home, server=server)
    return done, "mcp__theirs__echo" in tools(server.requests[0].body)


def test_a_folders_servers_need_its_trust(project: Path, home: Path):
    path = folders(project)
    done, offered = theirs(project, home)
    assert not offered
    assert ".mcp.json" in done.stderr
    assert theirs(project, home, "--trust")[1]
    assert run_agent(["trust", "--yes"], cwd=project, home=home).exit_code == 0
    assert theirs(project, home)[1]
    path.write_text(path.read_text() + " ")
    assert not theirs(project, home)[1]


def test_a_folders_server_does_not_start_once_its_files_have_changed(project: Path, home: Path):
    folders(project)
    (project / ".agent").mkdir()
    configure(home, more="disabled = true\n")
    again = Call("mcp__theirs__echo", {"text": "back"})

    def script(exchange: Exchange) -> Say:
        if exchange.number == 1:
            (project / ".agent/config.toml").write_text("mode = 'code'\n")
        return [Say(calls=[Call("mcp__theirs__die")]), Say(calls=[again]), DONE][exchange.number]

    with ModelServer(script) as server:
        words = ["run", "-y", "--json", "--trust", "-m", ANTHROPIC, "Do it."]
        done = run_agent(words, cwd=project, home=home, server=server)
    assert [one[1] for one in results(done)][:2] == ["failed", "failed"]
    assert "what this folder was trusted with has changed" in json.dumps(server.requests[2].body)


def test_agent_tool_calls_a_servers_tool(home: Path, project: Path):
    configure(home)
    for name, arguments in [
        ("mcp__bare__echo", {"text": "hi"}),
        ("use_mcp_tool", {"server_name": "bare", "tool_name": "echo", "arguments": {"text": "hi"}}),
        (
            "use_mcp_tool",
            {"server_name": "bare", "tool_name": "echo", "arguments": '{"text":"hi"}'},
        ),
    ]:
        words = ["tool", name, json.dumps(arguments), "--yes"]
        done = run_agent(words, cwd=project, home=home)
        assert json.loads(done.stdout) == {"status": "ok", "asked": True, "content": "hi"}
    words = ["tool", "access_mcp_resource", '{"server_name": "bare", "uri": "note://one"}', "--yes"]
    done = run_agent(words, cwd=project, home=home)
    assert json.loads(done.stdout)["content"] == "the note"


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("use_mcp_tool", {"server_name": "bare"}, "missing required field"),
        ("use_mcp_tool", {"server_name": "", "tool_name": "x"}, "length >= 1"),
        ("use_mcp_tool", {"server_name": "bare", "tool_name": "x", "arguments": "[]"}, "no JSON"),
        ("use_mcp_tool", {"server_name": "no", "tool_name": "x"}, "there is no server 'no'"),
        ("use_mcp_tool", {"server_name": "bare", "tool_name": "x"}, "has no tool 'x'"),
        ("use_mcp_tool", {"server_name": "bare", "tool_name": "refuse"}, "not today"),
        ("access_mcp_resource", {"server_name": "bare"}, "missing required field"),
        ("access_mcp_resource", {"server_name": "no", "uri": "x"}, "there is no server 'no'"),
    ],
)
def test_what_fails_says_why(
    name: str, arguments: dict[str, object], why: str, home: Path, project: Path
):
    configure(home)
    words = ["tool", name, json.dumps(arguments), "--yes"]
    done = run_agent(words, cwd=project, home=home)
    assert done.exit_code == 3
    report = json.loads(done.stdout)
    assert report["status"] == "failed"
    assert why in report["content"]


def test_without_servers_there_are_no_tools_for_them(home: Path, project: Path):
    done = run_agent(["tool", "use_mcp_tool", "{}"], cwd=project, home=home)
    assert "no tool of this name" in json.loads(done.stdout)["content"]
