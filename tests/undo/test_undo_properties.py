"""Whatever a session does to files, undo makes the tree what it was, redo what it had become."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_cli.types.entries import FilesChanged, FilesRestored, UserSaid
from agent_cli.types.evidence import FileChange
from agent_cli.undo.baseline import Baseline
from agent_cli.undo.history import history, redoing, undoing
from agent_cli.undo.preimages import pool, session_folder
from agent_cli.undo.restore import Restoring

NAMES = st.sampled_from(["a", "b", "c", "d/a", "d/b", "d/e/a", "f/a", "f"])
CONTENTS = st.binary(max_size=20)
MODES = st.sampled_from([0o600, 0o644, 0o755, 0o444, 0o700])
EDITS = st.one_of(
    st.tuples(st.just("write"), NAMES, CONTENTS),
    st.tuples(st.just("remove"), NAMES, st.none()),
    st.tuples(st.just("chmod"), NAMES, MODES),
    st.tuples(st.just("link"), NAMES, st.sampled_from(["a", "nowhere", "../x"])),
    st.tuples(st.just("rename"), NAMES, NAMES),
    st.tuples(st.just("mkdir"), NAMES, st.none()),
)


def tree(root: Path) -> dict[str, object]:
    """Return all that undo brings back."""
    found: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        one = path.lstat()
        what = path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        found[str(path.relative_to(root))] = (one.st_mode, what)
    return found


def times(root: Path) -> dict[Path, int]:
    return {path: path.lstat().st_mtime_ns for path in root.rglob("*") if not path.is_dir()}


def clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def edit(root: Path, step: tuple[str, str, Any]) -> None:
    """Do one thing that a command could do; what cannot be done is not done."""
    what, name, how = step
    path = root / name
    try:
        if what in {"write", "link", "mkdir", "rename"}:
            path.parent.mkdir(parents=True, exist_ok=True)
        match what:
            case "write":
                path.write_bytes(how)
            case "remove":
                clear(path)
            case "chmod":
                if not path.is_symlink() and path.exists():
                    path.chmod(how | 0o700 if path.is_dir() else how)
            case "link":
                clear(path)
                path.symlink_to(how)
            case "mkdir":
                path.mkdir()
            case _:
                path.rename(root / how)
    except OSError:
        pass


class Scene:
    """A workspace, what is kept of it, and a session of calls that are made by hand."""

    def __init__(self, place: Path) -> None:
        self.root = place / "root"
        self.root.mkdir()
        self.own = session_folder(place / "kept", "one")
        self.baseline = Baseline((str(self.root),), pool(place / "kept"), self.own)
        self.restoring = Restoring((str(self.root),), "", self.own)
        self.entries: list[Any] = [UserSaid("go")]

    def call(self, steps: list[tuple[str, str, Any]]) -> tuple[FileChange, ...]:
        self.baseline.mark("call")
        for step in steps:
            edit(self.root, step)
        changes, missed = self.baseline.changes()
        assert missed == ()
        self.entries.append(FilesChanged(f"call_{len(self.entries)}", changes))
        return changes

    def restore(self, why: str) -> FilesRestored:
        known = history(self.entries)
        if why == "redo":
            undone = known.redoable()
            wanted = redoing(undone) if undone else ()
        else:
            wanted = undoing([one.file for one in known.since(1)])
        done = self.restoring.carry_out(self.restoring.plan(wanted))
        assert done.left == ()
        restored = FilesRestored(done.changes, why)
        self.entries.append(restored)
        return restored


@settings(max_examples=150)
@given(st.lists(EDITS, max_size=8), st.lists(st.lists(EDITS, max_size=5), max_size=4))
def test_undo_is_the_tree_as_before_and_redo_as_after(before: list[Any], calls: list[list[Any]]):
    with tempfile.TemporaryDirectory() as place:
        scene = Scene(Path(place))
        for step in before:
            edit(scene.root, step)
        first = tree(scene.root)
        for steps in calls:
            scene.call(steps)
        last = tree(scene.root)
        touched = {one.path for entry in scene.entries[1:] for one in entry.changes}
        kept = {
            path: at
            for path, at in times(scene.root).items()
            if str(path.relative_to(scene.root)) not in touched
        }
        restored = scene.restore("undo")
        assert tree(scene.root) == first
        assert {path: at for path, at in times(scene.root).items() if path in kept} == kept
        if restored.changes:
            scene.restore("redo")
            assert tree(scene.root) == last
            scene.restore("undo")
            assert tree(scene.root) == first


@given(st.lists(EDITS, max_size=8), st.lists(EDITS, min_size=1, max_size=5), EDITS)
def test_what_somebody_else_has_changed_stays(before: list[Any], steps: list[Any], foreign: Any):
    with tempfile.TemporaryDirectory() as place:
        scene = Scene(Path(place))
        for step in before:
            edit(scene.root, step)
        scene.call(steps)
        between = tree(scene.root)
        edit(scene.root, foreign)
        after = tree(scene.root)
        theirs = {name for name in after if after[name] != between.get(name)}
        wanted = undoing([one.file for one in history(scene.entries).since(1)])
        scene.restoring.carry_out(scene.restoring.plan(wanted))
        now = tree(scene.root)
        assert {name: now.get(name) for name in theirs} == {name: after[name] for name in theirs}
        assert not list(scene.root.rglob(".agent-*"))
