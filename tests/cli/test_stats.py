"""`agent stats`: what people see and what programs read of it."""

import json
from datetime import date, timedelta
from pathlib import Path

import pytest
from testbed.journals import SESSION
from testbed.run_agent import Completed, run_agent
from testbed.telling import facts_of

from agent_cli.cli.stats_view import as_json, bar, lines
from agent_cli.sessions.catalog import session_path
from agent_cli.sessions.codec import SEED, seal
from agent_cli.telemetry.counters import Counters, count
from agent_cli.telemetry.statistics import Statistics, today
from agent_cli.types.entries import Envelope

LAST = date(2026, 11, 21)
COUNTERS = count(Counters(), facts_of(SESSION))


def of_today() -> bytes:
    """The session of the tests, as if it were of this morning."""
    written, previous, at = b"", SEED, f"{today()}T12:00:00.000000Z"
    for seq, entry in enumerate(SESSION):
        line, previous = seal(Envelope(seq, at, entry), previous)
        written += line
    return written


def stats(home: Path, work: Path, *args: str) -> Completed:
    done = run_agent(["stats", *args], cwd=work, home=home, env={"TZ": "UTC"})
    assert done.exit_code == 0, done.stderr
    return done


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A home with one session, and the directory that it was in."""
    monkeypatch.setenv("TZ", "UTC")
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    path = session_path(home / "agent/data/sessions", work.resolve(), "s")
    path.parent.mkdir(parents=True)
    path.write_bytes(of_today())
    return home, work


def test_a_person_reads_tables_and_bars(kept: tuple[Path, Path]):
    shown = stats(*kept).stdout.splitlines()
    assert shown[0] == f"{today() - timedelta(days=29)} to {today()}, this directory"
    rows = {line.split()[0]: line.split()[1:] for line in shown if line}
    assert rows["completions"] == ["2", "accepted,", "2", "attempted,", "0", "refused"]
    assert rows["read_file"][0] == "3"
    assert "·" * 29 + "█" in shown


def test_a_program_reads_one_object(kept: tuple[Path, Path]):
    (line,) = stats(*kept, "--json", "--days", "3").stdout.splitlines()
    read = json.loads(line)
    assert (read["v"], read["sessions"], read["completed"]) == (1, 1, 2)
    assert read["usage"]["input_tokens"] == 12
    denied = {"tool": "read_file", "outcome": "denied", "protocol": "native", "calls": 1}
    assert denied in read["tools"]
    assert [day["date"] for day in read["days"]] == [str(today())]


def test_another_directory_has_its_own_sessions(kept: tuple[Path, Path], tmp_path: Path):
    home, _ = kept
    other = tmp_path / "other"
    other.mkdir()
    assert "nothing happened here" in stats(home, other).stdout
    assert "every directory" in (everything := stats(home, other, "--all").stdout)
    assert "read_file" in everything


def test_no_name_of_ones_own_is_shown(kept: tuple[Path, Path]):
    shown = stats(*kept).stdout + stats(*kept, "--json").stdout
    assert "test/model" not in shown
    assert "other/other" in shown


def test_files_that_cannot_be_read_are_told():
    shown = list(lines(Statistics(LAST, Counters(), {}, unread=2), LAST, everywhere=True))
    assert shown[1] == "2 session files could not be read"


def test_days_without_work_and_without_cost_are_shown():
    counters = count(Counters(), facts_of(SESSION[:3]))
    shown = "\n".join(lines(Statistics(LAST, counters, {LAST: counters}), LAST, everywhere=True))
    assert "·" in shown
    assert "unknown" in shown


def test_many_days_share_a_column():
    days = {LAST: COUNTERS, LAST - timedelta(days=364): COUNTERS}
    found = Statistics(LAST - timedelta(days=364), COUNTERS, days)
    shown = list(lines(found, LAST, everywhere=True))
    place = next(at for at, line in enumerate(shown) if "days a column" in line)
    assert "7 days a column" in shown[place]
    assert shown[place + 1] == "█" + "·" * 51 + "█"


@pytest.mark.parametrize(
    ("value", "drawn"),
    [(48, "█" * 24), (24, "█" * 12), (1, "▌"), (0, "▏"), (3, "█▌")],
)
def test_bars(value: int, drawn: str):
    assert bar(value, 48) == drawn.ljust(24)


def test_an_object_has_every_number_even_if_it_is_zero():
    assert as_json(Statistics(LAST, Counters(), {}), LAST)["usage"]["output_tokens"] == 0
