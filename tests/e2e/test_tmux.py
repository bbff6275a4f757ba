"""The product in a terminal within a terminal: what scrolls out is kept, once and in order."""

import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest
from testbed.replies import Call, Delivery, Say
from testbed.screens import Screen
from testbed.server import ModelServer

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

MODEL = ["-m", "anthropic/test-model"]
WRITE = Call("write_to_file", {"path": "new.txt", "content": "hello\n"})
LINES = [f"Line {number} of what the model says about it." for number in range(60)]


@pytest.fixture
def tmux(tmp_path: Path) -> Generator[list[str]]:
    """The command line of a server of its own, which is ended with the test."""
    program = ["tmux", "-S", str(tmp_path / "tmux"), "-f", "/dev/null"]
    yield program
    subprocess.run([*program, "kill-server"], capture_output=True, check=False)


def test_what_is_streamed_scrolls_into_its_history_once(tmux: list[str], project: Path, home: Path):
    said = Say("\n".join(LINES), calls=[WRITE], delivery=Delivery(piece=9, between=0.002))
    with (
        ModelServer([said, Say("It is written.")]) as server,
        Screen(
            [*MODEL, "Go."],
            cwd=project,
            home=home,
            server=server,
            env={"SHELL": "/bin/sh"},
            inside=[*tmux, "new-session"],
        ) as screen,
    ):
        screen.wait_for("why not")
        screen.resize(100, rows=30)
        screen.say("y")
        screen.wait_for("It is written")
        captured = [*tmux, "capture-pane", "-p", "-J", "-S", "-"]
        shown = subprocess.run(captured, capture_output=True, text=True, check=True).stdout
        screen.leave()
    assert server.violations == []
    assert (project / "new.txt").read_text() == "hello\n"
    lines = "".join(shown.split())
    places = [lines.find("".join(line.split())) for line in LINES]
    assert -1 not in places
    assert places == sorted(places)
    assert [line for line in LINES if lines.count("".join(line.split())) != 1] == []
