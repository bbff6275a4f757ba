"""Where two stories part: the first fact that is not the same, as far as was recorded."""

import pytest
from testbed.story import BEGINNING, Told, accepted, asked, completion, entries_of, ran, settled

from agent_cli.sessions.divergence import Divergence, first_divergence
from agent_cli.types.entries import ModeSwitched, Nudged, TaskFinished
from agent_cli.types.outcomes import Code, Nudge, Outcome

READ: list[Told] = [asked("a"), ran("a", content="in /work")]
DONE: list[Told] = [asked(completion()), accepted(), TaskFinished("it is done")]

ROWS: dict[str, tuple[list[Told], list[Told], Divergence | None]] = {
    "nothing": ([*READ, *DONE], [*READ, *DONE], None),
    "another folder": (READ, [asked("a"), ran("a", content="in /copy")], None),
    "more than was recorded": (READ, [*READ, *DONE], None),
    "another content": (
        READ,
        [asked("a"), ran("a", content="in vain")],
        Divergence(1, "read_file a", "content", "in $", "in vain"),
    ),
    "another code": (
        [asked("a"), settled("a", Outcome.FAILED, Code.REPEATED)],
        [asked("a"), settled("a", Outcome.FAILED, Code.CUT_OFF)],
        Divergence(1, "read_file a", "code", "repeated", "cut_off"),
    ),
    "how an interrupted call had got on": (
        [asked("a"), settled("a", Outcome.UNKNOWN, Code.KILLED)],
        [asked("a"), settled("a", Outcome.INTERRUPTED, Code.INTERRUPTED)],
        None,
    ),
    "something else in its place": (
        [asked(text="well"), Nudged(Nudge.NO_TOOL)],
        [asked(text="well"), *READ],
        Divergence(1, "nudge", "order", "nudge", "read_file a"),
    ),
    "nothing any more": (
        [asked(text="well"), Nudged(Nudge.NO_TOOL)],
        [asked(text="well")],
        Divergence(1, "nudge", "presence", "code: no_tool", ""),
    ),
    "a mode that a call without an end had switched": (
        [asked("a"), ModeSwitched("ask")],
        [asked("a")],
        None,
    ),
}


@pytest.mark.parametrize(("recorded", "played", "found"), ROWS.values(), ids=ROWS)
def test_what_is_found(recorded: list[Told], played: list[Told], found: Divergence | None):
    def same(text: str) -> str:
        return text.replace("/work", "$").replace("/copy", "$")

    stories = [[*BEGINNING, *entries_of(one)] for one in (recorded, played)]
    assert first_divergence(stories[0], stories[1], same) == found
