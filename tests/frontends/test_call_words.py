"""What is said of a call, of what it works on and of how long it takes."""

import pytest

from agent_cli.frontends.terminal.call_words import elapsed, ended, output, target
from agent_cli.frontends.terminal.progress_line import Doing, progress_line
from agent_cli.types.entries import (
    AssistantSaid,
    AttemptLost,
    CallFinished,
    CallStarted,
    HistoryCompacted,
    TaskFinished,
    UserSaid,
)
from agent_cli.types.events import (
    Appended,
    Notice,
    ReasoningDelta,
    Retrying,
    SessionOpened,
    TextDelta,
    ToolCallBegin,
)
from agent_cli.types.messages import AssistantMessage, ToolCall, ToolResult
from agent_cli.types.outcomes import Outcome
from agent_cli.types.requests import Protocol
from agent_cli.types.usage import Usage

TARGETS = [
    pytest.param("read_file", '{"files": [{"path": "a"}, {"path": "b c"}]}', "a, b c", id="files"),
    pytest.param("apply_diff", '{"path": "a", "diff": "long"}', "a", id="a path"),
    pytest.param("execute_command", '{"command": "a\\n  b"}', "a b", id="a command"),
    pytest.param("search_files", '{"path": "p", "regex": "r"}', "r p", id="a search"),
    pytest.param(
        "use_mcp_tool", '{"tool_name": "t", "arguments": {"n": 1}}', 't {"n":1}', id="mcp"
    ),
    pytest.param("read_file", '{"files": ["a", 3]}', "a, 3", id="files that are none"),
    pytest.param("files__ask", '{"n": 1}', '{"n": 1}', id="a tool that is not ours"),
    pytest.param("t", "{}", "", id="nothing is given"),
    pytest.param("t", "[1, \x1b", "[1, ␛", id="no JSON"),
    pytest.param("t", '{"path": "' + "x" * 999 + '"}', "x" * 160 + "…", id="something long"),
]


@pytest.mark.parametrize(("tool", "arguments", "expected"), TARGETS)
def test_the_target_is_what_the_call_works_on(tool, arguments, expected):
    assert target(ToolCall("c", tool, arguments)) == expected


def test_the_output_of_a_command_is_what_it_wrote():
    told = "The command ran in '/w'.\nExit code: 0\nOutput:\none\n\ntwo\n"
    assert output(ToolResult("c", Outcome.OK, None, told, exit_code=0)) == "one\n\ntwo\n"
    assert output(ToolResult("c", Outcome.OK, None, "plain", exit_code=0)) == "plain"
    assert output(ToolResult("c", Outcome.OK, None, told)) == told


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.5, "1 line"), (1.26, "1 line, 1.3 s"), (90.0, "1 line, 1 min 30 s")],
)
def test_time_is_said_when_there_was_to_wait(seconds, expected):
    result = ToolResult("c", Outcome.OK, None, "one")
    assert ended(CallFinished(result, seconds=seconds)) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.9, "0 s"), (61, "1 min 01 s"), (3720, "1 h 02 min")]
)
def test_long_times_are_said_in_minutes_and_hours(seconds, expected):
    assert elapsed(seconds) == expected


USED = [
    pytest.param(Usage(), "5 s · Esc stops · writing", id="nothing was used"),
    pytest.param(Usage(10, 5), "5 s · 15 tokens · Esc stops · writing", id="few tokens"),
    pytest.param(
        Usage(3000, 456, cost=0.0042), "5 s · 3.5k tokens · $0.0042 · Esc stops · writing", id="k"
    ),
    pytest.param(
        Usage(3_000_000, cost=12.3), "5 s · 3.0M tokens · $12.30 · Esc stops · writing", id="M"
    ),
]


@pytest.mark.parametrize(("usage", "expected"), USED)
def test_the_progress_line_says_how_it_stands(usage, expected):
    assert progress_line("writing", 5.4, usage) == expected


CALL = ToolCall("c", "t\x1b", '{"path": "p"}')
OPENED = SessionOpened("i", "/", "m", Protocol.NATIVE, True, "code", (), open_calls=(CALL,))  # noqa: FBT003 - its fields
WORDS = [
    pytest.param([], "waiting for the model", id="nothing yet"),
    pytest.param([TextDelta("a")], "writing", id="text"),
    pytest.param([ReasoningDelta("a")], "thinking", id="reasoning"),
    pytest.param([ToolCallBegin(0, "c", "t\n")], "writing a call of t␊", id="a call grows"),
    pytest.param([Retrying(1, 1.0, "r")], "waiting for the provider", id="a retry"),
    pytest.param([OPENED, Appended(0, "", CallStarted("c"))], "running t␛ p", id="a call runs"),
    pytest.param([TextDelta("a"), Notice("n")], "writing", id="a notice changes nothing"),
    pytest.param(
        [OPENED, Appended(0, "", CallFinished(ToolResult("c", Outcome.OK)))],
        "waiting for the model",
        id="a call has ended",
    ),
]


@pytest.mark.parametrize(("events", "expected"), WORDS)
def test_what_is_being_done_follows_the_events(events, expected):
    doing = Doing()
    for event in events:
        doing.take(event)
    assert doing.words == expected


def test_what_was_used_is_counted_from_the_users_words_on():
    doing = Doing()
    said = AssistantSaid(AssistantMessage((), usage=Usage(100, 10)))
    for entry in (said, UserSaid("go"), said, AttemptLost(Usage(1)), TaskFinished("r")):
        doing.take(Appended(0, "", entry))
    doing.take(Appended(0, "", HistoryCompacted("t", 1, "user", usage=Usage(2))))
    assert doing.progress(1.0) == "1 s · 113 tokens · Esc stops · waiting for the model"
