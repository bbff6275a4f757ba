"""Files are put back whole or not at all, and only what is as expected is touched."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from testbed.faults import CHANGING, ERRORS, Nth, failing, interrupting, without_waiting

from agent_cli.types.evidence import FileVersion
from agent_cli.undo.history import Wanted
from agent_cli.undo.preimages import Memory, digest
from agent_cli.undo.restore import Left, Restoring, Why, copy_at, look_at, version

OLD, NEW = b"old\n", b"new\n"
LONGEST = 100


def kept(data: bytes, mode: int = 0o644) -> FileVersion:
    return FileVersion(digest(data), mode)


def store() -> Memory:
    memory = Memory()
    memory.put(OLD)
    memory.put(NEW)
    return memory


def restoring(root: Path) -> Restoring:
    return Restoring((str(root),), str(root.parent / "notes"), store())


def write(path: Path, data: bytes, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


def now(root: Path, path: str) -> FileVersion | None:
    return version(look_at(path, f"{root}/{path.rstrip('/')}"))


SCENES: dict[str, tuple[Callable[[Path], object], Wanted]] = {
    "replaced": (lambda f: write(f, NEW), Wanted("f", kept(NEW), kept(OLD))),
    "removed": (lambda f: write(f, NEW), Wanted("f", kept(NEW), None)),
    "made": (lambda f: None, Wanted("f", None, kept(OLD, 0o750))),
    "made in a directory": (lambda f: None, Wanted("d/f", None, kept(OLD))),
    "its mode": (lambda f: write(f, OLD), Wanted("f", kept(OLD), kept(OLD, 0o400))),
    "read-only": (lambda f: write(f, NEW, 0o444), Wanted("f", kept(NEW, 0o444), kept(OLD, 0o444))),
    "a link": (lambda f: write(f, NEW), Wanted("f", kept(NEW), kept(b"../f", 0o120777))),
    "no link": (
        lambda f: f.symlink_to("../f"),
        Wanted("f", kept(b"../f", 0o120777), kept(OLD)),
    ),
    "no directory": (lambda f: f.mkdir(mode=0o755), Wanted("f/", kept(b"", 0o40755), None)),
    "a directory": (lambda f: None, Wanted("f/", None, kept(b"", 0o40700))),
}


@pytest.fixture(params=SCENES.values(), ids=list(SCENES))
def scene(request: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    without_waiting(monkeypatch)
    return request.param


@pytest.mark.parametrize(
    "fault", [*map(failing, ERRORS.values()), interrupting], ids=[*ERRORS, "^C"]
)
def test_a_fault_anywhere_leaves_old_or_new_and_can_be_repeated(
    tmp_path: Path, scene: Any, fault: Any
):
    lay, wanted = scene
    for number in range(1, LONGEST):
        root = tmp_path / str(number) / "root"
        root.mkdir(parents=True)
        lay(root / "f")
        work = restoring(root)
        if wanted.target is not None and wanted.target.mode == 0o120777:
            work = Restoring((str(root),), "", linked())
        plan = work.plan([wanted])
        nth = Nth(number, fault, CHANGING)
        try:
            with nth():
                done = work.carry_out(plan)
            assert nth.hit or done.left == ()
        except KeyboardInterrupt:
            pass
        assert now(root, wanted.path) in (wanted.found, wanted.target), nth.hit
        again = work.carry_out(work.plan([wanted]))
        assert (again.left, now(root, wanted.path)) == ((), wanted.target), nth.hit
        assert [*root.rglob(".agent-*")] == []
        if not nth.hit:
            return
    raise AssertionError("it never ended")


def linked() -> Memory:
    memory = store()
    memory.put(b"../f")
    return memory


def chosen(root: Path) -> None:
    write(root / "f", b"mine")


LEFT: dict[str, tuple[Callable[[Path], object], Wanted, Why]] = {
    "changed": (chosen, Wanted("f", kept(NEW), kept(OLD)), Why.CHANGED),
    "another mode": (
        lambda root: write(root / "f", NEW, 0o700),
        Wanted("f", kept(NEW), kept(OLD)),
        Why.CHANGED,
    ),
    "gone": (lambda root: None, Wanted("f", kept(NEW), kept(OLD)), Why.CHANGED),
    "there already": (chosen, Wanted("f", None, kept(OLD)), Why.CHANGED),
    "not kept": (
        lambda root: write(root / "f", NEW),
        Wanted("f", kept(NEW), kept(b"lost")),
        Why.NOT_KEPT,
    ),
    "outside": (lambda root: None, Wanted("/etc/passwd", None, kept(OLD)), Why.OUTSIDE),
    "climbing": (lambda root: None, Wanted("../f", None, kept(OLD)), Why.OUTSIDE),
    "the root": (lambda root: None, Wanted("./", None, kept(OLD)), Why.OUTSIDE),
    "behind a link": (
        lambda root: (root / "d").symlink_to(root.parent),
        Wanted("d/f", None, kept(OLD)),
        Why.FAILED,
    ),
    "a pipe": (
        lambda root: os.mkfifo(root / "f"),
        Wanted("f", kept(NEW), kept(OLD)),
        Why.FAILED,
    ),
}


@pytest.mark.parametrize(("lay", "wanted", "why"), LEFT.values(), ids=list(LEFT))
def test_what_is_not_as_the_session_left_it_is_left_alone(
    tmp_path: Path, lay: Any, wanted: Wanted, why: Why
):
    root = tmp_path / "root"
    root.mkdir()
    lay(root)
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    work = restoring(root)
    done = work.carry_out(work.plan([wanted]))
    assert [(one.path, one.why) for one in done.left] == [(wanted.path, why)]
    assert done.changes == ()
    assert sorted(str(path) for path in tmp_path.rglob("*") if path.name != "notes") == before


def test_a_change_between_plan_and_deed_is_seen(tmp_path: Path):
    for wanted in (Wanted("f", kept(NEW), kept(OLD)), Wanted("f", kept(NEW), None)):
        root = tmp_path / str(wanted.target is None)
        write(root / "f", NEW)
        work = restoring(root)
        plan = work.plan([wanted])
        write(root / "f", b"mine")
        done = work.carry_out(plan)
        assert [one.why for one in done.left] == [Why.FAILED]
        assert (root / "f").read_bytes() == b"mine"


def test_a_directory_with_files_of_others_stays(tmp_path: Path):
    write(tmp_path / "d/mine", b"mine")
    mode = (tmp_path / "d").stat().st_mode
    work = restoring(tmp_path)
    done = work.carry_out(work.plan([Wanted("d/", kept(b"", mode), None)]))
    assert (done.changes, done.left) == ((), ())
    assert (tmp_path / "d/mine").exists()


def test_all_names_of_a_file_get_the_content(tmp_path: Path):
    write(tmp_path / "f", NEW)
    os.link(tmp_path / "f", tmp_path / "g")
    work = restoring(tmp_path)
    work.carry_out(work.plan([Wanted("f", kept(NEW), kept(OLD))]))
    assert (tmp_path / "g").read_bytes() == OLD
    assert (tmp_path / "g").stat().st_ino == (tmp_path / "f").stat().st_ino


def test_a_copy_is_as_it_was_and_the_workspace_stays(tmp_path: Path):
    root, target = tmp_path / "root", tmp_path / "copy"
    write(root / "f", NEW)
    write(root / "g", b"mine")
    os.mkfifo(root / "pipe")
    wanted = [Wanted("f", kept(NEW), kept(OLD)), Wanted("g", kept(NEW), kept(OLD))]
    assert copy_at(root, target, wanted, store()) == (Left("g", Why.CHANGED),)
    assert (root / "f").read_bytes() == NEW
    assert {path.name: path.read_bytes() for path in target.iterdir()} == {"f": OLD, "g": b"mine"}
