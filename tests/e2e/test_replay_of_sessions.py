"""Sessions with everything that may happen to them come out the same when they are played again.

With real tools in a copy of what they began with, and from the record alone.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from testbed.one_shot import run
from testbed.replies import Call, Reply, Say, Status
from testbed.run_agent import Completed, run_agent, start_agent
from testbed.server import ModelServer
from testbed.terminals import PROMPT, leave, say

from agent_cli.settings.places import config_directory

MODEL = ["-m", "anthropic/test-model"]
DONE = Say(calls=[Call("attempt_completion", {"result": "All done."})])
READ = Call("read_file", {"files": [{"path": "README.md"}]})
MISSING = Call("read_file", {"files": [{"path": "absent"}]})
EDIT = Call("write_to_file", {"path": "README.md", "content": "# Other\n"})
HAND = Call("new_task", {"mode": "code", "message": "Look."})


def command(text: str) -> Call:
    return Call("execute_command", {"command": text})


def todos(text: str) -> Call:
    return Call("update_todo_list", {"todos": text})


def configure(home: Path, text: str) -> None:
    path = config_directory({"AGENT_HOME": str(home / "agent")}) / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def worked(project: Path, home: Path, script: Sequence[Reply], *args: str) -> Completed:
    with ModelServer(script) as server:
        done = run_agent(
            ["run", "-y", *MODEL, *args, "Do it."], cwd=project, home=home, server=server
        )
    assert server.violations == []
    return done


def rolled_back(project: Path, home: Path) -> None:
    configure(home, "turn.on_failure = 'rollback'")
    script = [
        Say(calls=[EDIT, command("echo hi > new.txt"), MISSING, READ]),
        Say(calls=[READ, command("ls")]),
        DONE,
    ]
    assert worked(project, home, script).exit_code == 0


def undone(project: Path, home: Path) -> None:
    script = [Say(calls=[EDIT, command("echo hi > new.txt")]), DONE]
    assert worked(project, home, script).exit_code == 0
    assert run_agent(["undo"], cwd=project, home=home).exit_code == 0
    assert worked(project, home, [Say(calls=[READ, command("ls")]), DONE], "-c").exit_code == 0


def undone_and_redone(project: Path, home: Path) -> None:
    script = [Say(calls=[EDIT]), Say("One."), Say(calls=[READ]), Say("Two.")]
    script += [Say(calls=[READ]), Say("Three.")]
    with ModelServer(script) as server:
        terminal = start_agent(["-y", *MODEL, "Edit."], cwd=project, home=home, server=server)
        for words, seen in (
            ("/undo", "One"),
            ("read it", "restored"),
            ("/redo", "Two"),
            ("once more", PROMPT),
        ):
            terminal.expect(seen)
            terminal.expect(PROMPT)
            say(terminal, words)
        terminal.expect("Three")
        leave(terminal)
    assert server.violations == []


def out_of_budget(project: Path, home: Path) -> None:
    script = [Say(calls=[HAND]), *[Say(calls=[READ])] * 3, DONE]
    assert worked(project, home, script, "--max-turns", "6").exit_code == 0


def with_open_todos(project: Path, home: Path) -> None:
    configure(home, "completion.open_todos = 'block'")
    script = [Say(calls=[todos("[ ] one")]), DONE, Say(calls=[todos("[x] one")]), DONE]
    assert worked(project, home, script).exit_code == 0


def unresolved(project: Path, home: Path) -> None:
    configure(home, "completion.scope = 'resolved'")
    write = Call("write_to_file", {"path": "absent", "content": "a"})
    script = [Say(calls=[MISSING]), DONE, Say(calls=[write]), Say(calls=[MISSING]), DONE]
    assert worked(project, home, script).exit_code == 0


def denied_in_a_subtask(project: Path, home: Path) -> None:
    script = [
        Say(calls=[HAND]),
        Say(calls=[command("rm README.md")]),
        DONE,
        Say(calls=[READ]),
        DONE,
    ]
    with ModelServer(script) as server:
        done = run_agent(["run", *MODEL, "Do it."], cwd=project, home=home, server=server)
    assert done.exit_code == 4, done.stderr


def lost_its_modes(project: Path, home: Path) -> None:
    """A subtask's and its parent's, one after the other, while nobody worked."""
    own, other = mode_file(home, "own"), mode_file(home, "other")
    look = Call("new_task", {"mode": "other", "message": "Look."})
    script = [Say(calls=[look]), Say("What now?"), Say(calls=[command("ls"), READ]), DONE, DONE]
    with ModelServer(script) as server:
        arguments = ["-y", "--mode", "own", *MODEL, "Do it."]
        terminal = start_agent(arguments, cwd=project, home=home, server=server)
        terminal.expect("What now")
        leave(terminal)
        own.unlink()
        other.unlink()
        arguments = ["run", "-y", "-c", *MODEL, "Go on."]
        done = run_agent(arguments, cwd=project, home=home, server=server)
    assert server.violations == []
    assert done.exit_code == 0, done.stderr
    for mode in ("own", "other"):
        assert done.stderr.count(f"the mode {mode} is not there any more") == 1
    assert "cut off" not in done.stderr


def mode_file(home: Path, slug: str) -> Path:
    path = config_directory({"AGENT_HOME": str(home / "agent")}) / f"modes/{slug}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nname: {slug}\nkinds: read, mode\nwhen: Look.\n---\nYou look.\n")
    return path


def forbidden_by_a_mode(project: Path, home: Path) -> None:
    path = mode_file(home, "own")
    script = [Say(calls=[EDIT]), Say(calls=[READ]), DONE]
    assert worked(project, home, script, "--mode", "own").exit_code == 0
    path.unlink()


HAPPENED: list[Callable[[Path, Path], None]] = [
    rolled_back,
    undone,
    undone_and_redone,
    out_of_budget,
    with_open_todos,
    unresolved,
    denied_in_a_subtask,
    lost_its_modes,
    forbidden_by_a_mode,
]


@pytest.mark.parametrize("happen", HAPPENED, ids=[one.__name__ for one in HAPPENED])
def test_it_comes_out_the_same(happen: Callable[[Path, Path], None], project: Path, home: Path):
    happen(project, home)
    for tools in ("real", "recorded"):
        done = run_agent(["replay", "--tools", tools], cwd=project, home=home)
        assert done.exit_code == 0, (tools, done.stdout)
    assert run_agent(["verify"], cwd=project, home=home).exit_code == 0


def test_a_model_that_takes_no_key_is_told_like_in_any_run(project: Path, home: Path):
    run([DONE], project, home)
    with ModelServer([Status(401)]) as server:
        done = run_agent(["replay", "--from", "0", *MODEL], cwd=project, home=home, server=server)
    assert done.exit_code == 41, done.stderr
