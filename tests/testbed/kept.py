"""The sessions that a test has kept in its homes, and whether they add up: `agent verify`."""

from collections.abc import Iterator
from pathlib import Path


def faults(homes: Path) -> Iterator[str]:
    """Yield what is wrong with the session files of every home right below this directory."""
    for path in sorted(homes.glob("*/agent/data/sessions/*/*.jsonl")):
        yield from _faults(path)


def _faults(path: Path) -> Iterator[str]:
    from testbed.loaded import entries, load

    from agent_cli.sessions.verify import verify

    loaded = load(path.read_bytes())
    if not loaded.envelopes:  # its first line was not written to the end: it never was a session
        return
    if loaded.damage:
        yield f"{path.name}: {loaded.damage}"
    report = verify(entries(loaded))
    if not report.adds_up:
        yield f"{path.name}: {report}"
