"""What a task can show for itself, as people read it."""

import pytest
from testbed.sinks import headless, terminal

from agent_cli.frontends.evidence import MOST, check_line, evidence_lines
from agent_cli.types.events import CompletionResult
from agent_cli.types.evidence import Check, CommandRun, Evidence, FileChange, FileVersion
from agent_cli.types.outcomes import Outcome

A, B = FileVersion("a", 0o644), FileVersion("b", 0o644)


def test_each_kind_has_its_heading():
    evidence = Evidence(
        changed=(
            FileChange("new", None, A), FileChange("old\n", A, None), FileChange("one", A, B),
        ),
        commands=(
            CommandRun("make\n test", Outcome.OK, 2), CommandRun("sleep", Outcome.FAILED, None),
        ),
        checks=(Check("ruff", 0), Check("mypy", 1)),
    )  # fmt: skip
    assert evidence_lines(evidence) == [
        "Files changed:",
        "  + new",
        "  - old␊",
        "  ~ one",
        "Commands run:",
        "  make test → 2",
        "  sleep → failed",
        "Checks passed:",
        "  ✓ ruff",
    ]


def test_where_signs_say_nothing_there_are_words():
    evidence = Evidence(
        changed=(FileChange("new", None, A), FileChange("old", A, None), FileChange("one", A, B)),
        commands=(CommandRun("make test", Outcome.OK, 2),),
        checks=(Check("ruff", 0),),
    )
    assert evidence_lines(evidence, words=True) == [
        "Files changed:",
        "  [added] new",
        "  [removed] old",
        "  one",
        "Commands run:",
        "  make test: 2",
        "Checks passed:",
        "  ruff",
    ]
    assert check_line(Check("make", 0), words=True) == "[passed] check: make"
    assert check_line(Check("make", None), words=True) == "[failed] check: make: had no end"


def test_nothing_done_is_not_told():
    assert evidence_lines(Evidence()) == []


def test_long_lists_and_lines_are_folded():
    many = tuple(FileChange(f"{n}" * 200, None, A) for n in range(MOST + 3))
    ran = CommandRun("x" * 200, Outcome.OK, 0)
    shown = evidence_lines(Evidence(changed=many, commands=(ran,)))
    assert shown[MOST + 1] == "  (3 more)"
    assert max(map(len, shown)) <= 102
    assert shown[-1].endswith("x → 0")


@pytest.mark.parametrize(
    ("check", "line"),
    [
        (Check("make", 0), "✓ check: make"),
        (Check("make", 2), "✗ check: make → 2"),
        (Check("make", None), "✗ check: make → had no end"),
    ],
)
def test_a_check_is_told_in_a_line(check: Check, line: str):
    assert check_line(check) == line


@pytest.mark.parametrize("show", [terminal, headless])
def test_what_could_steer_a_terminal_is_shown(show):
    path = "a\x1b[31m.txt"
    event = CompletionResult("c", "r", evidence=Evidence(changed=(FileChange(path, None, A),)))
    assert "a␛[31m.txt" in show(event)
