"""What a command names: inside the workspace, or by which way out of it."""

import os
from pathlib import Path

import pytest

from agent_cli.workspace.gate import Workspace
from agent_cli.workspace.operands import straying

pytestmark = pytest.mark.parametrize("way_down", ["step by step"], indirect=True)
"""Which it is makes no difference here."""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "root"
    (root / "sub/deep").mkdir(parents=True)
    (root / "folders/a").mkdir(parents=True)
    for name in ("a.txt", "sub/b.txt", "sub/deep/c.txt", "hidden", "q[1]"):
        (root / name).touch()
    (root / "folders/a/away").symlink_to("/etc/hostname")
    (root / "out").symlink_to(tmp_path)
    (root / "sub/in").symlink_to(root / "a.txt")
    (root / "linked").symlink_to(root / "sub")
    (root / ".agentignore").write_text("hidden\n")
    os.mkfifo(root / "pipe")
    return Workspace(root)


STAYS = [
    pytest.param("a.txt", ".", id="a file"),
    pytest.param("sub/b.txt", ".", id="a file below"),
    pytest.param("sub/../a.txt", ".", id="up and down inside"),
    pytest.param("..", "sub", id="up from below"),
    pytest.param("../a.txt", "sub", id="up from below to a file"),
    pytest.param("sub/in", ".", id="a link inside"),
    pytest.param("linked/b.txt", ".", id="through a link inside"),
    pytest.param("absent", ".", id="nothing"),
    pytest.param("absent/x", ".", id="nothing in nothing"),
    pytest.param("", ".", id="no name"),
    pytest.param("x" * 400, ".", id="no system call takes it"),
    pytest.param("a message / with signs", ".", id="words"),
    pytest.param("\udce9", ".", id="a byte"),
    pytest.param("\ud800", ".", id="no name at all"),
    pytest.param("*.txt", ".", id="a pattern"),
    pytest.param("s*/b*", ".", id="patterns"),
    pytest.param("s*/./b*", ".", id="patterns with a point"),
    pytest.param("sub/*", ".", id="a pattern below, with a link inside"),
    pytest.param("absent/*", ".", id="a pattern in nothing"),
    pytest.param("a?txt", ".", id="one sign"),
    pytest.param(".[!.]*", ".", id="hidden files, and not what is above"),
    pytest.param(".[^.]*", ".", id="the same, written in another way"),
    pytest.param("{root}/a.txt", ".", id="absolute, inside"),
    pytest.param("{root}/*.txt", "", id="absolute, from an unknown place"),
    pytest.param("~/a.txt", ".", id="a home inside"),
]

STRAYS = [
    pytest.param("..", ".", id="up"),
    pytest.param("sub/../../x", ".", id="down and up"),
    pytest.param("../..", "sub", id="up from below, too far"),
    pytest.param("absent/../../x", ".", id="up out of nothing"),
    pytest.param("x", "..", id="from outside"),
    pytest.param("x", "sub/../..", id="from outside, after a way"),
    pytest.param("/etc/hostname", ".", id="absolute"),
    pytest.param("/", ".", id="the root"),
    pytest.param("out", ".", id="a link out"),
    pytest.param("out/x", ".", id="through a link out"),
    pytest.param("hidden", ".", id="ignored"),
    pytest.param("pipe", ".", id="special"),
    pytest.param("a.txt", "", id="an unknown place"),
    pytest.param("~other", ".", id="somebody's home"),
    pytest.param("~/../x", ".", id="above a home"),
    pytest.param("o*", ".", id="a pattern with a link"),
    pytest.param("*", ".", id="everything"),
    pytest.param("[o]ut", ".", id="brackets"),
    pytest.param("out*/x", ".", id="a pattern through a link"),
    pytest.param("f*/?/aw*", ".", id="patterns with a link"),
    pytest.param("f*/a/away", ".", id="a name after a pattern"),
    pytest.param("s*/../..", ".", id="up after a pattern"),
    pytest.param("/e*", ".", id="an absolute pattern"),
    pytest.param(".*", ".", id="a pattern that for some shells means up"),
    pytest.param("sub/.?/../x", ".", id="such a pattern with more behind it"),
    pytest.param("folders/a/.[!a]", ".", id="such a pattern with brackets"),
]


@pytest.mark.parametrize(("name", "place"), STAYS)
def test_it_stays(workspace: Workspace, name: str, place: str):
    name = name.replace("{root}", str(workspace.root))
    assert straying(workspace, [(name, place)], str(workspace.root)) is None


@pytest.mark.parametrize(("name", "place"), STRAYS)
def test_it_strays(workspace: Workspace, name: str, place: str):
    assert straying(workspace, [("a.txt", "."), (name, place)], str(workspace.root)) == name


def test_no_home_is_no_place(workspace: Workspace):
    assert straying(workspace, [("~", ".")], "") == "~"


def test_too_many_names_cannot_be_told(workspace: Workspace):
    names = [(f"./{'./' * number}a.txt", ".") for number in range(2001)]
    assert straying(workspace, names[:2000], "") is None
    assert straying(workspace, names, "") == names[2000][0]


def test_a_pattern_that_means_too_much_cannot_be_told(workspace: Workspace):
    for number in range(2001):
        (workspace.root / f"sub/{number}").touch()
    assert straying(workspace, [("sub/x*", ".")], "") == "sub/x*"
