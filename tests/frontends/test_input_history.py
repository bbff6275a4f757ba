"""The history of the input line, in a file that several processes share."""

import stat
import sys
from pathlib import Path
from subprocess import Popen

import msgspec
import pytest

from agent_cli.frontends.terminal import history as room
from agent_cli.frontends.terminal.history import LineHistory, entries


def offered(path: Path | None) -> list[str]:
    return list(LineHistory(path).load_history_strings())


def test_what_was_typed_is_there_next_time(tmp_path: Path):
    path = tmp_path / "state/history"
    history = LineHistory(path)
    for text in ("one", "two\nlines", " ", "one", "one"):
        history.append_string(text)
    assert offered(path) == ["one", "two\nlines"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_an_open_file_is_closed_to_others(tmp_path: Path):
    path = tmp_path / "history"
    path.touch(mode=0o644)
    LineHistory(path).store_string("one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(room, "MOST", 10)
    history = LineHistory(tmp_path / "history")
    for number in range(25):
        history.store_string(f"line {number}")
    assert offered(tmp_path / "history") == [f"line {number}" for number in range(24, 14, -1)]
    assert len((tmp_path / "history").read_bytes().splitlines()) == 10
    assert [one.name for one in tmp_path.iterdir()] == ["history"]


def test_what_is_very_long_is_not_kept(tmp_path: Path):
    history = LineHistory(tmp_path / "history")
    history.append_string("x" * room.LONGEST)
    assert not (tmp_path / "history").exists()
    assert history.get_strings() == ["x" * room.LONGEST]


def test_lines_that_are_torn_or_none_are_passed_over(tmp_path: Path):
    path = tmp_path / "history"
    path.write_bytes(b'"one"\nnonsense\n\n{}\n"tor')
    LineHistory(path).store_string("two")
    assert offered(path) == ["two", "one"]


def test_without_a_place_it_ends_with_the_run(tmp_path: Path):
    (tmp_path / "state").write_text("no directory")
    history = LineHistory(tmp_path / "state/history")
    history.append_string("one")
    assert history.get_strings() == ["one"]
    assert offered(tmp_path / "state/history") == []
    assert offered(None) == []


def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path):
    LineHistory(tmp_path / "history").store_string("a\udcffb")
    assert offered(tmp_path / "history") == ["a?b"]


WRITER = """
import sys
from pathlib import Path
from agent_cli.frontends.terminal.history import LineHistory
for number in range(50):
    LineHistory(Path(sys.argv[1])).store_string(f"{sys.argv[2]} {number} " + "x" * 9000)
"""


def test_several_processes_write_whole_lines(tmp_path: Path):
    path = tmp_path / "history"
    started = [Popen([sys.executable, "-c", WRITER, str(path), name]) for name in "abc"]
    assert [process.wait() for process in started] == [0, 0, 0]
    lines = path.read_bytes().splitlines()
    assert len(lines) == 150
    assert {msgspec.json.decode(line).split(" x")[0] for line in lines} == {
        f"{name} {number}" for name in "abc" for number in range(50)
    }
    assert len(entries(path)) == 150
