"""Every system call of a session file fails once, and dies once: what was appended is there."""

import os
import signal
import warnings
from pathlib import Path

import pytest
from testbed.faults import CHANGING, ERRORS, Nth, failing, short, without_waiting
from testbed.journals import SESSION
from testbed.loaded import entries, read, reopen

from agent_cli.sessions import journal
from agent_cli.types.entries import Entry
from agent_cli.types.errors import JournalError

LONGEST = 200


@pytest.fixture(autouse=True)
def durable(monkeypatch):
    """Look the function up when it is called, so that it can be made to fail."""
    without_waiting(monkeypatch)
    monkeypatch.setattr(journal, "_make_durable", lambda one: os.fsync(one))  # noqa: PLW0108 - late


def work(path: Path, done: list[Entry]) -> None:
    """Write the session of the tests; `done` is what was said to be written."""
    log = journal.create(path)
    try:
        for entry in SESSION:
            log.append(entry)
            done.append(entry)
            log.sync()
    finally:
        log.close()


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.invariant("I11")
@pytest.mark.parametrize("code", ERRORS.values(), ids=ERRORS)
def test_a_failure_anywhere_leaves_what_was_appended(tmp_path: Path, code: int):
    for number in range(1, LONGEST):
        path, done = tmp_path / str(number) / "s.jsonl", list[Entry]()
        nth, opened = Nth(number, failing(code), CHANGING), descriptors()
        try:
            with nth():
                work(path, done)
        except JournalError:
            assert nth.hit
        assert descriptors() == opened, nth.hit
        if not nth.hit:
            assert entries(read(path)) == SESSION
            return
        if done:
            assert entries(read(path)) == done, nth.hit
        else:  # the file is made before its first line
            assert not path.exists() or path.read_bytes() == b"", nth.hit
            assert nth.hit == "write" or not path.exists()
    raise AssertionError("the session never ended")


def test_short_writes_are_gone_on_with(tmp_path: Path):
    for number in range(1, len(SESSION) + 1):
        path = tmp_path / f"{number}.jsonl"
        with Nth(number, short, ("write",))():
            work(path, [])
        assert entries(read(path)) == SESSION


@pytest.mark.invariant("I9")
@pytest.mark.parametrize("code", ERRORS.values(), ids=ERRORS)
def test_a_repair_that_fails_anywhere_can_be_made_again(tmp_path: Path, code: int):
    for number in range(1, LONGEST):
        path = tmp_path / str(number) / "s.jsonl"
        work(path, [])
        with path.open("ab") as file:
            file.write(b'{"torn')
        torn, nth, opened = path.read_bytes(), Nth(number, failing(code), CHANGING), descriptors()
        try:
            with nth():
                log, _ = reopen(path)
            log.close()
        except JournalError:
            left = [one.read_bytes() for one in path.parent.iterdir()]
            assert nth.hit
            assert torn in left, nth.hit
            assert len(left) <= 2
        assert descriptors() == opened, nth.hit
        log, loaded = reopen(path)
        log.close()
        assert entries(loaded) == SESSION
        if not nth.hit:
            return
    raise AssertionError("the repair never ended")


@pytest.mark.invariant("I9")
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_kill_anywhere_leaves_a_beginning(tmp_path: Path, *, after: bool):
    lengths: set[int] = set()
    for number in range(1, LONGEST):
        path = tmp_path / str(number) / "s.jsonl"
        ended = killed(path, number, after=after)
        if path.exists() and path.stat().st_size:
            log, loaded = reopen(path)
            log.close()
            kept = entries(loaded)
            assert kept == SESSION[: len(kept)]
            lengths.add(len(kept))
        if ended:
            assert lengths == set(range(1, len(SESSION) + 1))
            return
    raise AssertionError("the session never ended")


def killed(path: Path, number: int, *, after: bool) -> bool:
    """Write in a child that dies at its Nth call; return whether it ended before that."""

    def die(function, arguments, named):
        if after:
            function(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of fork beside threads
        child = os.fork()
    if child == 0:
        try:
            with Nth(number, die, CHANGING)():
                work(path, [])
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFEXITED(status)
