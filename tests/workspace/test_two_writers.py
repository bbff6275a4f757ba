"""Two processes that edit one file at the same time: no change of either is ever lost."""

import os
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_cli.types.errors import ToolError
from agent_cli.workspace.gate import Workspace

ROUNDS = 6
LINES = 25


@pytest.mark.invariant("F10")
def test_of_two_edits_of_the_same_content_one_fails_and_says_so(tmp_path: Path):
    for number in range(ROUNDS):
        (tmp_path / "f").write_bytes(b"old")
        ready, go = os.pipe()

        def edit(name: bytes, ready: int = ready, number: int = number) -> None:
            workspace = Workspace(tmp_path)
            os.read(ready, 1)
            try:
                workspace.write("f", b"from %b" % name, expected=b"old")
                outcome = b"written"
            except ToolError as error:
                outcome = str(error).encode()
            (tmp_path / f"{name.decode()}{number}").write_bytes(outcome)

        children = [in_child(lambda name=name: edit(name)) for name in (b"a", b"b")]
        os.write(go, b"..")
        for child in children:
            assert os.waitpid(child, 0)[1] == 0
        os.close(ready)
        os.close(go)
        said = {name: (tmp_path / f"{name}{number}").read_text() for name in "ab"}
        (winner,) = [name for name, outcome in said.items() if outcome == "written"]
        assert (tmp_path / "f").read_text() == f"from {winner}"
        assert any("has changed since it was read" in outcome for outcome in said.values())


@pytest.mark.invariant("F10")
def test_edits_that_are_tried_again_all_arrive(tmp_path: Path):
    (tmp_path / "f").write_bytes(b"")

    def append(name: bytes) -> None:
        workspace = Workspace(tmp_path)
        left = LINES
        while left:
            before = workspace.take("f")
            assert before is not None
            try:
                workspace.write("f", before + name + b"\n", expected=before)
                left -= 1
            except ToolError as error:
                if "changed" not in str(error):
                    raise

    children = [in_child(lambda name=name: append(name)) for name in (b"a", b"b", b"c")]
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    lines = (tmp_path / "f").read_bytes().split()
    assert [lines.count(name) for name in (b"a", b"b", b"c")] == [LINES] * 3
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def in_child(act: Callable[[], None]) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of fork beside threads
        child = os.fork()
    if child == 0:
        status = 1
        try:
            act()
            status = 0
        finally:
            os._exit(status)
    return child
