"""However a session ends, nothing that its commands started is alive two seconds later."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from testbed.hiding import Hidden, write
from testbed.replies import Call, Hang, Say
from testbed.run_agent import run_agent, start_agent, start_process
from testbed.server import ModelServer

RUN = ["run", "-m", "anthropic/test-model", "--json", "Do it."]
ALLOWED = ["run", "-y", *RUN[1:]]
DONE = Say(calls=[Call("attempt_completion", {"result": "All done."})])
SECONDS = 2


@pytest.fixture
def hidden(project: Path) -> Hidden:
    return Hidden(project)


def command(project: Path, then: str = "", **more: object) -> Say:
    return Say(calls=[Call("execute_command", {"command": write(project) + then, **more})])


def started(project: Path, home: Path, server: ModelServer) -> "subprocess.Popen[bytes]":
    process = start_process(ALLOWED, cwd=project, home=home, server=server)
    assert process.stdin is not None
    process.stdin.close()  # else it waits for a prompt
    process.stdin = None
    return process


@pytest.mark.invariant("R2")
def test_after_a_denial_nothing_was_started(project: Path, home: Path, hidden: Hidden):
    with ModelServer([command(project), DONE]) as server:
        done = run_agent(RUN, cwd=project, home=home, server=server)
    assert done.exit_code == 4, done.stderr
    assert not list(project.glob("up-*"))
    assert hidden.processes() == []


@pytest.mark.invariant("R1")
def test_after_a_timeout_the_tree_has_ended(project: Path, home: Path, hidden: Hidden):
    with ModelServer([command(project, "; sleep 60", timeout=3), Hang()]) as server:
        process = started(project, home, server)
        hidden.wait_until_up()
        server.wait_for(2)
        assert hidden.processes() == []
        process.kill()
        process.communicate()


@pytest.mark.invariant("R1")
def test_after_the_end_of_the_session_nothing_is_left(project: Path, home: Path, hidden: Hidden):
    """What a command leaves running goes on with the session, and ends with it."""
    with ModelServer([command(project), Hang()]) as server:
        process = started(project, home, server)
        server.wait_for(2)
        hidden.wait_until_up()
        assert hidden.processes()
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert hidden.end_within(0.1), "the agent waits for them"


def test_after_success_nothing_is_left(project: Path, home: Path, hidden: Hidden):
    with ModelServer([command(project), DONE]) as server:
        done = run_agent(ALLOWED, cwd=project, home=home, server=server)
    assert done.exit_code == 0, done.stderr
    assert "Exit code: 0" in str(server.requests[1].body)
    assert hidden.processes() == []


@pytest.mark.unverified("one that is killed and not gone on with has open calls")
@pytest.mark.invariant("R1")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("then", ["", "; sleep 60"], ids=["left behind", "running"])
def test_after_a_signal_nothing_is_left(
    then: str, number: signal.Signals, project: Path, home: Path, hidden: Hidden
):
    with ModelServer([command(project, then), Hang()]) as server:
        process = started(project, home, server)
        hidden.wait_until_up()
        process.send_signal(number)
        process.wait()
        assert hidden.end_within(SECONDS)
        process.communicate()


@pytest.mark.unverified("one that is killed and not gone on with has open calls")
@pytest.mark.invariant("R1")
@pytest.mark.parametrize("end", ["close", "kill"])
def test_after_the_terminal_is_gone_nothing_is_left(
    end: str, project: Path, home: Path, hidden: Hidden
):
    with ModelServer([command(project, "; sleep 60"), Hang()]) as server:
        args = ["-m", "anthropic/test-model", "--yolo", "Do it."]
        terminal = start_agent(args, cwd=project, home=home, server=server)
        hidden.wait_until_up()
        if end == "kill":
            terminal.kill(signal.SIGKILL)
        else:
            os.close(terminal.child_fd)
        assert hidden.end_within(SECONDS)
        terminal.wait()


def test_in_the_background_on_purpose_it_ends_with_the_session(
    project: Path, home: Path, hidden: Hidden
):
    script = [command(project, "; sleep 60", background=True), Hang()]
    with ModelServer(script) as server:
        process = started(project, home, server)
        server.wait_for(2)
        hidden.wait_until_up()
        process.kill()
        process.wait()
        assert hidden.end_within(SECONDS)
        out, _ = process.communicate()
    assert any("process_id" in json.dumps(json.loads(line)) for line in out.splitlines())
