"""What was trusted is kept: privately, as one step, and no decision is lost."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from agent_cli.trust import store as store_module
from agent_cli.trust.manifest import Acting, Manifest, digest
from agent_cli.trust.store import KEPT_LIMIT, Kept, give, name_of, revoke, trusted_files
from agent_cli.types.errors import ConfigurationError


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "data" / "agent" / "trust.json"


def seen(**contents: str) -> Manifest:
    return Manifest(
        tuple(
            Acting(path, digest(content.encode()), content.encode())
            for path, content in contents.items()
        )
    )


def test_what_is_given_is_found_again(store: Path, tmp_path: Path):
    assert trusted_files(store, tmp_path) is None
    give(store, tmp_path, seen(a="1"))
    give(store, tmp_path / "other", seen(b="2"))
    assert trusted_files(store, tmp_path) == {"a": Kept(digest(b"1"), b"1")}
    give(store, tmp_path, seen(c="3"))
    assert trusted_files(store, tmp_path) == {"c": Kept(digest(b"3"), b"3")}
    assert revoke(store, tmp_path)
    assert not revoke(store, tmp_path)
    assert trusted_files(store, tmp_path) is None
    assert trusted_files(store, tmp_path / "other") is not None


def test_a_folder_is_known_by_its_real_path(store: Path, tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    give(store, tmp_path / "link", seen(a="1"))
    assert trusted_files(store, tmp_path / "real") is not None
    (tmp_path / "link").unlink()
    (tmp_path / "link").mkdir()
    assert trusted_files(store, tmp_path / "link") is None


def test_a_worktree_is_not_trusted_for_what_it_belongs_to(store: Path, tmp_path: Path):
    trusted, hostile = tmp_path / "trusted", tmp_path / "hostile"
    (trusted / ".git").mkdir(parents=True)
    hostile.mkdir()
    (hostile / ".git").write_text(f"gitdir: {trusted}/.git/worktrees/x\n")
    (hostile / "commondir").write_text(f"{trusted}/.git\n")
    give(store, trusted, seen(a="1"))
    assert trusted_files(store, hostile) is None


def test_it_is_the_users_alone(store: Path, tmp_path: Path):
    give(store, tmp_path, seen(a="1"))
    assert store.stat().st_mode & 0o777 == 0o600
    assert store.parent.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in store.parent.iterdir()) == [
        "trust.json", "trust.json.lock",
    ]  # fmt: skip


@pytest.mark.invariant("I15")
def test_unknown_fields_survive(store: Path, tmp_path: Path):
    give(store, tmp_path, seen(a="1"))
    document = json.loads(store.read_text())
    document["later"] = {"x": [1]}
    document["folders"][name_of(str(tmp_path))]["note"] = "mine"
    document["folders"]["/elsewhere"] = {"files": {}, "more": 1}
    store.write_text(json.dumps(document))
    give(store, tmp_path, seen(a="2"))
    after = json.loads(store.read_text())
    assert after["later"] == {"x": [1]}
    assert after["folders"][name_of(str(tmp_path))]["note"] == "mine"
    assert after["folders"]["/elsewhere"] == {"files": {}, "more": 1}


def test_a_long_content_is_only_hashed(store: Path, tmp_path: Path):
    long = "x" * (KEPT_LIMIT + 1)
    give(store, tmp_path, seen(a=long))
    assert trusted_files(store, tmp_path) == {"a": Kept(digest(long.encode()), None)}


def test_any_name_is_spelled_without_loss(store: Path, tmp_path: Path):
    names = ["a\udcff", "a\udcfe", "a%FF", "ä", 'q"\n\\']
    assert len({name_of(name) for name in names}) == len(names)
    give(store, tmp_path, seen(**dict.fromkeys(names, "x")))
    assert trusted_files(store, tmp_path).keys() == {name_of(name) for name in names}


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "null", '{"format": 2, "folders": {}}', '{"folders": {}}', '{"format": 1}',
     '{"format": 1, "folders": []}', '{"format": 1, "folders": {"KEY": 3}}',
     '{"format": 1, "folders": {"KEY": {}}}',
     '{"format": 1, "folders": {"KEY": {"files": {"a": 1}}}}',
     '{"format": 1, "folders": {"KEY": {"files": {"a": {}}}}}'],
)  # fmt: skip
def test_a_damaged_file_is_an_error_and_stays_as_it_is(store: Path, tmp_path: Path, text: str):
    text = text.replace("KEY", name_of(str(tmp_path)))
    store.parent.mkdir(parents=True)
    store.write_text(text)
    store.chmod(0o600)
    with pytest.raises(ConfigurationError, match="is not what agent wrote"):
        trusted_files(store, tmp_path)
    assert store.read_text() == text


@pytest.mark.parametrize("text", ["{", '{"format": 2, "folders": {}}'])
def test_what_is_not_understood_is_not_overwritten(store: Path, tmp_path: Path, text: str):
    store.parent.mkdir(parents=True)
    store.write_text(text)
    for change in (lambda: give(store, tmp_path, seen(a="1")), lambda: revoke(store, tmp_path)):
        with pytest.raises(ConfigurationError):
            change()
    assert store.read_text() == text


def test_a_file_that_others_can_write_does_not_count(store: Path, tmp_path: Path):
    give(store, tmp_path, seen(a="1"))
    store.chmod(0o620)
    with pytest.raises(ConfigurationError, match="written by others"):
        trusted_files(store, tmp_path)


def test_a_link_in_its_place_does_not_count(store: Path, tmp_path: Path):
    give(store, tmp_path, seen(a="1"))
    store.rename(store.with_name("moved"))
    store.symlink_to("moved")
    with pytest.raises(ConfigurationError, match="cannot read"):
        trusted_files(store, tmp_path)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path):
    (tmp_path / "data").write_text("")
    with pytest.raises(ConfigurationError, match="cannot write"):
        give(tmp_path / "data" / "trust.json", tmp_path, seen(a="1"))


@pytest.mark.invariant("I15")
def test_a_change_by_somebody_without_the_lock_is_not_lost(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    give(store, tmp_path, seen(a="1"))
    real = store_module.os.urandom
    edits = ["edited"]

    def urandom(count: int) -> bytes:
        if edits:  # the moment between reading and replacing
            document = json.loads(store.read_text())
            store.write_text(json.dumps(document | {"note": edits.pop()}))
        return real(count)

    monkeypatch.setattr(store_module.os, "urandom", urandom)
    give(store, tmp_path / "x", seen(a="1"))
    after = json.loads(store.read_text())
    assert (after["note"], len(after["folders"])) == ("edited", 2)


GIVE = """
import sys
from pathlib import Path
from agent_cli.trust.manifest import Acting, Manifest
from agent_cli.trust.store import give
for number in range(20):
    folder = Path(f"/folder-{sys.argv[2]}-{number}")
    give(Path(sys.argv[1]), folder, Manifest((Acting("a", "0", b""),)))
"""


@pytest.mark.invariant("I15")
def test_processes_at_once_lose_none_of_their_decisions(store: Path):
    started = [
        subprocess.Popen([sys.executable, "-c", GIVE, str(store), str(number)])
        for number in range(4)
    ]
    assert [process.wait() for process in started] == [0, 0, 0, 0]
    assert len(msgspec.json.decode(store.read_bytes())["folders"]) == 80


KILLED = """
import os, signal, sys
from pathlib import Path
from agent_cli.trust.manifest import Acting, Manifest
from agent_cli.trust import store
left = [int(sys.argv[2])]
def dying(name):
    real = getattr(os, name)
    def act(*args, **kwargs):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    setattr(os, name, act)
for name in ("open", "fdopen", "fsync", "rename", "replace", "close"):
    dying(name)
store.give(Path(sys.argv[1]), Path("/new"), Manifest((Acting("a", "0", b""),)))
"""


@pytest.mark.invariant("I15")
@pytest.mark.parametrize("step", range(16))
def test_killed_at_any_step_it_leaves_the_old_file_or_the_new_one(
    store: Path, tmp_path: Path, step: int
):
    give(store, tmp_path, seen(a="1"))
    done = subprocess.run([sys.executable, "-c", KILLED, str(store), str(step)], check=False)
    assert done.returncode in (0, -9)
    assert trusted_files(store, tmp_path) == {"a": Kept(digest(b"1"), b"1")}
    assert trusted_files(store, Path("/new")) in (None, {"a": Kept("0", b"")})
    give(store, tmp_path / "next", seen(a="1"))
    assert len(list(store.parent.iterdir())) == 2


@pytest.mark.invariant("I15")
def test_a_full_disk_leaves_the_old_file(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    give(store, tmp_path, seen(a="1"))
    before = store.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store_module.os, "fsync", full)
    with pytest.raises(ConfigurationError, match="No space"):
        give(store, tmp_path, seen(a="2"))
    assert store.read_bytes() == before
    assert len(list(store.parent.iterdir())) == 2
