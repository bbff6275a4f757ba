"""A session that is gone on with in a fork of it."""

import json
from pathlib import Path

from testbed.loaded import read
from testbed.replies import Call, Say
from testbed.run_agent import run_agent
from testbed.server import ModelServer

from agent_cli.types.entries import SessionStarted

MODEL = ["-m", "anthropic/test-model"]
DONE = Call("attempt_completion", {"result": "All done."})


def begun(project: Path, home: Path) -> Path:
    """Leave a session; return its file."""
    with ModelServer([Say("I look.", calls=[DONE])]) as server:
        run_agent(["run", "-y", *MODEL, "Do it."], cwd=project, home=home, server=server)
    (path,) = (home / "agent/data/sessions").glob("*/*.jsonl")
    return path


def test_a_fork_goes_on_and_its_origin_stays_as_it_is(project: Path, home: Path):
    origin = begun(project, home)
    before = origin.read_bytes()
    with ModelServer([Say(calls=[DONE])]) as server:
        args = ["run", "-y", "-c", "--fork", "--json", "And now?"]
        done = run_agent(args, cwd=project, home=home, server=server)
    assert (done.exit_code, server.violations) == (0, []), done.stderr
    forked = json.loads(done.stdout.splitlines()[0])["session_id"]
    assert origin.read_bytes() == before
    told = [one.entry for one in read(origin.with_name(f"{forked}.jsonl")).envelopes]
    assert isinstance(told[0], SessionStarted)
    assert told[0].forked_from == origin.stem
    assert told[1 : len(read(origin).envelopes)] == [e.entry for e in read(origin).envelopes][1:]
    assert "I look." in json.dumps(server.requests[0].body)
    assert run_agent(["verify", forked], cwd=project, home=home).exit_code == 0


def test_no_fork_is_left_where_nobody_can_be_asked(project: Path, home: Path):
    origin = begun(project, home)
    (project / "tape").write_text("")
    args = ["run", "-c", "--fork", "--record", "tape", "And now?"]
    with ModelServer([]) as server:
        done = run_agent(args, cwd=project, home=home, server=server)
    assert "cannot record" in done.stderr
    assert list(origin.parent.iterdir()) == [origin]


def test_a_fork_is_of_a_session(project: Path, home: Path):
    done = run_agent(["run", *MODEL, "--fork", "Do it."], cwd=project, home=home)
    assert done.exit_code == 2
    assert "say which session" in done.stderr
