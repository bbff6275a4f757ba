"""What a grant and an added root open, and nothing more."""

from pathlib import Path

import pytest
from testbed.traps import SECRET

from agent_cli.types.effects import Kind
from agent_cli.types.errors import BlockedPathError
from agent_cli.workspace.gate import Workspace


def test_what_was_granted_may_be_touched_and_no_more(tree: Path):
    asked = Workspace(tree)
    granted = asked.granting([asked.effect(Kind.READ, "out-file").target])
    assert granted.read("out-file") == SECRET
    with pytest.raises(BlockedPathError, match="outside"):
        granted.read("../root-2/s.txt")
    with pytest.raises(BlockedPathError, match="outside"):
        asked.read("out-file")


def test_a_granted_directory_grants_what_is_below(tree: Path):
    granted = Workspace(tree).granting([str(tree.parent / "outside")])
    assert [entry.path for entry in granted.list_dir("out")] == [
        str(tree.parent / "outside" / "s.txt")
    ]
    granted.write("out/new/x.txt", b"x", expected=None)
    assert (tree.parent / "outside" / "new" / "x.txt").read_bytes() == b"x"


def test_an_added_root_is_inside(tree: Path):
    other = tree.parent / "outside"
    (other / ".agentignore").write_bytes(b"s.txt\n")
    (other / "t.txt").write_bytes(b"t")
    workspace = Workspace(tree, (other,))
    effect = workspace.effect(Kind.READ, "out/t.txt")
    assert (effect.outside, effect.target) == (False, str(other / "t.txt"))
    assert workspace.read("out/t.txt") == b"t"
    with pytest.raises(BlockedPathError):
        workspace.read("out/s.txt")
