"""Counts over many session files."""

import os
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace
from testbed.journals import SESSION, journal_of, sealed
from testbed.run_agent import PROJECT
from testbed.story import BEGINNING, asked, ran
from testbed.telling import WORDS

from agent_cli.sessions.codec import SEED, hash_of
from agent_cli.telemetry.statistics import statistics

EVER = date(2000, 1, 1)
DAY = date(2026, 11, 21)
"""Of the journals in the testbed; they are of ten o'clock, so of that day in most places."""


@pytest.fixture(autouse=True)
def _greenwich(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")


def kept(folder: Path, name: str, data: bytes, changed: date = DAY) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_bytes(data)
    seconds = datetime(changed.year, changed.month, changed.day, 12, tzinfo=UTC).timestamp()
    os.utime(path, (seconds, seconds))
    return path


def test_sessions_are_added_up_by_day(tmp_path: Path):
    files = [kept(tmp_path, name, journal_of(SESSION)) for name in "ab"]
    found = statistics(files, EVER, WORDS)
    assert found.total.sessions == found.days[DAY].sessions == 2
    assert found.total == found.days[DAY]


def test_what_is_older_does_not_count(tmp_path: Path):
    files = [
        kept(tmp_path, "goes_on", journal_of(SESSION), date(2026, 11, 23)),
        kept(tmp_path, "old", b"not even looked at", date(2026, 11, 20)),
    ]
    found = statistics(files, date(2026, 11, 22), WORDS)
    assert (found.total.sessions, found.days, found.unread) == (0, {}, 0)


def test_a_damaged_file_counts_up_to_the_damage(tmp_path: Path):
    data = journal_of(SESSION)
    half = data[: len(data) // 2]
    found = statistics([kept(tmp_path, "a", half), kept(tmp_path, "b", b"\xff")], EVER, WORDS)
    assert found.total.sessions == 1
    assert found.total.completed == 0


def test_a_time_that_is_none_is_long_ago(tmp_path: Path):
    first = journal_of(SESSION[:1])
    body = first[75:].strip().replace(b"2026-11-21T10:00:00.000000Z", b"the other day")
    data = sealed(b"{" + body)
    assert hash_of(data) != SEED
    assert statistics([kept(tmp_path, "a", data)], EVER, WORDS).total.sessions == 0


def test_what_a_fork_shares_counts_once(tmp_path: Path):
    began = replace(SESSION[0], id="20261121-110000-0123abcd", forked_from="s")
    path = kept(tmp_path, "s", journal_of(SESSION))
    forked = kept(tmp_path, began.id, journal_of([began, *SESSION[1:]]))
    of_fork = statistics([forked], EVER, WORDS).total
    assert (of_fork.sessions, of_fork.prompts, of_fork.responses) == (1, 0, 0)
    both, alone = statistics([path, forked], EVER, WORDS), statistics([path], EVER, WORDS)
    assert both.total.tools == alone.total.tools
    assert both.total.usage == alone.total.usage


def test_what_a_fork_goes_on_with_counts_for_it(tmp_path: Path):
    started = replace(BEGINNING[0], id="20261121-100000-0123abcd", forked_from="s")
    went_on = journal_of([started, *BEGINNING[1:], asked("a")])
    assert statistics([kept(tmp_path, "a", went_on)], EVER, WORDS).total.responses == 1


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path):
    assert statistics([tmp_path / "gone.jsonl"], EVER, WORDS).unread == 1


MEASURE = """
import resource, sys
from datetime import date
from pathlib import Path
from testbed.telling import WORDS
from agent_cli.telemetry.statistics import statistics

found = statistics(sorted(Path(sys.argv[1]).iterdir()), date(2000, 1, 1), WORDS)
print(found.total.sessions, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_a_thousand_sessions_take_no_more_memory_than_one(tmp_path: Path):
    entries = [*BEGINNING, asked("a"), *ran("a", content="x" * 50_000)]
    one, many = tmp_path / "one", tmp_path / "many"
    one.mkdir()
    many.mkdir()
    path = kept(one, "0", journal_of(entries))
    for number in range(1000):
        os.link(path, many / f"{number}.jsonl")
    peaks: list[int] = []
    for folder, sessions in ((one, 1), (many, 1000)):
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, str(folder)],
            env=os.environ | {"PYTHONPATH": f"{PROJECT}:{PROJECT / 'tests'}"},
            capture_output=True,
            check=True,
        )
        counted, peak = map(int, done.stdout.split())
        assert counted == sessions
        peaks.append(peak)
    assert peaks[1] - peaks[0] < 8_000  # kilobytes; the files together are 50 MB
