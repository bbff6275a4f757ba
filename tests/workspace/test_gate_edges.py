"""What other systems and other programs do to the gate's calls."""

import errno
import fcntl
import os
from pathlib import Path

import pytest

from agent_cli.types.effects import Kind
from agent_cli.types.errors import BlockedPathError, ToolError
from agent_cli.workspace import files
from agent_cli.workspace._draft import fresh_name, is_temporary
from agent_cli.workspace.gate import Workspace


def failing(code: int, real=None, when=lambda *_: True):
    def call(*arguments, **named):
        if when(*arguments):
            raise OSError(code, os.strerror(code))
        return real(*arguments, **named)

    return call


def test_files_and_directories_are_told_apart(tmp_path: Path):
    (tmp_path / "d").mkdir()
    (tmp_path / "f").write_bytes(b"x")
    workspace = Workspace(tmp_path)
    assert [workspace.is_file(path) for path in ("d", "f", "none")] == [False, True, False]
    assert [workspace.is_dir(path) for path in ("d", "f", "f/x")] == [True, False, False]


@pytest.mark.parametrize("path", ["x/" * 3000 + "y", "x" * 5000, "../" * 2000 + "etc"])
def test_a_path_that_no_system_call_takes_is_refused_at_once(tmp_path: Path, path: str):
    workspace = Workspace(tmp_path)
    for act in (
        lambda: workspace.read(path),
        lambda: workspace.write(path, b"", expected=None),
        lambda: list(workspace.walk(path)),
        lambda: workspace.effect(Kind.WRITE, path),
    ):
        with pytest.raises(BlockedPathError, match="too long"):
            act()
    assert list(tmp_path.iterdir()) == []


def test_text_is_read_as_text(tmp_path: Path):
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbfx")
    (tmp_path / "b").write_bytes(b"\0")
    assert Workspace(tmp_path).read_text("f").body == "x"
    with pytest.raises(ToolError, match="binary"):
        Workspace(tmp_path).read_text("b")


def test_a_file_that_is_too_large_is_refused(tmp_path: Path):
    with (tmp_path / "f").open("wb") as file:
        file.truncate(files.READ_LIMIT + 1)
    with pytest.raises(ToolError, match="larger"):
        Workspace(tmp_path).read("f")


def test_a_file_that_is_never_ready_is_refused(tmp_path: Path, monkeypatch):
    (tmp_path / "f").write_bytes(b"x")
    source, sink = os.pipe2(os.O_NONBLOCK)
    monkeypatch.setattr(files, "open_regular", lambda *_: source)
    with pytest.raises(BlockedPathError, match="wait"):
        Workspace(tmp_path).read("f")
    os.close(sink)


def test_a_file_swapped_for_a_pipe_while_it_is_opened_is_refused(tmp_path: Path, monkeypatch):
    target = tmp_path / "f"
    target.write_bytes(b"x")
    real = os.open

    def swap(path, *arguments, **named):
        if path == "f":
            target.unlink()
            os.mkfifo(target)
        return real(path, *arguments, **named)

    monkeypatch.setattr(os, "open", swap)
    with pytest.raises(BlockedPathError, match="pipe"):
        Workspace(tmp_path).read("f")


def test_hard_links_that_nothing_covers_are_read(tmp_path: Path):
    (tmp_path / ".agentignore").write_bytes(b"secret\n")
    (tmp_path / "f").write_bytes(b"x")
    os.link(tmp_path / "f", tmp_path / "g")
    workspace = Workspace(tmp_path)
    assert workspace.read("f") == workspace.read("g") == b"x"
    os.link(tmp_path / "f", tmp_path / "h")
    assert workspace.read("f") == b"x"


def test_a_file_gone_in_the_last_moment_is_not_made_again(tmp_path: Path, monkeypatch):
    (tmp_path / "f").write_bytes(b"old")
    monkeypatch.setattr(os, "fchmod", lambda *_: (tmp_path / "f").unlink())
    with pytest.raises(ToolError, match="changed"):
        Workspace(tmp_path).write("f", b"new", expected=b"old")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("code", "works"), [(errno.EOPNOTSUPP, True), (errno.EMFILE, False)])
def test_a_file_system_without_unnamed_files(tmp_path: Path, monkeypatch, code: int, *, works):
    unnamed = failing(code, os.open, lambda path, flags, *_: flags & os.O_TMPFILE == os.O_TMPFILE)
    monkeypatch.setattr(os, "open", unnamed)
    if works:
        Workspace(tmp_path).write("f", b"new", expected=None)
    else:
        with pytest.raises(ToolError, match="open files"):
            Workspace(tmp_path).write("f", b"new", expected=None)
    assert [path.name for path in tmp_path.iterdir()] == ["f"] * works


def test_a_lock_that_fails_otherwise_is_an_error(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(fcntl, "flock", failing(errno.EIO))
    with pytest.raises(ToolError, match="cannot write"):
        Workspace(tmp_path).write("f", b"new", expected=None)
    assert list(tmp_path.iterdir()) == []


def test_labels_that_only_the_system_gives_are_left_to_it(tmp_path: Path, monkeypatch):
    (tmp_path / "f").write_bytes(b"old")
    monkeypatch.setattr(os, "listxattr", lambda _: ["security.label"])
    monkeypatch.setattr(os, "getxattr", failing(errno.EPERM))
    Workspace(tmp_path).write("f", b"new", expected=b"old")
    assert (tmp_path / "f").read_bytes() == b"new"


def test_a_system_without_extended_attributes_is_written_all_the_same(tmp_path, monkeypatch):
    (tmp_path / "f").write_bytes(b"old")
    monkeypatch.delattr(os, "listxattr")
    Workspace(tmp_path).write("f", b"new", expected=b"old")
    assert (tmp_path / "f").read_bytes() == b"new"


def test_what_a_kill_left_is_swept_and_never_listed(tmp_path: Path):
    left = tmp_path / f".agent-{'0' * 16}.tmp"
    assert is_temporary(left.name)
    left.write_bytes(b"half")
    workspace = Workspace(tmp_path)
    assert workspace.list_dir(".") == ()
    workspace.write("f", b"new", expected=None)
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_directory_that_vanishes_during_a_walk_is_passed_over(tmp_path: Path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "x").touch()
    walked = Workspace(tmp_path).walk(".")
    assert next(walked).path == "d"
    (tmp_path / "d").rename(tmp_path / "e")
    assert list(walked) == []


def test_what_cannot_be_tidied_stays_noted(tmp_path: Path):
    notes, root = tmp_path / "notes", tmp_path / "root"
    stubborn = root / fresh_name()
    stubborn.mkdir(parents=True)  # a draft's name, but nothing that unlink removes
    notes.mkdir()
    (notes / "n").symlink_to(root)
    Workspace(root, notes=notes).tidy()
    assert [path.name for path in notes.iterdir()] == ["n"]
    stubborn.rmdir()
    Workspace(root, notes=notes).tidy()
    assert list(notes.iterdir()) == []


def test_protected_names_in_the_roots_are_told(tmp_path: Path):
    root, other = tmp_path / "root", tmp_path / "other"
    for folder in (root / ".git", root / "src/.git", root / "a/b/c/.husky", other):
        folder.mkdir(parents=True)
    (root / "config").mkdir()  # protected in a bare repository only
    (root / "a/b/c/d/.git").mkdir(parents=True)  # too deep to be looked for
    (other / "AGENTS.md").touch()
    (root / ".npmrc").symlink_to("gone")
    (root / ".vscode").symlink_to("src")
    found = Workspace(root, (other,)).protected()
    below = {".git", "src", "src/.git", "a/b/c/.husky"}
    assert set(found) == {*(str(root / one) for one in below), str(other / "AGENTS.md")}


def test_a_directory_that_cannot_be_listed_has_no_protected_names(tmp_path: Path):
    workspace = Workspace(tmp_path)
    tmp_path.rename(tmp_path.with_name("gone"))
    assert workspace.protected() == ()
