"""The rows of the specification's failure matrix, each with the scenarios that show it.

A row that is a failure names scenarios of `test_every_failure.py`; one that is none names calls
after which a completion in the same message is accepted.
"""

from pathlib import Path

import pytest
from testbed.failing import SCENARIOS
from testbed.failing_anyhow import ANYHOW
from testbed.scenario import Scenario
from testbed.succeeding import HARMLESS
from testbed.whole_session import play

from agent_cli.types.outcomes import Code, Outcome

NO_ARGUMENT = ("any", "arguments")
OFF = ("any", "unknown_tool")
FAILURES = {
    "any: unknown name, mode, file pattern": [OFF, ("any", "forbidden")],
    "any: identical calls": [("any", "repeated")],
    "any: arguments that cannot be read": [NO_ARGUMENT],
    "any: exception in the tool": [("any", "bug")],
    "read_file: none given, too many": [NO_ARGUMENT, ("read_file", "too_many")],
    "read_file: range, ignored, read error, image error": [
        ("read_file", "line_range"),
        ("read_file", "blocked"),
        ("read_file", "unreadable"),
        ("read_file", "image"),
    ],
    "write_to_file: no path, no content, ignored": [NO_ARGUMENT, ("write_to_file", "blocked")],
    "apply_diff: no path, no diff, ignored": [NO_ARGUMENT, ("apply_diff", "blocked")],
    "apply_diff: file missing": [("apply_diff", "no_file")],
    "apply_diff: nothing applied, partially applied": [
        ("apply_diff", "not_found"),
        ("apply_diff", "ambiguous"),
        ("apply_diff", "unchanged"),
    ],
    "insert_content: no path, bad line, ignored": [
        NO_ARGUMENT,
        ("insert_content", "past_the_end"),
        ("insert_content", "blocked"),
    ],
    "insert_content: new file and line > 1": [("insert_content", "no_file")],
    "search_files: no path, no regex": [NO_ARGUMENT, ("search_files", "unusable")],
    "search_files: engine error": [("search_files", "no_regex"), ("search_files", "engine")],
    "list_files, list_code_definition_names: no path": [NO_ARGUMENT],
    "list_files, list_code_definition_names: path does not exist": [
        ("list_files", "unreadable"),
        ("list_code_definition_names", "unreadable"),
    ],
    "codebase_search: no query": [NO_ARGUMENT, ("codebase_search", "no_words")],
    "codebase_search: disabled, not configured, not ready": [OFF, ("codebase_search", "index")],
    "execute_command: no command": [("execute_command", "which")],
    "execute_command: ignored, bad cwd": [
        ("execute_command", "blocked"),
        ("execute_command", "cwd"),
    ],
    "execute_command: timeout": [("execute_command", "timeout")],
    "browser_action: bad or missing argument": [
        NO_ARGUMENT,
        ("browser_action", "missing"),
        ("browser_action", "form"),
        ("browser_action", "url"),
    ],
    "use_mcp_tool: no server, no tool": [NO_ARGUMENT],
    "use_mcp_tool: bad JSON, unknown server, unknown tool": [
        ("use_mcp_tool", "no_object"),
        ("use_mcp_tool", "server"),
        ("use_mcp_tool", "tool"),
    ],
    "use_mcp_tool: the server says that it is an error": [("use_mcp_tool", "refused")],
    "access_mcp_resource: no server, no uri": [NO_ARGUMENT, ("access_mcp_resource", "server")],
    "ask_followup_question: no question": [("ask_followup_question", "no_question")],
    "switch_mode: no slug": [NO_ARGUMENT],
    "switch_mode: unknown": [("switch_mode", "unknown_mode")],
    "new_task: no mode, no message, bad todos": [
        NO_ARGUMENT,
        ("new_task", "no_message"),
        ("new_task", "no_list"),
    ],
    "new_task: unknown mode, policy": [("new_task", "unknown_mode"), ("new_task", "too_many")],
    "fetch_instructions: no task, unknown task": [
        NO_ARGUMENT,
        ("fetch_instructions", "unknown_task"),
    ],
    "update_todo_list: unparsable": [("update_todo_list", "no_list")],
    "run_slash_command: no command, not found": [
        NO_ARGUMENT,
        ("run_slash_command", "unknown_command"),
    ],
    "run_slash_command, generate_image: not there": [OFF],
    "generate_image: no prompt, no path": [NO_ARGUMENT, ("generate_image", "no_prompt")],
    "generate_image: input image, API failure, no data": [
        ("generate_image", "start"),
        ("generate_image", "model"),
        ("generate_image", "no_image"),
    ],
    "generate_image: no key, ignored": [OFF, ("generate_image", "blocked")],
    "attempt_completion: a failure before it": [("attempt_completion", "failed_earlier")],
    "attempt_completion: no result": [("attempt_completion", "no_result")],
}
NO_FAILURES = {
    "write_to_file: no count of lines": ["a file without a count of lines"],
    "write_to_file: something seems to be left out": [
        "a file that looks as if something was left out",
        "a count of lines that is too high",
    ],
    "execute_command: exit code": ["a command that says no"],
    "switch_mode: the same mode": ["the mode that it is"],
}
ROWS = [pytest.param(rows, id=row) for row, rows in FAILURES.items()]


@pytest.mark.parametrize("shown", ROWS)
def test_every_row_that_is_a_failure_has_its_scenarios(shown: list[tuple[str, str]]):
    assert all(name in (ANYHOW if tool == "any" else SCENARIOS[tool]) for tool, name in shown)


def test_every_row_that_is_no_failure_has_its_scenarios():
    assert {name for names in NO_FAILURES.values() for name in names} <= {*HARMLESS}


@pytest.mark.parametrize("protocol", ["native", "xml"])
def test_what_the_user_declines_is_no_failure_but_skips_the_rest(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    scenario = Scenario({"path": "new.txt", "content": "x"}, asks=True, declines=True)
    played = play("write_to_file", scenario, tmp_path, monkeypatch, xml=protocol == "xml")
    skipped = [(Outcome.SKIPPED, Code.REJECTED_EARLIER)] if protocol == "native" else []
    outcomes = [(one.outcome, one.code) for one in played.results]
    assert outcomes == [(Outcome.REJECTED, None), *skipped, (Outcome.OK, Code.FINISHED)]


CALLS = [pytest.param(*row, id=name) for name, row in HARMLESS.items()]


@pytest.mark.parametrize(("tool", "scenario"), CALLS)
def test_what_is_no_failure_blocks_nothing(
    tool: str, scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    played = play(tool, scenario, tmp_path, monkeypatch, xml=False)
    assert scenario.says in played.results[0].content
    outcomes = [(one.outcome, one.code) for one in played.results]
    assert outcomes == [(Outcome.OK, None), (Outcome.OK, Code.FINISHED)]
