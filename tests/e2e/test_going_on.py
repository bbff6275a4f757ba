"""A session that is gone on with: what it was left with, and what the command line changes."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from testbed.replies import Call, Reply, Say, Usage
from testbed.run_agent import Completed, run_agent, start_agent, start_process
from testbed.server import ModelServer
from testbed.wires_by_model import MODELS

MODEL = ["-m", "anthropic/test-model"]
DONE = Call("attempt_completion", {"result": "All done."})
READ = Call("read_file", {"files": [{"path": "README.md"}]})
MISSING = Call("read_file", {"files": [{"path": "absent.md"}]})
SLEEP = Call("execute_command", {"command": "sleep 60"})


def killed(project: Path, home: Path) -> None:
    """Leave a session with a command that runs and a call that waits."""
    with ModelServer([Say(calls=[SLEEP, READ])]) as server:
        process = start_process(
            ["run", "-y", "--json", *MODEL, "Do it."], cwd=project, home=home, server=server
        )
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.close()
        for line in process.stdout:
            if json.loads(line)["type"] == "tool_use":
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()


def go_on(project: Path, home: Path, *args: str, script: list[Reply]) -> tuple[Completed, Any]:
    with ModelServer(script) as server:
        done = run_agent(
            ["run", "-c", "-y", *args, "Go on."], cwd=project, home=home, server=server
        )
    assert server.violations == []
    return done, server


def lines(done: Completed) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.invariant("I4")
def test_what_a_kill_left_open_is_settled_before_the_eyes_of_a_program(project: Path, home: Path):
    killed(project, home)
    done, _ = go_on(project, home, "--json", script=[Say(calls=[DONE])])
    assert done.exit_code == 0, done.stderr
    told = lines(done)
    assert (told[0]["type"], told[0]["resumed"], told[0]["turn"]) == ("init", True, 1)
    assert {line["session_id"] for line in told} == {told[0]["session_id"]}
    settled = [(line["name"], line["status"]) for line in told if line["type"] == "tool_result"]
    assert settled[:2] == [("execute_command", "unknown"), ("read_file", "interrupted")]


def test_what_a_kill_left_open_is_settled_at_a_terminal(project: Path, home: Path):
    killed(project, home)
    with ModelServer([Say("I see.")]) as server:
        terminal = start_agent(["-c", *MODEL, "Go on."], cwd=project, home=home, server=server)
        terminal.expect("execute_command sleep 60: unknown")
        terminal.expect("I see")
        terminal.close()
    assert server.violations == []


@pytest.mark.parametrize("format_", ["text", "json"])
def test_what_a_kill_left_open_is_settled_in_every_format(format_: str, project: Path, home: Path):
    killed(project, home)
    done, _ = go_on(project, home, "--output-format", format_, script=[Say(calls=[DONE])])
    assert done.exit_code == 0, done.stderr
    assert "All done." in done.stdout


@pytest.mark.trap("T-33")
def test_the_command_line_holds_over_the_session(project: Path, home: Path):
    go_on_nowhere = run_agent(["run", "-c", "Go on."], cwd=project, home=home)
    assert "no session" in go_on_nowhere.stderr
    with ModelServer([Say(calls=[DONE])]) as server:
        run_agent(["run", "-y", *MODEL, "Do it."], cwd=project, home=home, server=server)
    args = ["--mode", "ask", "--no-parallel-tool-calls", "--protocol", "xml", "--json"]
    done, server = go_on(project, home, *args, script=[Say(calls=[READ, READ]), Say(calls=[DONE])])
    assert done.exit_code == 0, done.stderr
    results = [line["code"] for line in lines(done) if line["type"] == "tool_result"]
    assert results == [None, "one_call_per_message", "finished"]
    assert "write_to_file" not in json.dumps(server.requests[0].body["tools"])
    assert "speaks the native protocol" in done.stdout


def test_a_session_keeps_its_model_over_the_settings(project: Path, home: Path):
    with ModelServer([Say(calls=[DONE])]) as server:
        run_agent(["run", "-y", *MODEL, "Do it."], cwd=project, home=home, server=server)
    config = home / "agent/config/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('model = "anthropic/other-model"\n')
    _, server = go_on(project, home, script=[Say(calls=[DONE])])
    assert server.requests[0].body["model"] == "test-model"
    _, server = go_on(project, home, "-m", "anthropic/third", script=[Say(calls=[DONE])])
    assert server.requests[0].body["model"] == "third"


@pytest.mark.invariant("I8")
@pytest.mark.parametrize("model", MODELS)
def test_a_request_extends_those_before_the_session_was_left(model: str, project: Path, home: Path):
    script = [Say("I look.", calls=[READ, MISSING]), Say(calls=[DONE])]
    with ModelServer(script) as server:
        args = ["run", "-y", "-m", model, "Do it."]
        run_agent(args, cwd=project, home=home, server=server)
        before = [unmarked(request.body) for request in server.requests]
    _, server = go_on(project, home, script=[Say(calls=[DONE])])
    after = unmarked(server.requests[0].body)
    for body in before:
        for name, value in body.items():
            extended = after[name][: len(value)] if name in ("messages", "input") else after[name]
            assert extended == value


def unmarked(value: Any) -> Any:
    """Return it without the marks that say up to where a cache may reach."""
    if isinstance(value, dict):
        return {name: unmarked(one) for name, one in value.items() if name != "cache_control"}
    return [unmarked(one) for one in value] if isinstance(value, list) else value


def test_no_session_is_begun_where_nobody_can_be_asked(project: Path, home: Path):
    (project / "tape").write_text("")
    args = ["run", *MODEL, "--record", "tape", "Do it."]
    with ModelServer([]) as server:
        done = run_agent(args, cwd=project, home=home, server=server)
    assert done.exit_code == 52
    assert "cannot record" in done.stderr
    assert run_agent(["sessions", "--all"], cwd=project, home=home).stdout == ""


@pytest.mark.invariant("I14")
def test_a_limit_counts_the_whole_session(project: Path, home: Path):
    script: list[Reply] = [Say(calls=[READ]), Say(calls=[READ])]
    limit = ["--max-turns", "2"]
    with ModelServer(script) as server:
        args = ["run", "-y", *MODEL, *limit, "Do it."]
        stopped = run_agent(args, cwd=project, home=home, server=server)
    assert stopped.exit_code == 5
    assert "counts the whole session" in stopped.stderr
    again, server = go_on(project, home, *limit, script=[])
    assert (again.exit_code, server.requests) == (5, [])
    done, _ = go_on(project, home, "--max-turns", "3", script=[Say(calls=[DONE])])
    assert done.exit_code == 0, done.stderr


@pytest.mark.invariant("I14")
def test_a_budget_counts_the_whole_session(project: Path, home: Path):
    model = ["-m", "anthropic/claude-opus-5"]  # five dollars for a million tokens
    dear = Usage(input=1_000_000)
    with ModelServer([Say(calls=[DONE], usage=dear)]) as server:
        args = ["run", "-y", *model, "--max-cost", "4", "Do it."]
        done = run_agent(args, cwd=project, home=home, server=server)
    assert done.exit_code == 0, done.stderr
    again, server = go_on(project, home, "--max-cost", "4", script=[])
    assert (again.exit_code, server.requests) == (5, [])
