"""`agent replay`: a session is played again in a copy of the workspace as it was."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from testbed.replies import Call, Say
from testbed.run_agent import KEY, Completed, environment, run_agent
from testbed.server import ModelServer

from agent_cli.settings.credentials import store_key

READ = Call("read_file", {"files": [{"path": "README.md"}]})
WRITE = Call("write_to_file", {"path": "README.md", "content": "# Changed\n"})
RUN = Call("execute_command", {"command": "wc -c README.md; rm -f gone.txt"})
DONE = Call("attempt_completion", {"result": "All done."})
SCRIPT = [Say(calls=[READ, WRITE]), Say(calls=[RUN]), Say(calls=[DONE])]


@pytest.fixture
def worked(project: Path, home: Path) -> Path:
    (project / "gone.txt").write_text("here\n")
    with ModelServer(SCRIPT) as server:
        arguments = ["run", "-y", "-m", "anthropic/test-model", "Do it."]
        done = run_agent(arguments, cwd=project, home=home, server=server)
    assert done.exit_code == 0, done.stderr
    assert server.violations == []
    assert not (project / "gone.txt").exists()
    return project


def replay(project: Path, home: Path, *args: str) -> Completed:
    return run_agent(["replay", *args], cwd=project, home=home)


def fields(done: Completed) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_it_begins_with_the_files_that_the_session_began_with(worked: Path, home: Path):
    done = replay(worked, home)
    assert done.exit_code == 0, done.stdout + done.stderr
    assert done.stdout.endswith("the same: turns: 3, calls: 4\n")
    assert (worked / "README.md").read_text() == "# Changed\n"


def test_it_says_where_it_comes_out_otherwise(worked: Path, home: Path):
    (session,) = home.glob("agent/data/sessions/*/*.jsonl")
    kept = worked.parent / "kept.session.jsonl"
    kept.write_bytes(session.read_bytes())
    other = worked.parent / "kept.workspace"
    other.mkdir()
    (other / "README.md").write_text("# Another\n")
    done = replay(worked, home, str(kept))
    assert done.exit_code == 3
    assert "diverged in turn 1, read_file" in done.stdout
    assert "It adds numbers" in done.stdout
    assert "Another" in done.stdout
    found = fields(replay(worked, home, str(kept), "--json"))["divergence"]
    assert (found["turn"], found["field"]) == (1, "content")


def test_a_link_into_the_workspace_does_not_lead_out_of_the_copy(project: Path, home: Path):
    (project / "link").symlink_to(project / "README.md")
    (project / "here").symlink_to(project, target_is_directory=True)
    command = "echo more >> link; echo more >> here/README.md; cat README.md"
    script = [Say(calls=[Call("execute_command", {"command": command})]), Say(calls=[DONE])]
    with ModelServer(script) as server:
        arguments = ["run", "-y", "-m", "anthropic/test-model", "Do it."]
        run_agent(arguments, cwd=project, home=home, server=server)
    after = (project / "README.md").read_text()
    done = replay(project, home)
    assert done.exit_code == 0, done.stdout
    assert (project / "README.md").read_text() == after


def test_a_long_value_is_shown_where_it_differs(project: Path, home: Path):
    (project / "wide.txt").write_text("same\n" * 400)
    script = [Say(calls=[Call("execute_command", {"command": "cat wide.txt; date +%N"})])]
    with ModelServer([*script, Say(calls=[DONE])]) as server:
        run_agent(
            ["run", "-y", "-m", "anthropic/test-model", "Do it."],
            cwd=project,
            home=home,
            server=server,
        )
    done = replay(project, home)
    assert done.exit_code == 3
    before, now = done.stdout.split("recorded:")[1].split("now:")
    assert before.strip() != now.strip()
    assert len(done.stdout) < 2000


@pytest.mark.unverified  # its file was cut
def test_what_is_missing_is_told(worked: Path, home: Path):
    (session,) = home.glob("agent/data/sessions/*/*.jsonl")
    whole = session.read_bytes()
    session.write_bytes(whole[:-20])
    shutil.rmtree(home / "agent/data/undo")
    done = replay(worked, home)
    assert "the file is damaged; its valid part is played: the last line" in done.stderr
    assert "gone.txt could not be brought back: what it was is not kept" in done.stderr


def test_recorded_results_need_no_workspace(worked: Path, home: Path):
    done = replay(worked, home, "--tools", "recorded", "--json")
    assert done.exit_code == 0, done.stderr
    assert fields(done)["turns"] == 3


def test_a_part_can_be_kept_to_look_at(worked: Path, home: Path, tmp_path: Path):
    done = replay(worked, home, "--until", "1", "--into", str(tmp_path / "look"))
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "look/README.md").read_text() == "# Changed\n"
    assert (tmp_path / "look/gone.txt").read_text() == "here\n"


def test_another_model_goes_on_in_the_copy_with_a_kept_key(worked: Path, home: Path):
    other = [
        Say(calls=[Call("write_to_file", {"path": "b.txt", "content": "b"})]),
        Say(calls=[DONE]),
    ]
    with ModelServer(other) as server:
        arguments = ["replay", "--from", "2", "-m", "openai-chat/test-model"]
        store_key(environment(home, None), "OPENAI_API_KEY", KEY)
        kept = {"OPENAI_API_KEY": ""}
        done = run_agent(arguments, cwd=worked, home=home, server=server, env=kept)
    assert server.violations == []
    assert done.exit_code == 0, done.stderr
    place = Path(done.stdout.splitlines()[-1].removeprefix("the copy is in "))
    assert (place / "b.txt").read_text() == "b"
    assert (place / "README.md").read_text() == "# Changed\n"
    assert not (worked / "b.txt").exists()


def test_it_can_be_saved_as_a_test(worked: Path, home: Path, tmp_path: Path):
    done = replay(worked, home, "--save", str(tmp_path / "tests/first"))
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "tests/first.workspace/gone.txt").exists()
    again = replay(worked, home, str(tmp_path / "tests/first.session.jsonl"))
    assert again.exit_code == 0, again.stdout


WRONG = [
    (["--tools", "some"], 2, "use real or recorded"),
    (["--from", "1"], 2, "--from and --model belong together"),
    (["--until", "1", "--from", "1", "-m", "a/b"], 2, "use --from or --until"),
    (["nobody"], 52, "there is no session 'nobody'"),
    (["--into", "."], 52, "is there already"),
]


@pytest.mark.parametrize(("args", "status", "says"), WRONG, ids=[says for *_, says in WRONG])
def test_it_refuses(args: list[str], status: int, says: str, worked: Path, home: Path):
    done = replay(worked, home, *args)
    assert done.exit_code == status
    assert says in done.stderr
