"""An approval holds for what was shown: what changed meanwhile is asked about again."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from testbed.dispatched import Answering, dispatch

from agent_cli.approval.policy import Policy
from agent_cli.types.approval import Request, Verdict

RUN = ("execute_command", {"command": "sh deploy.sh > out.txt"})
WRITE = ("write_to_file", {"path": "notes.txt", "content": "new\n"})


class Meddled(Answering):
    """While the user thinks, something happens; once, or every time."""

    def __init__(self, happens: Callable[[int], None], times: int) -> None:
        super().__init__(yes=True)
        self._happens = happens
        self._times = times

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        if len(self.requests) < self._times:
            self._happens(len(self.requests))
        return await super().approve(requests)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "deploy.sh").write_text("echo harmless\n")
    (tmp_path / "notes.txt").write_text("old\n")
    (tmp_path / "elsewhere").mkdir()
    return tmp_path


@pytest.mark.invariant("C2", "U2")
def test_a_script_that_changed_is_asked_about_again(workspace: Path):
    def change(_: int) -> None:
        (workspace / "deploy.sh").write_text("echo other\n")

    user = Meddled(change, times=1)
    done = dispatch(workspace, RUN, Policy(), user=user)
    assert [request.reason for request in user.requests][1:] == [
        "it has changed since it was shown"
    ]
    assert done.result.outcome == "ok"
    assert (workspace / "out.txt").read_text() == "other\n"


NAMES = [
    pytest.param("cd elsewhere && sh ./x.sh", "elsewhere/x.sh", id="after cd"),
    pytest.param("(cd elsewhere; . ./x.sh)", "elsewhere/x.sh", id="in a group"),
    pytest.param('sh "my script.sh"', "my script.sh", id="with a blank"),
    pytest.param("sh my\\ script.sh", "my script.sh", id="with a quoted blank"),
    pytest.param("sh a=b.sh", "a=b.sh", id="with a sign"),
    pytest.param("S=x.sh; sh $S", "x.sh", id="in a variable"),
    pytest.param("sh < x.sh", "x.sh", id="as the input"),
    pytest.param("sh elsewhere/../x.sh", "x.sh", id="with dots"),
]


@pytest.mark.parametrize(("command", "script"), NAMES)
def test_a_script_is_found_however_it_is_named(command: str, script: str, workspace: Path):
    (workspace / script).write_text("true\n")

    def change(_: int) -> None:
        (workspace / script).write_text("false\n")

    user = Meddled(change, times=1)
    dispatch(workspace, ("execute_command", {"command": command}), Policy(), user=user)
    assert len(user.requests) == 2


@pytest.mark.invariant("C2", "U2")
def test_a_file_that_changed_is_shown_again(workspace: Path):
    def change(_: int) -> None:
        (workspace / "notes.txt").write_text("mine\n")

    user = Meddled(change, times=1)
    done = dispatch(workspace, WRITE, Policy(), user=user)
    first, second = user.requests
    assert "-old" in first.preview.unified
    assert "-mine" in second.preview.unified
    assert done.result.outcome == "ok"


def test_a_target_that_moved_out_is_asked_about_as_what_it_is(workspace: Path, tmp_path: Path):
    inside, outside = workspace / "work", tmp_path.parent / f"{tmp_path.name}-outside"
    inside.mkdir()
    outside.mkdir()

    def move(_: int) -> None:
        inside.rmdir()
        inside.symlink_to(outside)

    user = Meddled(move, times=1)
    call = ("execute_command", {"command": "touch work/x"})
    dispatch(workspace, call, Policy(), user=user)
    first, second = user.requests
    assert not any(effect.outside for effect in first.effects)
    assert any(effect.outside for effect in second.effects)


def test_what_never_holds_still_is_not_done(workspace: Path):
    def change(time: int) -> None:
        (workspace / "deploy.sh").write_text(f"echo {time}\n")

    user = Meddled(change, times=9)
    done = dispatch(workspace, RUN, Policy(), user=user)
    assert (done.result.outcome, len(user.requests)) == ("failed", 3)
    assert "kept changing" in done.result.content
    assert not (workspace / "out.txt").exists()


def test_what_stays_as_it_was_is_asked_about_once(workspace: Path):
    user = Answering(yes=True)
    done = dispatch(workspace, RUN, Policy(), user=user)
    assert (done.result.outcome, len(user.requests)) == ("ok", 1)
