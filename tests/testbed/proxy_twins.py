"""Each cell's streamed answers beside its whole ones: the two are the same but for ids and times.

A test runs once streamed and once not, perhaps in two processes: whichever is first leaves what it
was told in a file, and the other compares.
"""

import json
import os
from pathlib import Path
from typing import Any

from agent_cli.proxy.dialects.shapes import mapping, sequence

HEARD: list[dict[str, Any]] = []
"""The answers of the test that runs, whole."""
_OWN = frozenset({"id", "call_id", "created", "created_at", "completed_at", "object", "background"})
"""Made up anew for each answer, or not said in a stream."""


def compare(place: Path) -> None:
    """Compare with what the twin was told; leave it there if there is none yet."""
    told = [plain(one) for one in HEARD]
    made = place.with_name(f"{place.name}.{os.getpid()}")
    made.write_text(json.dumps(told, sort_keys=True))
    try:
        os.link(made, place)
    except FileExistsError:
        other = json.loads(place.read_text())
        place.unlink(missing_ok=True)  # a test that is run again begins again
        assert other == told, "streamed and whole, the answer is not the same"
    finally:
        made.unlink()


def plain(value: Any, besides: frozenset[str] = frozenset()) -> Any:
    """The value without what differs from answer to answer, and without what says nothing."""
    if isinstance(value, list):
        return [plain(one, besides) for one in sequence(value)]
    if isinstance(value, dict):
        own = _OWN | besides
        kept = {
            name: plain(one, besides) for name, one in mapping(value).items() if name not in own
        }
        return {name: one for name, one in kept.items() if one not in (None, [], {})}
    return value
