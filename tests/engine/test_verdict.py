"""How a run ended, one row per line of the table."""

import pytest
from testbed.story import Told, accepted, allowed, asked, completion, denied, ran, settled, story

from agent_cli.engine.outcomes import Verdict
from agent_cli.engine.steps import Awaiting
from agent_cli.engine.verdict import verdict
from agent_cli.types.approval import DecidedBy, Decision
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.entries import CallDecided, CallFinished, CallStarted, TaskFinished
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Outcome

OVER: list[Told] = [asked(completion()), accepted(), TaskFinished("it is done")]


def succeeded(call_id: str, *targets: str) -> tuple[Told, ...]:
    effects = tuple(Effect(Kind.READ, target) for target in targets)
    return (
        asked(call_id),
        CallDecided(call_id, Decision.ALLOW, DecidedBy.USER, "", effects),
        CallStarted(call_id),
        CallFinished(ToolResult(call_id, Outcome.OK)),
    )


ROWS: dict[str, tuple[list[Told], Awaiting, Verdict]] = {
    "completed": (OVER, Awaiting.FINISHED, Verdict.COMPLETED),
    "completed after a failure": (
        [asked("a"), ran("a", Outcome.FAILED), *OVER],
        Awaiting.FINISHED,
        Verdict.COMPLETED,
    ),
    "completed with calls skipped behind it": (
        [
            asked(completion(), "b"),
            accepted(),
            settled("b", Outcome.SKIPPED, Code.FINISHED),
            TaskFinished("it is done"),
        ],
        Awaiting.FINISHED,
        Verdict.COMPLETED,
    ),
    "interrupted": ([asked("a"), denied("a")], Awaiting.INTERRUPTED, Verdict.INTERRUPTED),
    "out of budget": ([asked("a"), denied("a")], Awaiting.LIMIT, Verdict.LIMIT),
    "a check that did not pass": (
        [asked(completion()), ran("done", Outcome.FAILED, Code.CHECK_FAILED)],
        Awaiting.STOPPED_SHORT,
        Verdict.CHECK_FAILED,
    ),
    "a check that did not pass, and a denial": (
        [
            asked("a"),
            denied("a"),
            asked(completion()),
            ran("done", Outcome.FAILED, Code.CHECK_FAILED),
        ],
        Awaiting.STUCK,
        Verdict.CHECK_FAILED,
    ),
    "a check that did not pass, and a limit": (
        [asked(completion()), ran("done", Outcome.FAILED, Code.CHECK_FAILED)],
        Awaiting.LIMIT,
        Verdict.LIMIT,
    ),
    "a check that passed later": (
        [asked(completion("no")), ran("no", Outcome.FAILED, Code.CHECK_FAILED), *OVER],
        Awaiting.FINISHED,
        Verdict.COMPLETED,
    ),
    "denied": ([asked("a"), denied("a")], Awaiting.STOPPED_SHORT, Verdict.DENIED),
    "denied even if completed": (
        [asked("a"), denied("a", "x"), *OVER],
        Awaiting.FINISHED,
        Verdict.DENIED,
    ),
    "denied and later done": (
        [asked("a"), denied("a", "x"), *succeeded("b", "x"), *OVER],
        Awaiting.FINISHED,
        Verdict.COMPLETED,
    ),
    "denied twice and later done": (
        [asked("a"), denied("a", "x"), asked("c"), denied("c", "x"), *succeeded("b", "x"), *OVER],
        Awaiting.FINISHED,
        Verdict.COMPLETED,
    ),
    "denied and done elsewhere": (
        [asked("a"), denied("a", "x"), *succeeded("b", "y"), *OVER],
        Awaiting.FINISHED,
        Verdict.DENIED,
    ),
    "denied on two targets and done on one": (
        [asked("a"), denied("a", "x", "y"), *succeeded("b", "x"), *OVER],
        Awaiting.FINISHED,
        Verdict.DENIED,
    ),
    "denied and later failed": (
        [
            asked("a"),
            denied("a", "x"),
            asked("b"),
            allowed("b", "x"),
            CallStarted("b"),
            settled("b", Outcome.FAILED),
            *OVER,
        ],
        Awaiting.FINISHED,
        Verdict.DENIED,
    ),
    "stuck": ([asked("a"), ran("a")], Awaiting.STUCK, Verdict.UNRESOLVED),
    "its completion refused": (
        [
            asked("a", completion()),
            ran("a", Outcome.FAILED),
            settled("done", Outcome.FAILED, Code.FAILED_EARLIER),
        ],
        Awaiting.STOPPED_SHORT,
        Verdict.UNRESOLVED,
    ),
    "stopped without completing": (
        [asked("a"), ran("a"), asked(text="well")],
        Awaiting.STOPPED_SHORT,
        Verdict.STOPPED,
    ),
}


@pytest.mark.parametrize(("told", "awaiting", "expected"), ROWS.values(), ids=ROWS)
def test_a_run_ended(told: list[Told], awaiting: Awaiting, expected: Verdict):
    assert verdict(story(*told), awaiting) is expected
