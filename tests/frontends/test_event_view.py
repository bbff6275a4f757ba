"""What a person sees of a session as it goes on.

To accept a changed look, run the tests once with AGENT_UPDATE_SNAPSHOTS=1 and review the diff.
"""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from testbed.changing import unified
from testbed.viewed import NONE, call, told, viewed

from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.theme import PLAIN
from agent_cli.types.entries import (
    CallFinished,
    CheckRun,
    FilesChanged,
    FilesRestored,
    HistoryCompacted,
    TaskStarted,
    Todo,
    TodosUpdated,
    UserSaid,
)
from agent_cli.types.events import (
    CompletionResult,
    Notice,
    Progress,
    ReasoningDelta,
    Retrying,
    SessionOpened,
    TextDelta,
)
from agent_cli.types.evidence import Check, CommandRun, Evidence, FileChange, FileVersion
from agent_cli.types.messages import Image, ToolCall, ToolResult
from agent_cli.types.outcomes import Code, Outcome
from agent_cli.types.requests import Protocol

UPDATE = os.environ.get("AGENT_UPDATE_SNAPSHOTS") == "1"  # read before tests are isolated
SNAPSHOTS = Path(__file__).parents[1] / "snapshots" / "terminal"
RAN = "The command ran in '/w'.\nExit code: {code}\nOutput:\n{output}"
CHANGED = FileChange("shop/cart.py", FileVersion("a", 0o644), FileVersion("b", 0o644))
DIFF = unified("shop/cart.py", "a\nb > c\nd\n", "a\nb >= c\nd\n")
FLOOD = "".join(f"line {number}\n" for number in range(1000))
PROSE = """The *total* was wrong, see [the report](http://127.0.0.1/report): 世界 and שלום too.

1. Read `cart.py`
2. Change the comparison, so that the stated number of pieces is enough for a discount

| file | lines |
|------|------:|
| cart.py | 12 |
"""
TODOS = (Todo("Find it", "completed"), Todo("Repair it", "in_progress"), Todo("Test it", "pending"))
RESULT = CompletionResult(
    "c",
    "Discounts begin **with** the stated number.",
    "pytest -q",
    evidence=Evidence(
        changed=(CHANGED,),
        commands=(CommandRun("pytest -q", Outcome.OK, 0),),
        checks=(Check("make lint", 0),),
    ),
)


def ran(output, code=0, seconds=0.0, between=()):
    return call(
        "execute_command",
        '{"command": "pytest -q"}',
        RAN.format(code=code, output=output),
        exit_code=code,
        seconds=seconds,
        between=between,
    )


SESSION = [
    *told(UserSaid("Repair it.")),
    ReasoningDelta("First the tests, then the code that they test.\n"),
    TextDelta(PROSE),
    *call("read_file", '{"files": [{"path": "shop/cart.py"}, {"path": "a b.py"}]}', "1\n2\n3\n"),
    *call("search_files", '{"regex": "tot.l", "path": "shop"}', "one\n"),
    *ran(FLOOD, 1, 75.0, [Progress("c", FLOOD)]),
    *told(TodosUpdated(TODOS)),
    TextDelta("Now the change."),
    *call(
        "apply_diff",
        '{"path": "shop/cart.py", "diff": "..."}',
        "modified shop/cart.py",
        between=told(FilesChanged("c", (CHANGED,))),
    ),
    *call("apply_diff", '{"path": "x.py"}', "no lines match\n" * 20, outcome=Outcome.FAILED),
    *told(TaskStarted("ask", "p", "Look at the receipts.")),
    *call("use_mcp_tool", '{"server_name": "db", "tool_name": "ask", "arguments": {"n": 1}}', "ok"),
    *told(CheckRun("c", Check("make lint", 0)), CheckRun("c", Check("make test", 2))),
    Notice("the index is not ready"),
    RESULT,
]


def compared(view):
    view.compare_with(lambda changes: [DIFF])


@pytest.mark.parametrize(
    ("name", "width", "theme"),
    [("40", 40, NONE), ("80", 80, NONE), ("200", 200, NONE), ("plain", 80, PLAIN)],
)
def test_a_session_looks_as_it_did(name, width, theme):
    path = SNAPSHOTS / f"session_{name}.txt"
    shown = viewed(*SESSION, width=width, theme=theme, first=compared)
    if UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")
    if not theme.plain:
        laid_out = shown.split("\n")[1:]  # the terminal breaks what is streamed as it is
        assert max(map(cell_len, laid_out)) <= width


def test_long_output_is_folded_and_can_be_shown_whole_once():
    folded = viewed(*ran(FLOOD))
    assert "(994 more lines; Ctrl+O shows all)" in folded
    assert "line 993\n" not in folded
    assert folded.endswith("    line 998\n    line 999\n")
    whole = viewed(*ran(FLOOD), then=lambda view: (view.expand(), view.expand()))
    assert whole.startswith(folded)
    assert [line.strip() for line in whole[len(folded) :].split("\n")] == [
        "",
        *FLOOD.split("\n"),
        "",
    ]


def test_a_line_without_end_is_cut_where_it_is_folded():
    shown = viewed(*ran("x" * 100_000))
    assert len(shown) < 1000
    assert "…" in shown


def test_what_was_read_is_counted_and_can_be_shown():
    read = call("read_file", '{"files": [{"path": "a"}]}', "one\ntwo\n")
    assert viewed(*read) == "● read_file a (2 lines)\n"
    assert "    one\n    two\n" in viewed(*read, then=lambda view: view.expand())


def test_a_diff_that_was_agreed_to_is_not_shown_again():
    edit = call(
        "apply_diff", '{"path": "shop/cart.py"}', between=told(FilesChanged("c", (CHANGED,)))
    )
    agreed = viewed(*edit, first=lambda view: view.saw("c", DIFF))
    assert agreed == "● apply_diff shop/cart.py (+1 \N{MINUS SIGN}1)\n"
    unasked = viewed(*edit, first=compared)
    assert unasked.startswith(agreed)
    assert "2 + b >= c" in unasked
    assert viewed(*edit) == "● apply_diff shop/cart.py\n"


FAILURES = [
    pytest.param(Outcome.FAILED, None, "bad\n", ["failed", "    bad"], id="failed"),
    pytest.param(
        Outcome.SKIPPED, Code.FINISHED, "", ["not run, because the task is complete"], id="skipped"
    ),
]


@pytest.mark.parametrize(("outcome", "code", "content", "expected"), FAILURES)
def test_a_call_that_did_not_succeed_says_why(outcome, code, content, expected):
    left = call("t", '{"a": 1}')[:1]
    ended = told(CallFinished(ToolResult("c", outcome, code, content)))
    first, *others = expected
    assert viewed(*left, *ended).split("\n")[:-1] == [f'✗ t {{"a": 1}}: {first}', *others]


def test_calls_that_were_left_open_are_known():
    opened = SessionOpened(
        id="i",
        cwd="/w",
        model="m",
        protocol=Protocol.NATIVE,
        parallel_tool_calls=True,
        mode="code",
        tools=(),
        open_calls=(ToolCall("c", "t", "{}"),),
    )
    ended = told(CallFinished(ToolResult("c", Outcome.INTERRUPTED)))
    assert viewed(opened, *ended) == "✗ t: interrupted\n"


def test_what_speaks_for_itself_is_no_line():
    assert viewed(*call("attempt_completion", '{"result": "Done."}')) == ""
    assert viewed(*call("update_todo_list"), theme=PLAIN) == ""


def test_output_of_a_demonstration_is_shown_as_it_comes():
    shown = viewed(*call("attempt_completion", between=[Progress("c", "it works\n")]))
    assert shown == "it works\n"


def test_images_are_counted():
    result = ToolResult("c", Outcome.OK, None, "", images=(Image("image/png", ""),))
    events = [*call("browser_action")[:2], *told(CallFinished(result))]
    assert viewed(*events) == "● browser_action (0 lines, 1 image)\n"


def test_remarks_on_history_are_shown():
    entries = [
        FilesRestored((CHANGED,), "rollback", ("c",)),
        HistoryCompacted("t", 1, "user", tokens_before=9000, tokens_after=100),
    ]
    shown = viewed(*told(*entries))
    assert "shop/cart.py" in shown
    assert "9,000" in shown


def test_to_dos_can_be_looked_at():
    assert "▸ Repair it" in viewed(then=lambda view: view.show_todos(TODOS))
    assert "there is no to-do list" in viewed(then=lambda view: view.show_todos(()))


QUEUED = [
    pytest.param("Use tabs.\x1b", NONE, "» Use tabs.␛", id="as it is"),
    pytest.param("Use tabs.", PLAIN, "[you] Use tabs.", id="in words"),
    pytest.param("x\n" * 70, NONE, "» [pasted 71 lines]", id="by its label"),
]


@pytest.mark.parametrize(("text", "theme", "expected"), QUEUED)
def test_words_that_waited_are_shown_where_they_are_heard(text, theme, expected):
    entries = [TodosUpdated(TODOS[2:]), UserSaid(text, queued=True)]
    shown = viewed(*told(*entries), TextDelta("I see."), theme=theme)
    assert shown.split("\n", 1)[1].rstrip() == f"\n{expected}\nI see."


def test_another_theme_holds_for_everything_that_follows():
    shown = viewed(*call("read_file"), Notice("ready"), first=lambda view: view.dress(PLAIN))
    assert shown.startswith("[tool] read_file")


def test_waiting_is_said_on_a_line_that_goes():
    assert viewed(Retrying(1, 5.0, "busy\x1b")) == ""


NASTY = st.text("a\x1b[2J]0;\x07\x9b\u202eé\u0301\u200b世`*|\n\r\t", max_size=30)


@given(NASTY, st.lists(st.integers(0, 30), max_size=5), st.sampled_from([NONE, PLAIN]))
def test_nothing_of_it_can_become_a_control_sequence(text, cuts, theme):
    ends = [*sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    events = [
        *map(ReasoningDelta, pieces),
        *map(TextDelta, pieces),
        *call(text, text, text, between=[Progress("c", piece) for piece in pieces]),
        *call(text, '{"path": "p"}', text, outcome=Outcome.FAILED),
        *told(TaskStarted(text, "p", text), TodosUpdated((Todo(text, text),))),
        CompletionResult("c", text, text),
    ]
    shown = viewed(*events, theme=theme, then=lambda view: view.expand())
    assert visible(shown) == shown
