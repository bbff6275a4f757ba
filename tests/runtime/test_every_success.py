"""A call of every tool that succeeds, in whole sessions of both protocols; what it touched is
among what the tool says it may touch."""

from pathlib import Path

import pytest
from testbed.failing import needs
from testbed.scenario import Scenario
from testbed.succeeding import SUCCEEDING
from testbed.whole_session import Played, play

from agent_cli.tools.registry import built_in
from agent_cli.types.effects import Kind
from agent_cli.types.outcomes import Code, Outcome

NOBODY = "ask_followup_question"
"""Its success takes somebody who answers: tests/e2e/test_repl_questions.py."""
CALLS = [
    pytest.param(tool, scenario, id=tool, marks=needs(tool))
    for tool, scenario in SUCCEEDING.items()
    if tool != NOBODY
]


def test_every_tool_is_called():
    assert {*SUCCEEDING} == {*built_in()}


@pytest.mark.parametrize("protocol", ["native", "xml"])
@pytest.mark.parametrize(("tool", "scenario"), CALLS)
def test_a_success_blocks_nothing(
    tool: str, scenario: Scenario, protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    played = play(tool, scenario, tmp_path, monkeypatch, xml=protocol == "xml")
    result = played.results[0]
    assert (result.outcome, result.code) == (Outcome.OK, scenario.code), result.content
    assert scenario.says in result.content
    rest = [(one.outcome, one.code) for one in played.results[1:]]
    if protocol == "native":
        assert rest[0] == scenario.completion
    assert rest[-1:] in ([(Outcome.OK, Code.FINISHED)], []) or tool == "attempt_completion"
    assert touched(played) <= {effect.kind for effect in built_in()[tool].touches}


def touched(played: Played) -> set[Kind]:
    return {effect.kind for effect in played.effects}


def test_what_a_tool_may_touch_is_permitted_where_the_tool_is():
    for tool in built_in().values():
        kinds = {effect.kind for effect in tool.touches}
        assert tool.kind in kinds or tool.kind in {Kind.ALWAYS, Kind.READ}
