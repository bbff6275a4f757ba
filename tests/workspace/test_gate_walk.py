"""Walks: what is shown, what is not, and that they end."""

import os
from pathlib import Path

import pytest
from testbed.ordinary_user import as_ordinary_user, open_the_way

from agent_cli.types.effects import Kind
from agent_cli.types.errors import BlockedPathError, ToolError
from agent_cli.workspace import _walk
from agent_cli.workspace.gate import Entry, Workspace


def make(root: Path, files: dict[str, str]) -> Workspace:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return Workspace(root)


def paths(workspace: Workspace, top: str = ".", *, hidden: bool = False) -> list[str]:
    return [entry.path for entry in workspace.walk(top, hidden=hidden)]


def test_parents_come_before_children_and_names_in_order(tmp_path: Path):
    workspace = make(tmp_path, {"b/y/z": "", "b/x": "", "a": "", "c": ""})
    assert paths(workspace) == ["a", "b", "c", "b/x", "b/y", "b/y/z"]
    assert workspace.list_dir("b") == (Entry("b/x", is_dir=False), Entry("b/y", is_dir=True))
    assert paths(workspace, "b/y") == ["b/y/z"]


@pytest.mark.invariant("F2")
def test_gitignore_hides_and_agentignore_refuses(tmp_path: Path):
    workspace = make(
        tmp_path,
        {
            ".gitignore": "build/\n*.log\n",
            ".agentignore": "secret*\n",
            ".git/HEAD": "",
            "build/out": "",
            "a.log": "",
            "sub/.gitignore": "!keep.log\n/local\n",
            "sub/keep.log": "",
            "sub/b.log": "",
            "sub/local": "",
            "sub/secret.txt": "",
            "secrets/x": "",
        },
    )
    shown = [".agentignore", ".gitignore", "sub", "sub/.gitignore", "sub/keep.log"]
    assert paths(workspace) == shown
    assert paths(workspace, "build") == ["build/out"]
    everything = paths(workspace, hidden=True)
    assert {"build/out", "a.log", "sub/local", ".git/HEAD"} <= set(everything)
    assert not any("secret" in path for path in everything)
    with pytest.raises(BlockedPathError):
        paths(workspace, "secrets")


@pytest.mark.invariant("F3")
def test_links_are_named_and_never_followed(tmp_path: Path):
    root = tmp_path / "root"
    workspace = make(root, {"d/x": ""})
    make(tmp_path / "outside", {"s": ""})
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "round").symlink_to(".")
    (root / "d" / "up").symlink_to("..")
    assert paths(workspace) == ["d", "out", "round", "d/up", "d/x"]
    assert next(entry for entry in workspace.walk(".") if entry.path == "out").is_link


def test_special_files_are_left_out(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    assert paths(Workspace(tmp_path)) == []


def test_a_walk_of_no_directory_is_an_error(tmp_path: Path):
    workspace = make(tmp_path, {"a": ""})
    for top, says in {"a": "not a directory", "none": "no such"}.items():
        with pytest.raises(ToolError, match=says):
            paths(workspace, top)


def test_a_walk_that_is_too_long_ends_with_an_error(tmp_path: Path, monkeypatch):
    workspace = make(tmp_path, {str(number): "" for number in range(5)})
    monkeypatch.setattr(_walk, "WALK_LIMIT", 4)
    with pytest.raises(ToolError, match="more than 4"):
        paths(workspace)


@pytest.mark.invariant("F3")
def test_a_deep_tree_ends(tmp_path: Path):
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=folder)
        below = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(folder)
    assert len(paths(Workspace(tmp_path))) == 200


def test_names_that_are_not_text_can_be_read_back(tmp_path: Path):
    (tmp_path / os.fsdecode(b"bad\xff")).write_bytes(b"x")
    workspace = Workspace(tmp_path)
    (name,) = paths(workspace)
    assert workspace.read(name) == b"x"


def test_a_directory_that_cannot_be_listed_is_passed_over(tmp_path: Path):
    open_the_way(tmp_path)
    workspace = make(tmp_path, {"closed/x": "", "a": ""})
    (tmp_path / "closed").chmod(0)

    def act() -> None:
        assert paths(workspace) == ["a", "closed"]
        with pytest.raises(ToolError, match="denied"):
            paths(workspace, "closed")

    as_ordinary_user(act)
    (tmp_path / "closed").chmod(0o755)


UNUSABLE = {
    "a directory": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "no valid pattern": lambda path: path.write_text("!\n"),
    "binary": lambda path: path.write_bytes(b"a\0b"),
    "too large": lambda path: path.write_bytes(b"#" * 1_000_001),
}


@pytest.mark.parametrize("spoil", UNUSABLE.values(), ids=UNUSABLE)
def test_an_ignore_file_that_cannot_be_used_refuses_everything(tmp_path: Path, spoil):
    workspace = make(tmp_path, {"a": "a"})
    spoil(tmp_path / ".agentignore")
    assert not workspace.visible("a")
    for act in (
        lambda: workspace.read("a"),
        lambda: workspace.write("b", b"", expected=None),
        lambda: paths(workspace),
        lambda: workspace.granting(["/"]).read("/etc/passwd"),
    ):
        with pytest.raises(BlockedPathError, match="agentignore"):
            act()


def test_an_unreadable_ignore_file_refuses_everything(tmp_path: Path):
    open_the_way(tmp_path)
    workspace = make(tmp_path, {"a": "a", ".agentignore": "x"})
    (tmp_path / ".agentignore").chmod(0)

    def act() -> None:
        with pytest.raises(BlockedPathError, match="agentignore"):
            workspace.read("a")

    as_ordinary_user(act)


@pytest.mark.parametrize("text", ["", "# only words\n", "\n\n", "\ufeff\r\n"])
def test_an_ignore_file_without_patterns_refuses_nothing(tmp_path: Path, text: str):
    assert make(tmp_path, {"a": "a", ".agentignore": text}).visible("a")


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfvault\r\n", b"vault/\n!vault/key\n", b"*\n"])
def test_marks_line_ends_and_negations_do_not_open_what_is_refused(tmp_path: Path, data: bytes):
    workspace = make(tmp_path, {"vault/key": "x"})
    (tmp_path / ".agentignore").write_bytes(data)
    assert not workspace.visible("vault/key")


def test_hard_links_in_a_root_that_cannot_be_listed_are_not_written(tmp_path: Path):
    root = tmp_path / "root"
    workspace = make(root, {"f": "x"})
    os.link(root / "f", root / "g")
    open_the_way(tmp_path)
    root.chmod(0o711)

    def act() -> None:
        with pytest.raises(ToolError, match="other names"):
            workspace.effect(Kind.WRITE, "f")

    as_ordinary_user(act)


def test_a_stamp_changes_with_the_content_and_only_files_have_one(tmp_path: Path):
    workspace = make(tmp_path, {"d/f": "one"})
    (tmp_path / "l").symlink_to("d/f")

    def stamps() -> dict[str, str]:
        return {entry.path: entry.stamp for entry in workspace.walk(".", stamped=True)}

    before = stamps()
    assert before["d"] == before["l"] == ""
    (tmp_path / "d/f").write_text("three")
    assert stamps()["d/f"] != before["d/f"] != ""
    assert all(entry.stamp == "" for entry in workspace.walk("."))


def test_a_file_that_has_just_gone_has_no_stamp(tmp_path: Path):
    (tmp_path / "f").touch()
    (entry,) = os.scandir(tmp_path)
    (tmp_path / "f").unlink()
    assert _walk._stamp(entry) == ""
