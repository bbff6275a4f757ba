"""The law of outcomes, written down a second time: whoever changes it changes both."""

import pytest

from agent_cli.engine.outcomes import EXIT_STATUS, LAW, Law, Ran, Verdict, skips
from agent_cli.types.outcomes import Code, Outcome

TABLE = {
    Outcome.OK: (Ran.YES, False, None),
    Outcome.FAILED: (Ran.MAYBE, True, None),
    Outcome.DENIED: (Ran.NO, True, None),
    Outcome.REJECTED: (Ran.NO, True, Code.REJECTED_EARLIER),
    Outcome.SKIPPED: (Ran.NO, True, None),
    Outcome.INTERRUPTED: (Ran.NO, True, Code.INTERRUPTED),
    Outcome.UNKNOWN: (Ran.MAYBE, True, Code.INTERRUPTED),
}

STATUSES = {
    "completed": 0,
    "internal_error": 1,
    "usage": 2,
    "unresolved_failure": 3,
    "denied": 4,
    "limit": 5,
    "check_failed": 6,
    "stopped": 7,
    "authentication": 41,
    "configuration": 52,
    "provider_unavailable": 75,
    "interrupted": 130,
    "terminated": 143,
}

ENDS_THE_MESSAGE = {
    Code.FINISHED: Code.FINISHED,
    Code.FEEDBACK: Code.FEEDBACK,
    Code.FAILED_EARLIER: Code.FAILED_EARLIER,
    Code.SUBTASK_COMPLETED: Code.SUBTASK_STARTED,
    Code.SUBTASK_FAILED: Code.SUBTASK_STARTED,
    Code.SUBTASK_CANCELLED: Code.SUBTASK_STARTED,
}


@pytest.mark.parametrize("outcome", Outcome)
def test_the_law_of(outcome: Outcome):
    ran, blocks, why = TABLE[outcome]
    assert LAW[outcome] == Law(ran, blocks=blocks, skips=why)


def test_only_a_success_leaves_the_way_to_completion_open():
    assert [outcome for outcome, law in LAW.items() if not law.blocks] == [Outcome.OK]


@pytest.mark.parametrize("outcome", Outcome)
@pytest.mark.parametrize("code", [None, *Code])
def test_what_follows_is_skipped_for_one_reason(outcome: Outcome, code: Code | None):
    own = ENDS_THE_MESSAGE.get(code) if code else None
    expected = own or TABLE[outcome][2]
    assert skips(outcome, code) == expected


def test_every_verdict_has_its_own_exit_status():
    assert {verdict.value: status for verdict, status in EXIT_STATUS.items()} == STATUSES
    assert set(EXIT_STATUS) == set(Verdict)
    assert len(set(EXIT_STATUS.values())) == len(EXIT_STATUS)
