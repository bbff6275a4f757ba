"""Wrong use, missing keys and signals: a clear sentence and an exit status that is true."""

import json
import signal
from pathlib import Path

import pytest
from testbed.replies import Call, Delivery, Hang, Say
from testbed.run_agent import run_agent, start_process
from testbed.server import ModelServer

ASK = ["run", "-y", "-m", "anthropic/test-model", "--json", "Do it."]
DONE = Call("attempt_completion", {"result": "All done."})
SLEEP = Call("execute_command", {"command": "sleep 60"})
STALLS = Say("I begin.", calls=[DONE], delivery=Delivery(stall_at=300))


@pytest.mark.parametrize(
    ("args", "status", "says"),
    [
        pytest.param(["--no-such-flag"], 2, "no-such-flag", id="an unknown flag"),
        pytest.param(["run", "--max-turns", "x", "a"], 2, "whole number", id="no number"),
        pytest.param(["run", "-C", "/absent", "a"], 2, "directory", id="no directory"),
        pytest.param(["run"], 2, "say what is to be done", id="nothing to do"),
        pytest.param(["run", "a"], 41, "agent demo", id="no model"),
        pytest.param(["run", "-m", "openai/x", "a"], 41, "OPENAI_API_KEY", id="no key"),
        pytest.param(["run", "-m", "x/y", "a"], 52, "unknown provider", id="an unknown provider"),
        pytest.param(["run", "-m", "ollama/x", "--mode", "fly", "a"], 52, "fly", id="no mode"),
        pytest.param(["run", "-m", "ollama/x", "--protocol", "q", "a"], 52, "q", id="no protocol"),
        pytest.param(["run", "-m", "replay:absent", "a"], 52, "absent", id="no recording"),
        pytest.param(["run", "-c", "a"], 52, "no session", id="nothing to go on with"),
        pytest.param(["verify", "nope"], 52, "nope", id="no such session"),
        pytest.param(
            ["run", "--output-format", "x", "-m", "ollama/x", "a"], 52, "x", id="no format"
        ),
    ],
)
def test_wrong_use_is_told_and_shows(
    args: list[str], status: int, says: str, project: Path, home: Path
):
    done = run_agent(args, cwd=project, home=home)
    assert done.exit_code == status, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bad_settings_file_is_named(project: Path, home: Path):
    config = home / "agent/config/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('modle = "anthropic/x"\n')
    done = run_agent(["run", "a"], cwd=project, home=home)
    assert done.exit_code == 52
    assert "modle" in done.stderr
    assert str(config) in done.stderr


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)]
)
@pytest.mark.parametrize("reply", [STALLS, Hang(), Say(calls=[SLEEP])], ids=["text", "-", "call"])
def test_a_signal_settles_what_is_open(
    reply: Say | Hang, number: signal.Signals, status: int, project: Path, home: Path
):
    with ModelServer([reply]) as server:
        process = start_process(ASK, cwd=project, home=home, server=server)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        server.wait_for(1)
        if isinstance(reply, Say) and reply.calls == [SLEEP]:
            wait_for_call(process.stdout)
        process.send_signal(number)
        lines = process.stdout.read().splitlines()
        process.stdout.close()
        assert process.stderr is not None
        process.stderr.close()
        assert process.wait(timeout=20) == status
    assert json.loads(lines[-1])["type"] == "result"
    report = json.loads(run_agent(["verify", "--json"], cwd=project, home=home).stdout)
    assert report["adds_up"], report


def wait_for_call(stdout: object) -> None:
    for line in stdout:  # type: ignore[attr-defined]  # a stream of lines
        if json.loads(line)["type"] == "tool_use":
            return


def test_a_recording_can_be_played_again(project: Path, home: Path):
    write = Call("write_to_file", {"path": "new.txt", "content": "hello\n"})
    tape = project / "tape.jsonl"
    with ModelServer([Say("I write.", calls=[write]), Say(calls=[DONE])]) as server:
        args = [*ASK, "--record", str(tape)]
        recorded = run_agent(args, cwd=project, home=home, server=server)
    assert recorded.exit_code == 0, recorded.stderr
    (project / "new.txt").unlink()
    again = run_agent(["run", "-y", "-m", f"replay:{tape}", "Do it."], cwd=project, home=home)
    assert (again.exit_code, again.stdout) == (0, "All done.\n"), again.stderr
    assert (project / "new.txt").read_text() == "hello\n"
