"""Every failure that a tool declares, through the dispatcher of a whole session, in both protocols.

Natively each blocks the completion that follows in its message. Whoever declares a failure adds a
scenario under its name in `testbed/failing_*.py`, and the other way round.
"""

from pathlib import Path

import pytest
from testbed.failing import SCENARIOS, needs
from testbed.failing_anyhow import ANYHOW
from testbed.scenario import Scenario
from testbed.whole_session import Played, play

from agent_cli.tools._reasons import OF_EVERY_TOOL
from agent_cli.tools.registry import built_in
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Code, Outcome

DECLARED = {
    (tool.name, reason.name): reason.code
    for tool in built_in().values()
    for reason in tool.failures
}
FINISHED = (Outcome.OK, Code.FINISHED)
FAILING = [
    pytest.param(tool, name, scenario, id=f"{tool}: {name}", marks=needs(tool, name))
    for tool, rows in SCENARIOS.items()
    for name, scenario in rows.items()
]
FAILING += [
    pytest.param("", name, scenario, id=f"any tool: {name} {place}")
    for name, scenarios in ANYHOW.items()
    for place, scenario in enumerate(scenarios)
]


def test_every_declared_failure_has_a_scenario_and_every_scenario_is_declared():
    shown = {(tool, name) for tool, rows in SCENARIOS.items() for name in rows}
    assert shown == {*DECLARED}
    assert {*ANYHOW} == {reason.name for reason in OF_EVERY_TOOL}


def test_every_scenario_shows_the_code_that_is_declared():
    codes = {
        (tool, name): scenario.code
        for tool, rows in SCENARIOS.items()
        for name, scenario in rows.items()
    }
    assert codes == DECLARED
    for reason in OF_EVERY_TOOL:
        assert {scenario.code for scenario in ANYHOW[reason.name]} == {reason.code}


def told(result: ToolResult) -> tuple[Outcome, Code | None]:
    return result.outcome, result.code


def failing(played: Played, scenario: Scenario, *, alone: bool) -> tuple[ToolResult, int]:
    """Return the result of the call in question, and its place."""
    place = len(scenario.before) + (0 if alone else len(scenario.together))
    return played.results[place], place


@pytest.mark.invariant("I6")
@pytest.mark.parametrize(("tool", "name", "scenario"), FAILING)
def test_a_failure_blocks_the_completion_in_its_message(
    tool: str, name: str, scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    played = play(tool, scenario, tmp_path, monkeypatch, xml=False)
    result, place = failing(played, scenario, alone=False)
    assert told(result) == (Outcome.FAILED, scenario.code), result.content
    assert scenario.says in result.content
    rest = [told(one) for one in played.results[place + 1 :]]
    blocked = [] if scenario.stop else [scenario.completion]
    assert rest == [*blocked, *[(Outcome.OK, None)] * len(scenario.later), FINISHED]


IN_XML = [row for row in FAILING if row.values[2].xml != ""]  # type: ignore[union-attr]


@pytest.mark.parametrize(("tool", "name", "scenario"), IN_XML)
def test_the_same_failure_in_xml_is_told_as_one(
    tool: str, name: str, scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    played = play(tool, scenario, tmp_path, monkeypatch, xml=True)
    result, place = failing(played, scenario, alone=True)
    assert told(result) == (Outcome.FAILED, scenario.code), result.content
    assert scenario.says in result.content
    rest = [told(one) for one in played.results[place + 1 :]]
    assert rest == [*[(Outcome.OK, None)] * len(scenario.later), FINISHED]
    marked = f"[{scenario.name or tool}] Result (failed):"
    assert marked in str(played.requests)
