"""What a command changed is seen by its status, and what is not kept is said."""

import os
import shutil
from pathlib import Path

import pytest

from agent_cli.types.errors import ToolError
from agent_cli.types.evidence import FileChange
from agent_cli.undo import baseline as module
from agent_cli.undo.baseline import Baseline
from agent_cli.undo.preimages import Folder, digest, pool, session_folder
from agent_cli.workspace import scan


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    for name in ("a", "b", "src/c"):
        (root / name).write_text(name)
    return root


def made(
    root: Path, *extra: Path, session: str = "one", contents: Folder | None = None
) -> Baseline:
    kept = root.parent / "kept"
    roots = tuple(str(path) for path in (root, *extra))
    return Baseline(roots, contents or pool(kept), session_folder(kept, session))


def paths(changes: tuple[FileChange, ...]) -> list[str]:
    return sorted(one.path for one in changes)


def test_only_what_changed_after_the_mark_is_the_calls(root: Path):
    watched = made(root)
    watched.prepare()
    (root / "a").write_text("before the call")
    watched.mark("call")
    (root / "b").write_text("B")
    (root / "src/c").unlink()
    os.utime(root / "a")
    changes, missed = watched.changes()
    assert (paths(changes), missed) == (["b", "src/c"], ())
    assert watched.changes() == ((), ())


def test_what_git_ignores_is_not_seen(root: Path):
    (root / ".gitignore").write_text("build/\n*.log\n")
    (root / ".git").mkdir()
    watched = made(root)
    watched.mark("call")
    (root / "build").mkdir()
    (root / "build/x").touch()
    (root / "x.log").touch()
    (root / ".git/index").touch()
    (root / "y").touch()
    assert paths(watched.changes()[0]) == ["y"]
    watched.mark("call")
    (root / ".gitignore").write_text("")
    assert {"x.log", "build/x", ".gitignore"} <= set(paths(watched.changes()[0]))


@pytest.mark.parametrize("name", ["id_rsa", ".env", "secret.txt", "large"])
def test_what_may_not_be_kept_is_missed(
    root: Path, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(module, "MOST_OF_FILE", 50)
    (root / ".agentignore").write_text("secret.txt\n")
    (root / name).write_text("x" * (51 if name == "large" else 5))
    watched = made(root)
    watched.mark("call")
    assert watched.changes() == ((), ())
    (root / name).write_text("y" * (60 if name == "large" else 6))
    assert watched.changes() == ((), (name,))
    contents = [path.read_bytes() for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert b"x" * 5 not in contents


def test_what_the_pool_has_no_room_for_is_missed(root: Path, tmp_path: Path):
    watched = made(root, contents=Folder(tmp_path / "pool", 1, spread=True))
    watched.mark("call")
    for name in ("a", "src/c"):
        (root / name).write_text("n")
    changes, missed = watched.changes()
    assert (changes, sorted(missed)) == ((), ["a", "src/c"])


def test_a_pool_that_was_lost_is_said_to_be(root: Path, tmp_path: Path):
    watched = made(root)
    watched.mark("call")
    shutil.rmtree(tmp_path / "kept/pool")
    (root / "a").unlink()
    assert watched.changes() == ((), ("a",))


def test_a_name_that_is_no_text_is_missed(root: Path):
    watched = made(root)
    watched.mark("call")
    Path(os.fsdecode(os.fsencode(root) + b"/\xff")).touch()
    assert watched.changes() == ((), ("\\xff",))


def test_another_root_is_watched_too_and_one_within_only_once(root: Path, tmp_path: Path):
    other = tmp_path / "other"
    (other / "in").mkdir(parents=True)
    watched = made(root, other, other / "in", root / "src")
    watched.mark("call")
    (other / "in/x").touch()
    (root / "src/c").write_text("C")
    assert paths(watched.changes()[0]) == [str(other / "in/x"), "src/c"]


def test_the_next_session_reads_only_what_is_new(root: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("a", "b", "src/c"):
        os.utime(root / name, (1, 1))
    monkeypatch.setattr(module, "_SETTLED", -1)
    first = made(root)
    first.prepare()
    first.close()
    read: list[str] = []
    look = module.look
    monkeypatch.setattr(module, "look", lambda path, limit: read.append(path) or look(path, limit))
    (root / "b").write_text("other")
    second = made(root, session="two")
    second.prepare()
    assert read == [str(root / "b")]
    second.mark("call")
    (root / "a").unlink()
    (change,) = second.changes()[0]
    assert change.before is not None
    assert change.before.hash == digest(b"a")


def test_a_killed_process_leaves_what_it_takes_to_tell(root: Path):
    first = made(root)
    first.mark("call")
    (root / "a").write_text("A")
    resumed = made(root)
    assert not resumed.resume("another")
    assert resumed.resume("call")
    assert paths(resumed.changes()[0]) == ["a"]
    assert not made(root, session="never").resume("call")


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x81\xa1a\xc0"])
def test_an_index_that_is_damaged_is_none(root: Path, tmp_path: Path, data: bytes):
    made(root).mark("call")
    made(root).close()
    for index in [*(tmp_path / "kept").rglob("*.index"), *(tmp_path / "kept").rglob("running")]:
        index.write_bytes(data)
    assert not made(root).resume("call")
    watched = made(root)
    watched.mark("call")
    (root / "a").unlink()
    assert paths(watched.changes()[0]) == ["a"]


def test_too_many_files_are_refused(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(scan, "MOST_NAMES", 3)
    with pytest.raises(ToolError, match="more than 3 files"):
        made(root).mark("call")


def test_work_that_is_given_up_ends_and_what_is_known_stays(root: Path):
    watched = made(root)
    watched.stopped = True
    watched.prepare()
    watched.close()
    assert list((root.parent / "kept").rglob("*")) == []
