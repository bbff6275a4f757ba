"""Counts over many session files, one line of one file in memory at a time."""

from collections.abc import Iterable
from datetime import date, datetime
from pathlib import Path

from msgspec import Struct

from agent_cli.sessions.stream import envelopes
from agent_cli.telemetry.counters import Counters, count
from agent_cli.telemetry.facts import Vocabulary, moment
from agent_cli.telemetry.reader import Reader, read


class Statistics(Struct, frozen=True):
    since: date
    total: Counters
    days: dict[date, Counters]
    """By the local date, in order; days without anything are left out."""
    unread: int = 0
    """Files that could not be opened."""


def statistics(paths: Iterable[Path], since: date, vocabulary: Vocabulary) -> Statistics:
    """Count what happened on that day and after it."""
    total, days, unread = Counters(), dict[date, Counters](), 0
    for path in paths:
        try:
            if day(path.stat().st_mtime) < since:
                continue
            reader = Reader(vocabulary)
            for envelope in envelopes(path):
                reader, facts = read(reader, moment(envelope.at), envelope.entry)
                if facts and (when := day(facts[-1].at / 1e9)) >= since:
                    total = count(total, facts)
                    days[when] = count(days.get(when, Counters()), facts)
        except OSError:
            unread += 1
    return Statistics(since, total, dict(sorted(days.items())), unread)


def today() -> date:
    return datetime.now().astimezone().date()


def day(seconds: float) -> date:
    """Return the local date of a time in seconds since the epoch."""
    return datetime.fromtimestamp(seconds).astimezone().date()
