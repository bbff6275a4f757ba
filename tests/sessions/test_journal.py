"""The session file: private, with one writer, and as it was when it cannot be written."""

import os
import re
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from testbed.journals import SESSION, journal_of, sealed
from testbed.loaded import entries, load, read, reopen
from testbed.run_agent import environment

from agent_cli.sessions.codec import FORMAT
from agent_cli.sessions.journal import Ephemeral, Journal, create, timestamp
from agent_cli.types.entries import TaskStarted, UserSaid
from agent_cli.types.errors import JournalError

MORE = UserSaid("more")


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """No file may grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def one_more_descriptor() -> Iterator[None]:
    """One more file can be opened, and not two."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free + 1, hard))
    try:
        yield
        assert os.dup(0) == free
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        os.close(free)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions" / "work" / "one.jsonl"


def written(path: Path) -> Path:
    """Write the session of the tests, as a process would that was then killed."""
    journal = create(path)
    for entry in SESSION:
        journal.append(entry)
    journal.close()
    return path


def copies(path: Path) -> list[Path]:
    return sorted(path.parent.glob("*.damaged-*"))


def test_what_was_appended_is_read(path: Path):
    assert entries(read(written(path))) == SESSION


def test_an_append_says_what_it_wrote(path: Path):
    journal = create(path)
    envelopes = [journal.append(entry) for entry in SESSION]
    journal.sync()
    journal.sync()
    journal.close()
    assert list(load(path.read_bytes()).envelopes) == envelopes


def test_files_and_directories_are_private(path: Path):
    old = os.umask(0)
    try:
        written(path)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.invariant("I9")
def test_lines_end_with_lf_only(path: Path):
    data = written(path).read_bytes()
    assert b"\r" not in data
    assert data.count(b"\n") == len(SESSION)


def test_a_session_goes_on_where_it_ended(path: Path):
    journal, loaded = reopen(written(path))
    assert (entries(loaded), loaded.damage) == (SESSION, "")
    assert journal.append(MORE).seq == len(SESSION)
    journal.close()
    assert entries(read(path)) == [*SESSION, MORE]
    assert copies(path) == []


@pytest.mark.invariant("I9")
def test_cut_anywhere_it_can_be_appended_to_again(path: Path):
    data = written(path).read_bytes()
    first = data.index(b"\n") + 1
    for cut in range(first, len(data), 37):
        path.write_bytes(data[:cut])
        journal, loaded = reopen(path)
        journal.append(MORE)
        journal.close()
        after = read(path)
        assert (entries(after), after.damage) == ([*entries(loaded), MORE], "")
        assert entries(loaded) == SESSION[: len(loaded.value)]
        if loaded.damage:
            (copy,) = copies(path)
            assert copy.read_bytes() == data[:cut]
            assert stat.S_IMODE(copy.stat().st_mode) == 0o600
            copy.unlink()


def test_a_damaged_end_is_left_alone_by_a_reader(path: Path):
    data = written(path).read_bytes()[:-1]
    path.write_bytes(data)
    loaded = read(path)
    assert loaded.damage == "the last line is incomplete"
    assert path.read_bytes() == data
    assert copies(path) == []


def test_a_second_writer_is_refused_in_this_process(path: Path):
    journal = create(path)
    journal.append(SESSION[0])
    with pytest.raises(JournalError, match="one is open in another process"):
        reopen(path)
    journal.close()
    reopen(path)[0].close()


SECOND_WRITER = """
import sys
from pathlib import Path
from agent_cli.sessions.journal import reopen
from agent_cli.types.errors import JournalError
try:
    reopen(Path(sys.argv[1]), list)[0].close()
except JournalError as error:
    sys.exit(str(error))
"""


def second_writer(path: Path, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SECOND_WRITER, str(path)],
        env=environment(home, None),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.invariant("I9")
def test_a_second_writer_is_refused_in_another_process(path: Path, tmp_path: Path):
    journal, _ = reopen(written(path))
    refused = second_writer(path, tmp_path / "home")
    journal.append(MORE)
    journal.close()
    assert (refused.returncode, refused.stdout) == (1, "")
    expected = "the session one is open in another process: close it there first"
    assert refused.stderr.strip() == expected
    assert second_writer(path, tmp_path / "home").returncode == 0
    assert entries(read(path)) == [*SESSION, MORE]


@pytest.mark.invariant("I11")
@pytest.mark.parametrize("room", [0, 1, 40])
def test_a_full_disk_leaves_the_file_as_it_was(path: Path, room: int):
    data = written(path).read_bytes()
    journal, _ = reopen(path)
    with disk_of(len(data) + room), pytest.raises(JournalError, match="cannot write the session"):
        journal.append(MORE)
    assert path.read_bytes() == data
    assert journal.append(MORE).seq == len(SESSION)
    journal.close()
    assert entries(read(path)) == [*SESSION, MORE]


def test_what_cannot_be_encoded_leaves_the_file_as_it_was(path: Path):
    journal = create(path)
    with pytest.raises(JournalError, match="surrogates not allowed"):
        journal.append(UserSaid("\ud800"))
    journal.append(SESSION[0])
    journal.close()
    assert entries(read(path)) == SESSION[:1]


def test_a_full_disk_leaves_a_damaged_session_as_it_was(path: Path):
    data = written(path).read_bytes()[:-1]
    path.write_bytes(data)
    with disk_of(100), pytest.raises(JournalError, match="cannot open the session"):
        reopen(path)
    assert path.read_bytes() == data
    reopen(path)[0].close()


@pytest.mark.invariant("I11")
def test_a_session_that_cannot_be_made_durable_says_so(path: Path):
    journal = create(path)
    journal.append(SESSION[0])
    journal.close()
    with pytest.raises(JournalError, match="cannot make the session"):
        journal.sync()


REFUSED = {
    "no session: the file is empty": b"",
    "no session: line 1 does not fit": b"{}\n",
    "no session: the last line is incomplete": b"{}",
    "does not begin with the start": journal_of([TaskStarted("code")]),
    f"is of a newer format, {FORMAT + 1}: update agent": sealed(
        b'{"seq":0,"at":"","entry":{"type":"session_started","format":%d,"id":"s","cwd":"/",'
        b'"model":"m","protocol":"native","new":[]}}' % (FORMAT + 1)
    )
    + b"whatever",
}


@pytest.mark.parametrize(("message", "data"), REFUSED.items())
def test_what_is_no_session_of_ours_is_refused_and_left_alone(
    path: Path, message: str, data: bytes
):
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    for use in (read, reopen):
        with pytest.raises(JournalError, match=re.escape(message)):
            use(path)
    assert path.read_bytes() == data
    assert copies(path) == []


def test_a_session_that_is_not_there_is_an_error(path: Path):
    with pytest.raises(JournalError, match="cannot read the session"):
        read(path)
    with pytest.raises(JournalError, match="cannot open the session"):
        reopen(path)


def test_a_session_is_never_created_over_another(path: Path):
    data = written(path).read_bytes()
    with pytest.raises(JournalError, match="cannot create the session"):
        create(path)
    assert path.read_bytes() == data


def test_a_session_that_cannot_be_made_sure_of_leaves_nothing_behind(path: Path):
    path.parent.mkdir(parents=True)
    with one_more_descriptor(), pytest.raises(JournalError, match="Too many open files"):
        create(path)
    assert list(path.parent.iterdir()) == []


def test_a_session_that_is_kept_nowhere_counts_its_entries():
    log = Ephemeral()
    envelopes = [log.append(entry) for entry in SESSION]
    log.sync()
    log.close()
    assert [envelope.seq for envelope in envelopes] == list(range(len(SESSION)))
    assert [envelope.entry for envelope in envelopes] == SESSION


def test_times_are_utc_with_microseconds():
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", timestamp())
    assert timestamp() <= timestamp()


def test_a_journal_knows_its_path(path: Path):
    journal: Journal = create(path)
    journal.close()
    assert journal.path == path
