"""Writes: old or new and nothing between, and everything but the content stays."""

import errno
import fcntl
import os
import signal
import stat
from pathlib import Path

import pytest
from testbed.ordinary_user import NOBODY, as_ordinary_user, open_the_way

from agent_cli.types.errors import ToolError
from agent_cli.workspace import _draft, _held
from agent_cli.workspace.gate import Workspace


@pytest.fixture(params=["unnamed", "named"])
def drafts(request, monkeypatch):
    """Both ways of drafting: without a name, and for file systems that have no such files."""
    if request.param == "named":
        monkeypatch.setattr(_draft, "_UNNAMED", 0)


pytestmark = pytest.mark.usefixtures("drafts")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def state(path: Path) -> tuple[bytes, int, int, int]:
    found = path.stat()
    return path.read_bytes(), found.st_mode, found.st_mtime_ns, found.st_ino


def test_a_new_file_gets_its_directories_and_the_usual_mode(tmp_path: Path):
    before = os.umask(0o027)
    try:
        Workspace(tmp_path).write("x/y/new", b"n", expected=None)
    finally:
        os.umask(before)
    assert (tmp_path / "x/y/new").read_bytes() == b"n"
    assert stat.S_IMODE((tmp_path / "x/y/new").stat().st_mode) == 0o640
    assert [path.name for path in (tmp_path / "x/y").iterdir()] == ["new"]


@pytest.mark.invariant("F8")
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o4711])
def test_a_replaced_file_keeps_its_mode(tmp_path: Path, mode: int):
    target = tmp_path / "f"
    target.write_bytes(b"old")
    target.chmod(mode)
    Workspace(tmp_path).write("f", b"new", expected=b"old")
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert names(tmp_path) == ["f"]


def test_a_replaced_file_keeps_its_attributes(tmp_path: Path):
    target = tmp_path / "f"
    target.write_bytes(b"old")
    os.setxattr(target, "user.note", b"kept")
    Workspace(tmp_path).write("f", b"new", expected=b"old")
    assert os.getxattr(target, "user.note") == b"kept"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_replaced_file_keeps_its_owner(tmp_path: Path):
    target = tmp_path / "f"
    target.write_bytes(b"old")
    os.chown(target, NOBODY, NOBODY)
    Workspace(tmp_path).write("f", b"new", expected=b"old")
    assert (target.stat().st_uid, target.stat().st_gid) == (NOBODY, NOBODY)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a file of somebody else")
def test_a_file_whose_owner_cannot_be_kept_is_left_alone(tmp_path: Path):
    room = tmp_path / "room"
    room.mkdir()
    target = room / "f"
    target.write_bytes(b"old")
    target.chmod(0o666)
    room.chmod(0o777)
    open_the_way(room)
    before = state(target)

    def act() -> None:
        with pytest.raises(ToolError, match="cannot write"):
            Workspace(room).write("f", b"new", expected=b"old")

    as_ordinary_user(act)
    assert state(target) == before
    assert names(room) == ["f"]


@pytest.mark.invariant("F8")
def test_links_survive_and_lead_to_the_new_content(tmp_path: Path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "dangling").symlink_to("later")
    Workspace(tmp_path).write("link", b"new", expected=b"old")
    Workspace(tmp_path).write("dangling", b"made", expected=None)
    assert (tmp_path / "link").readlink() == Path("real")
    assert (tmp_path / "real").read_bytes() == b"new"
    assert (tmp_path / "dangling").readlink() == Path("later")
    assert (tmp_path / "later").read_bytes() == b"made"


def test_hard_links_stay_together(tmp_path: Path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "f").write_bytes(b"old")
    os.link(tmp_path / "f", tmp_path / "sub" / "g")
    Workspace(tmp_path).write("f", b"new", expected=b"old")
    assert (tmp_path / "sub" / "g").read_bytes() == b"new"
    assert (tmp_path / "sub" / "g").samefile(tmp_path / "f")
    assert names(tmp_path / "sub") == ["g"]


def test_a_hard_link_to_somewhere_outside_is_not_parted(tmp_path: Path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside").write_bytes(b"old")
    os.link(tmp_path / "outside", root / "f")
    before = state(root / "f")
    with pytest.raises(ToolError, match="hard links"):
        Workspace(root).write("f", b"new", expected=b"old")
    assert state(root / "f") == before


REFUSALS = {
    "content differs": ("f", b"other", "changed"),
    "content is a prefix": ("f", b"ol", "changed"),
    "gone": ("g", b"old", "changed"),
    "appeared": ("f", None, "already"),
    "read-only": ("ro", b"old", "read-only"),
    "a directory": ("d", b"old", "directory"),
    "a new file where a directory is": ("d", None, "already"),
    "below a file": ("f/x", None, "not a directory"),
}


@pytest.mark.parametrize(("path", "expected", "says"), REFUSALS.values(), ids=REFUSALS)
def test_a_refused_write_changes_nothing(tmp_path: Path, path, expected, says):
    (tmp_path / "d").mkdir()
    for name in ("f", "ro"):
        (tmp_path / name).write_bytes(b"old")
    (tmp_path / "ro").chmod(0o444)
    before = {name: state(tmp_path / name) for name in ("f", "ro")}
    with pytest.raises(ToolError, match=says):
        Workspace(tmp_path).write(path, b"new", expected=expected)
    assert {name: state(tmp_path / name) for name in ("f", "ro")} == before
    assert names(tmp_path) == ["d", "f", "ro"]


FAILING = ["write", "fsync", "fchmod", "rename", "setxattr"]


@pytest.mark.parametrize("call", FAILING)
def test_a_failing_system_call_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, call: str):
    target = tmp_path / "f"
    target.write_bytes(b"old")
    os.setxattr(target, "user.note", b"x")
    before = state(target)

    def fail(*_args: object, **_named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(ToolError, match="No space left"):
            Workspace(tmp_path).write("f", b"new", expected=b"old")
    assert state(target) == before
    assert names(tmp_path) == ["f"]


@pytest.mark.parametrize("call", ["write", "fsync", "link"])
def test_a_new_file_that_fails_takes_its_directories_along(tmp_path, monkeypatch, call: str):
    def fail(*_args: object, **_named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(ToolError):
            Workspace(tmp_path).write("a/b/f", b"new", expected=None)
    assert names(tmp_path) == []


@pytest.mark.invariant("F6", "F9")
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("call", ["link", "rename"])
def test_a_kill_leaves_old_or_new_and_the_next_write_sweeps(tmp_path, call: str, *, after: bool):
    target = tmp_path / "f"
    target.write_bytes(b"old")
    child = os.fork()
    if child == 0:
        real = getattr(os, call)

        def die(*arguments: object, **named: object) -> object:
            if after:
                real(*arguments, **named)
            os.kill(os.getpid(), signal.SIGKILL)

        setattr(os, call, die)
        try:
            Workspace(tmp_path).write("f", b"new", expected=b"old")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert target.read_bytes() in {b"old", b"new"}
    assert [entry.path for entry in Workspace(tmp_path).walk(".")] == ["f"]
    Workspace(tmp_path).write("f", b"next", expected=target.read_bytes())
    assert names(tmp_path) == ["f"]


def test_file_systems_without_hard_links_still_get_new_files(tmp_path, monkeypatch):
    def fail(*_args: object, **_named: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(_draft, "_UNNAMED", 0)
    monkeypatch.setattr(os, "link", fail)
    workspace = Workspace(tmp_path)
    workspace.write("f", b"new", expected=None)
    assert (tmp_path / "f").read_bytes() == b"new"
    with pytest.raises(ToolError, match="already"):
        workspace.write("f", b"newer", expected=None)


@pytest.mark.invariant("F10")
def test_a_change_in_the_last_moment_is_seen(tmp_path, monkeypatch):
    target = tmp_path / "f"
    target.write_bytes(b"old")
    monkeypatch.setattr(os, "fchmod", lambda *_: target.write_bytes(b"theirs"))
    with pytest.raises(ToolError, match="changed"):
        Workspace(tmp_path).write("f", b"new", expected=b"old")
    assert target.read_bytes() == b"theirs"


def test_a_directory_kept_locked_is_an_error_and_no_hang(tmp_path, monkeypatch):
    monkeypatch.setattr(_held, "_LOCK_PAUSE", 0)
    (tmp_path / "f").write_bytes(b"old")
    holder = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX)
        with pytest.raises(ToolError, match="locked"):
            Workspace(tmp_path).write("f", b"new", expected=b"old")
    finally:
        os.close(holder)


def test_a_file_system_without_locks_is_written_all_the_same(tmp_path, monkeypatch):
    def fail(*_args: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", fail)
    Workspace(tmp_path).write("f", b"new", expected=None)
    assert (tmp_path / "f").read_bytes() == b"new"
