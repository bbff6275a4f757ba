"""What a person reads of a call that did not succeed."""

import pytest

from agent_cli.frontends.reasons import reason
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Outcome

GUARD = "Cannot execute attempt_completion because a previous tool failed in this turn"


@pytest.mark.parametrize("code", [None, *Code])
@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.OK])
def test_every_result_has_a_reason(outcome: Outcome, code: Code | None):
    assert reason(ToolResult("c", outcome, code))


def test_the_guard_is_told_to_people_too():
    assert reason(ToolResult("c", Outcome.FAILED, Code.FAILED_EARLIER)) == GUARD
    assert "not run" in reason(ToolResult("c", Outcome.SKIPPED, Code.FAILED_EARLIER))
