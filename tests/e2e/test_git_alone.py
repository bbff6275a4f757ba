"""git that runs unasked starts nothing of the repository's; git that a person let run does."""

from pathlib import Path

import pytest
from testbed.hostile_git import Repository
from testbed.one_shot import ANTHROPIC, results
from testbed.replies import Call, Say
from testbed.run_agent import run_agent
from testbed.server import ModelServer

DONE = Call("attempt_completion", {"result": "All done."})


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    made.config("core.fsmonitor")
    made.touch()
    made.canary.unlink(missing_ok=True)
    return made


def run(command: str, repository: Repository, *args: str) -> list[tuple[str, str, str | None]]:
    call = Call("execute_command", {"command": command})
    with ModelServer([Say(calls=[call]), Say(calls=[DONE])]) as server:
        done = run_agent(
            ["run", "-m", ANTHROPIC, "--json", *args, "Do it."],
            cwd=repository.root, home=repository.home, server=server,
        )  # fmt: skip
    assert server.violations == []
    return results(done)


COMMANDS = [
    pytest.param("git status", id="plain"),
    pytest.param("git log -1 && git status", id="one after another"),
    pytest.param("cd sub && git status", id="in a directory below"),
    pytest.param("git -C sub status", id="by its own option"),
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "args",
    [
        pytest.param(["--allowed-tools", "execute_command(git)"], id="a rule"),
        pytest.param(["-y"], id="yolo"),
    ],
)
def test_nothing_of_the_repository_runs_unasked(command, args, repository):
    (repository.root / "sub").mkdir()
    rules = [*args, "--allowed-tools", "execute_command(cd)"]
    assert run(command, repository, *rules)[0] == ("execute_command", "ok", None)
    assert not repository.canary.exists()


def test_what_cannot_be_made_inert_is_asked_about(repository):
    repository.config("remote.origin.uploadpack", "evil")
    found = run("git status", repository, "--allowed-tools", "execute_command(git status)")
    assert found[0] == ("execute_command", "denied", "nobody_to_ask")
    assert not repository.canary.exists()


def test_what_a_person_lets_run_is_left_as_it_is(repository):
    done = run_agent(
        ["tool", "execute_command", '{"command": "git status"}', "--yes"],
        cwd=repository.root, home=repository.home,
    )  # fmt: skip
    assert done.exit_code == 0, done.stdout
    assert repository.canary.exists()
