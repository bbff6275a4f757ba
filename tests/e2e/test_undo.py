"""What a session changed comes back: at the terminal, from outside, and after a kill."""

import signal
import time
from pathlib import Path
from typing import Any

from testbed.one_shot import run
from testbed.replies import Call, Say
from testbed.run_agent import run_agent, start_agent, start_process
from testbed.server import ModelServer
from testbed.terminals import asked, leave

MODEL = ["-m", "anthropic/test-model"]
DONE = Call("attempt_completion", {"result": "All done."})
WRITE = Call("write_to_file", {"path": "src/new.txt", "content": "hello\n"})
EDIT = Call("write_to_file", {"path": "README.md", "content": "# Other\n"})
COMMAND = Call("execute_command", {"command": "rm README.md; echo two > b.txt; mkdir -m 700 e"})
LONGEST = 30


def tree(root: Path) -> dict[str, object]:
    return {
        str(path.relative_to(root)): (path.stat().st_mode, path.is_file() and path.read_bytes())
        for path in root.rglob("*")
    }


def test_edits_and_commands_are_undone_as_one_turn(project: Path, home: Path):
    before = tree(project)
    run([Say(calls=[WRITE, COMMAND]), Say(calls=[DONE])], project, home)
    after = tree(project)
    planned = run_agent(["undo", "--dry-run"], cwd=project, home=home)
    assert (planned.exit_code, tree(project)) == (0, after)
    done = run_agent(["undo"], cwd=project, home=home)
    assert (done.exit_code, tree(project)) == (0, before)
    assert planned.stdout == done.stdout.replace("undone", "would be undone")
    assert "brought back: README.md" in done.stdout
    again = run_agent(["undo"], cwd=project, home=home)
    assert (again.exit_code, again.stdout) == (0, "there is nothing to undo\n")
    assert run_agent(["verify"], cwd=project, home=home).exit_code == 0


def test_what_the_user_changed_since_is_left_alone(project: Path, home: Path):
    run([Say(calls=[WRITE, EDIT]), Say(calls=[DONE])], project, home)
    (project / "README.md").write_text("# Mine\n")
    done = run_agent(["undo"], cwd=project, home=home)
    assert done.exit_code == 1
    assert "left alone: README.md: it is not what the session left" in done.stdout
    assert list(tree(project)) == ["README.md"]
    assert (project / "README.md").read_text() == "# Mine\n"


def test_everything_from_a_turn_on_is_undone(project: Path, home: Path):
    before = tree(project)
    run([Say(calls=[WRITE]), Say(calls=[DONE])], project, home)
    with ModelServer([Say(calls=[EDIT]), Say(calls=[DONE])]) as server:
        run_agent(["run", "-y", "-c", *MODEL, "More."], cwd=project, home=home, server=server)
    (session,) = (home / "agent/data/sessions").glob("*/*.jsonl")
    nothing = run_agent(["undo", f"{session.stem}:3"], cwd=project, home=home)
    assert nothing.stdout == "there is nothing to undo\n"
    done = run_agent(["undo", f"{session.stem}:1"], cwd=project, home=home)
    assert (done.exit_code, tree(project)) == (0, before)
    assert run_agent(["undo", ":zero"], cwd=project, home=home).exit_code == 2


def test_the_model_is_told_what_was_put_back(project: Path, home: Path):
    run([Say(calls=[WRITE]), Say(calls=[DONE])], project, home)
    run_agent(["undo"], cwd=project, home=home)
    with ModelServer([Say(calls=[DONE])]) as server:
        run_agent(["run", "-y", "-c", *MODEL, "More."], cwd=project, home=home, server=server)
    told = str(server.requests[0].body["messages"][-1])
    assert "Files that the user has put back" in told
    assert "src/new.txt" in told


def test_a_rollback_restores_what_the_message_changed(project: Path, home: Path):
    config = home / "agent/config/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("turn.on_failure = 'rollback'\n")
    before = tree(project)
    absent = Call("read_file", {"files": [{"path": "absent.md"}]})
    script = [Say(calls=[WRITE, COMMAND, absent, EDIT]), Say(calls=[DONE])]
    done, server = run(script, project, home)
    assert (done.exit_code, tree(project)) == (0, before), done.stderr
    assert "src/new.txt" in str(server.requests[1].body["messages"][-1])


def test_at_the_terminal_it_is_undone_made_again_and_shown(project: Path, home: Path):
    with ModelServer([Say(calls=[EDIT]), Say("Changed.")]) as server:
        words = ["-y", *MODEL, "Change it."]
        terminal: Any = start_agent(words, cwd=project, home=home, server=server)
        terminal.expect("Changed.")
        for command, shown, first in [
            ("/diff", r"\+ .*Other", "# Other"),
            ("/undo", "restored: README.md", "# A project"),
            ("/redo", "made again", "# Other"),
            ("/undo 1", "restored: README.md", "# A project"),
            ("/undo", "nothing to undo", "# A project"),
            ("/undo x", "not the number of a turn", "# A project"),
        ]:
            asked(terminal, command, shown)
            assert (project / "README.md").read_text().startswith(first)
        leave(terminal)


def test_what_a_killed_command_had_done_is_undone(project: Path, home: Path):
    before = tree(project)
    slow = "rm README.md; echo two > b.txt; touch .started; sleep 30"
    script = [Say(calls=[WRITE, Call("execute_command", {"command": slow})])]
    with ModelServer(script) as server:
        words = ["run", "-y", *MODEL, "Do it."]
        process = start_process(words, cwd=project, home=home, server=server)
        assert process.stdin is not None
        process.stdin.close()
        deadline = time.monotonic() + LONGEST
        while not (project / ".started").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        refused = run_agent(["undo"], cwd=project, home=home)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()
    assert refused.exit_code == 52
    assert "is open in another process" in refused.stderr
    done = run_agent(["undo"], cwd=project, home=home)
    assert (done.exit_code, tree(project)) == (0, before), done.stdout
    assert run_agent(["verify"], cwd=project, home=home).exit_code == 0
