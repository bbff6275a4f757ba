"""Which names of files are offered, and in which order."""

from pathlib import Path

import pytest

from agent_cli.frontends.terminal.file_names import FileNames, Names, best
from agent_cli.workspace.gate import Workspace

PATHS = (
    "README.md",
    "docs/",
    "docs/session notes.md",
    "src/",
    "src/app/session.py",
    "src/app/sessions/",
    "src/app/sessions/journal.py",
    "src/obsession.py",
    "src/runtime/session_care.py",
    "tests/app/test_session.py",
)
NAMES = Names(PATHS, tuple(f"/{path.lower()}" for path in PATHS))

RANKED = {
    "nothing typed": ("", list(PATHS[:3])),
    "the name itself comes first": ("session", ["src/app/session.py", "src/app/sessions/",
                                                "docs/session notes.md"]),
    "case does not matter": ("readme", ["README.md"]),
    "a part of the path": ("app/s", ["src/app/sessions/", "src/app/session.py",
                                     "src/app/sessions/journal.py"]),
    "the inside of a name": ("bsess", ["src/obsession.py"]),
    "characters in their order": ("rtcare", ["src/runtime/session_care.py"]),
    "a dot is a dot": ("n.py", ["src/obsession.py", "src/app/session.py",
                                "tests/app/test_session.py"]),
    "nothing fits": ("zzz", []),
}  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), RANKED.values(), ids=RANKED)
def test_the_best_names(query: str, expected: list[str]):
    assert best(NAMES, query, 3) == expected


def listed(root: Path, *extra: Path) -> list[str]:
    names = FileNames(Workspace(root, extra))
    first = names.wanted()
    assert first is not None
    first.result(20)
    return names.best("", 100)


def plant(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")


def test_listed_is_what_may_be_seen(tmp_path: Path):
    plant(tmp_path, "a.py", ".github/ci.yml", "secret/key.txt", "out.log", "node_modules/x/y.js")
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / ".agentignore").write_text("secret/\n")
    assert sorted(listed(tmp_path)) == [
        ".agentignore", ".github/", ".github/ci.yml", ".gitignore", "a.py", "node_modules/",
    ]  # fmt: skip


def test_names_that_are_no_text_are_left_out(tmp_path: Path):
    plant(tmp_path, "a.py", "b\udcff.py")
    assert listed(tmp_path) == ["a.py"]


def test_other_roots_are_listed_by_their_whole_paths(tmp_path: Path):
    plant(tmp_path, "one/a.py", "two/b.py")
    assert listed(tmp_path / "one", tmp_path / "two") == ["a.py", f"{tmp_path}/two/b.py"]


def test_what_cannot_be_listed_offers_nothing(tmp_path: Path):
    assert listed(tmp_path / "gone") == []


def test_a_list_is_used_until_a_newer_one_is_there(tmp_path: Path):
    now = 0.0
    plant(tmp_path, "a.py")
    names = FileNames(Workspace(tmp_path), lambda: now)
    first = names.wanted()
    assert first is not None
    first.result(20)
    plant(tmp_path, "b.py")
    assert names.wanted() is None
    assert names.best("", 9) == ["a.py"]
    now = 60.0
    while names.best("", 9) == ["a.py"]:
        assert names.wanted() is None
    assert names.best("", 9) == ["a.py", "b.py"]
