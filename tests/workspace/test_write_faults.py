"""Every system call of a write fails once, and dies once: the file is old or new, and alone."""

import os
import signal
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from testbed.faults import (
    CHANGING,
    ERRORS,
    LOOKING,
    Fault,
    Nth,
    failing,
    interrupting,
    short,
    without_waiting,
)

from agent_cli.types.errors import ToolError
from agent_cli.workspace import _draft
from agent_cli.workspace.gate import Workspace

OLD, NEW = b"old\n" * 50, b"new content\n" * 100
IN_ONE_CALL = pytest.mark.parametrize("way_down", ["openat2"], indirect=True)
LONGEST = 200
"""System calls after which a write has certainly ended."""


class Scene(NamedTuple):
    """What is written, and under which other names it must be seen."""

    lay: Callable[[Path], object]
    path: str
    names: tuple[str, ...]
    exists: bool = True


def file(root: Path) -> Path:
    target = root / "f"
    target.write_bytes(OLD)
    target.chmod(0o751)
    os.setxattr(target, "user.note", b"kept")
    return target


def linked(root: Path) -> None:
    (root / "sub").mkdir()
    file(root).rename(root / "sub/real")
    (root / "f").symlink_to("sub/real")


def named_three_times(root: Path) -> None:
    for name in ("a", "b"):
        (root / name).mkdir()
    target = file(root)
    for name in ("a/one", "b/two"):
        os.link(target, root / name)


SCENES = {
    "replaced": Scene(file, "f", ("f",)),
    "replaced through a link": Scene(linked, "f", ("sub/real",)),
    "replaced under three names": Scene(named_three_times, "f", ("f", "a/one", "b/two")),
    "created": Scene(lambda root: None, "f", ("f",), exists=False),
    "created with directories": Scene(lambda root: None, "a/b/f", ("a/b/f",), exists=False),
}


@pytest.fixture(params=["unnamed", "named"], autouse=True)
def drafts(request, monkeypatch):
    without_waiting(monkeypatch)
    if request.param == "named":
        monkeypatch.setattr(_draft, "_UNNAMED", 0)


@pytest.fixture(params=SCENES.values(), ids=SCENES)
def scene(request) -> Scene:
    return request.param


def runs(scene: Scene, place: Path, fault: Fault, names: tuple[str, ...]) -> Iterator[Path]:
    """Write again and again, each time with the fault one call later, until it is not met."""
    for number in range(1, LONGEST):
        root = place / str(number) / "root"
        root.mkdir(parents=True)
        scene.lay(root)
        before, opened = tree(root), descriptors()
        nth = Nth(number, fault, names)
        try:
            with nth():
                write(root, scene)
        except (ToolError, KeyboardInterrupt):
            assert fault is interrupting or tree(root) == before, (number, nth.hit)
        if nth.hit in {"unlink", "listdir"}:
            tidy(root)
        assert fault is interrupting or descriptors() == opened, (number, nth.hit)
        check(scene, root, before)
        if not nth.hit:
            assert contents(scene, root) == {NEW}
            return
        yield root
    raise AssertionError("the write never ended")


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def write(root: Path, scene: Scene) -> None:
    workspace = Workspace(root, notes=root.parent / "notes")
    workspace.write(scene.path, NEW, expected=OLD if scene.exists else None)


def tidy(root: Path) -> None:
    """Do what the next start does."""
    Workspace(root, notes=root.parent / "notes").tidy()
    notes = root.parent / "notes"
    assert not notes.exists() or list(notes.iterdir()) == []


def check(scene: Scene, root: Path, before: dict[str, object]) -> None:
    """See that the file is old or new under all of its names, and that there is nothing else."""
    made = tree(root).keys() - before.keys()
    assert {name for name in made if not (root / name).is_dir()} <= set(scene.names)
    there = [root / name for name in scene.names if (root / name).exists()]
    if scene.exists:
        assert len(there) == len(scene.names)
        assert all(path.stat().st_mode & 0o7777 == 0o751 for path in there)
        assert all(os.getxattr(path, "user.note") == b"kept" for path in there)
    assert contents(scene, root) <= {OLD, NEW}


def contents(scene: Scene, root: Path) -> set[bytes]:
    return {(root / name).read_bytes() for name in scene.names if (root / name).exists()}


def tree(root: Path) -> dict[str, object]:
    """Return what must be as before after a failure, but for the times of directories."""
    found: dict[str, object] = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = Path(folder, name)
            one = path.lstat()
            kept = (one.st_mtime_ns, one.st_size, one.st_nlink) if name in files else ()
            data = path.read_bytes() if name in files else b""
            found[str(path.relative_to(root))] = (one.st_mode, one.st_ino, kept, data)
    return found


def failures() -> Iterator[Any]:
    """Yield every scene with every error; for a commit, each of both once at least is enough."""
    for number, (name, scene) in enumerate(SCENES.items()):
        for place, (error, code) in enumerate(ERRORS.items()):
            marks = () if place == number % len(ERRORS) else (pytest.mark.nightly,)
            yield pytest.param(scene, code, id=f"{name}-{error}", marks=marks)


@pytest.mark.invariant("F5")
@pytest.mark.parametrize("way_down", ["step by step"], indirect=True)
@pytest.mark.parametrize(("scene", "code"), list(failures()), indirect=["scene"])
def test_a_write_that_fails_anywhere_changes_nothing(tmp_path: Path, scene: Scene, code: int):
    together = [
        len(contents(scene, root))
        for root in runs(scene, tmp_path, failing(code), CHANGING + LOOKING)
    ]
    assert len(together) > 5
    assert max(together) <= 1


@IN_ONE_CALL
def test_short_writes_are_gone_on_with(tmp_path: Path, scene: Scene):
    for root in runs(scene, tmp_path, short, ("write",)):
        assert contents(scene, root) == {NEW}


@IN_ONE_CALL
def test_a_write_that_is_interrupted_anywhere_leaves_old_or_new(tmp_path: Path, scene: Scene):
    assert all(runs(scene, tmp_path, interrupting, CHANGING))


@pytest.mark.invariant("F6", "F9")
@IN_ONE_CALL
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_kill_anywhere_leaves_old_or_new_and_the_next_start_tidies(
    tmp_path: Path, scene: Scene, *, after: bool
):
    for number in range(1, LONGEST):
        root = tmp_path / str(number) / "root"
        root.mkdir(parents=True)
        scene.lay(root)
        before = tree(root)
        ended = killed(root, scene, number, after=after)
        tidy(root)
        check(scene, root, before)
        if ended:
            return
    raise AssertionError("the write never ended")


def killed(root: Path, scene: Scene, number: int, *, after: bool) -> bool:
    """Write in a child that dies at its Nth call; return whether it ended before that."""

    def die(function: Callable[..., object], arguments: tuple[object, ...], named: dict) -> object:
        if after:
            function(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of fork beside threads
        child = os.fork()
    if child == 0:
        try:
            with Nth(number, die, CHANGING)():
                write(root, scene)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFEXITED(status)
