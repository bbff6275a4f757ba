"""What is looked at while others change it, and what cannot be looked into."""

import os
from pathlib import Path

import pytest

from agent_cli.types.errors import ToolError
from agent_cli.workspace import placing
from agent_cli.workspace.ignore import refusals
from agent_cli.workspace.placing import Placing, look
from agent_cli.workspace.scan import Scanner


def test_a_folder_that_is_gone_by_now_holds_nothing(tmp_path: Path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a").write_text("a")
    scanner = Scanner(str(tmp_path))
    steps = iter(range(10))

    def step() -> None:
        if next(steps) == 1:  # between the listing of the root and of the folder
            (tmp_path / "sub").rmdir()

    assert set(scanner.scan(step)) == {"a", "sub/"}


def test_a_root_that_is_gone_is_an_error(tmp_path: Path):
    with pytest.raises(OSError, match="gone"):
        Scanner(str(tmp_path / "gone")).scan(lambda: None)


def test_a_name_that_is_gone_by_now_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    scanner = Scanner(str(tmp_path))
    real = scanner._list

    def late(names: "list[os.DirEntry[str]]", *more: object) -> None:
        (tmp_path / "a").unlink()
        real(names, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(scanner, "_list", late)
    assert set(scanner.scan(lambda: None)) == {"b"}


def test_where_the_ignore_file_cannot_be_used_everything_is_refused(tmp_path: Path):
    (tmp_path / ".agentignore").mkdir()
    (tmp_path / "a").write_text("a")
    scanner = Scanner(str(tmp_path))
    assert "a" in scanner.scan(lambda: None)
    assert "a" in scanner.refused


def test_without_rules_nothing_is_refused(tmp_path: Path):
    (tmp_path / ".agentignore").write_text("")
    assert not refusals(str(tmp_path)).refuses_entry("", "a", is_dir=False)


def test_a_file_that_is_gone_while_it_is_read_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def gone(path: str, limit: int) -> object:
        raise FileNotFoundError(path)

    (tmp_path / "a").write_text("a")
    monkeypatch.setattr(placing, "read", gone)
    assert look(str(tmp_path / "a")) is None


def test_what_has_another_mode_by_now_is_left(tmp_path: Path):
    target = tmp_path / "a"
    target.write_text("a")
    found = look(str(target))
    target.chmod(0o700)
    with pytest.raises(ToolError):
        Placing((str(tmp_path),), str(tmp_path / "notes")).put(str(target), None, found)
    assert target.read_text() == "a"
