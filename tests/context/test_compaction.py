"""The text that stands in place of messages, and the summary in an answer."""

import pytest
from msgspec.structs import replace
from testbed.story import Told, asked, call, completion, ran, settled, started, story

from agent_cli.context.compaction import (
    LONGEST_LINE,
    MOST_CHANGES,
    instruction,
    ledger,
    replacement,
    summary_in,
)
from agent_cli.engine.answers import QUESTION
from agent_cli.types.approval import DecidedBy, Decision
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.entries import (
    CallDecided,
    CallFinished,
    CallStarted,
    FilesChanged,
    Todo,
    TodosUpdated,
    UserSaid,
)
from agent_cli.types.evidence import FileChange, FileRead, FileVersion
from agent_cli.types.messages import AssistantMessage, Text, ToolResult
from agent_cli.types.outcomes import Code, Outcome

OLD, NEW = FileVersion("a" * 64, 0o644), FileVersion("b" * 64, 0o644)
SUMMARIES = {
    "between tags": ("Well.\n<summary>\nWe read.\n</summary> Bye.", "We read."),
    "tags in it": ("<summary>a <summary> b</summary> c</summary>", "a <summary> b</summary> c"),
    "without tags": (" We read. ", "We read."),
    "not closed": ("<summary>We", ""),
    "nothing": (" \n", ""),
    "nothing between tags": ("<summary> </summary>", ""),
}


@pytest.mark.parametrize(("text", "expected"), SUMMARIES.values(), ids=SUMMARIES)
def test_a_summary_is_taken_from_an_answer(text: str, expected: str):
    assert summary_in(AssistantMessage((Text(text),))) == expected


def test_an_answer_that_works_on_is_no_summary():
    calls = (call("a"),)
    assert summary_in(AssistantMessage((Text("Let me look."), *calls))) == ""
    tagged = AssistantMessage((Text("<summary>We read.</summary>"), *calls))
    assert summary_in(tagged) == "We read."


def test_the_users_hint_follows_what_is_asked():
    assert instruction(" ") == instruction()
    hinted = instruction("keep the $names")
    assert hinted.startswith(instruction())
    assert "keep the $names" in hinted


def command(call_id: str, text: str, exit_code: int | None, outcome: Outcome) -> list[Told]:
    effects = (Effect(Kind.EXECUTE, text),)
    decided = CallDecided(call_id, Decision.ALLOW, DecidedBy.POLICY, "", effects)
    result = ToolResult(call_id, outcome, exit_code=exit_code)
    return [asked(call_id), decided, CallStarted(call_id), CallFinished(result)]


def changes(*found: FileChange) -> list[Told]:
    return [asked("c"), started("c"), FilesChanged("c", found), ran("c")[-1]]


READ = [
    asked("r"),
    started("r"),
    CallFinished(ToolResult("r", Outcome.OK), read=(FileRead("a.py", OLD.hash),)),
]
LEDGERS: dict[str, tuple[list[Told], tuple[str, ...]]] = {
    "nothing": ([], ("No file was read or changed",)),
    "a file that was read": (READ, ("- a.py (aaaaaaaaaaaa)\n", "- a.py (aaaaaaaaaaaa)")),
    "read, and changed since": (
        [*READ, *changes(FileChange("a.py", OLD, NEW))],
        ("- a.py (aaaaaaaaaaaa), changed since", "- a.py: changed (bbbbbbbbbbbb)"),
    ),
    "read, and gone since": (
        [*READ, *changes(FileChange("a.py", OLD, None))],
        ("- a.py (aaaaaaaaaaaa), changed since", "- a.py: deleted"),
    ),
    "a new file": (changes(FileChange("a\nb", None, NEW)), ("- a b: created (bbbbbbbbbbbb)",)),
    "a command": (command("x", "make\ntest", 2, Outcome.OK), ("- make test: exit code 2",)),
    "a command that was stopped": (
        command("x", "make", None, Outcome.FAILED),
        ("- make: did not end by itself: failed",),
    ),
    "a long command": (
        command("x", "x" * 999, 0, Outcome.OK),
        (f"- {'x' * LONGEST_LINE}…: exit code 0",),
    ),
    "open to-dos": (
        [TodosUpdated((Todo("one", "completed"), Todo("two", "in_progress")))],
        ("- two (in_progress)",),
    ),
    "an open failure": (
        [asked("f"), settled("f", Outcome.FAILED, Code.UNKNOWN_TOOL)],
        ("Failures that nothing has made good yet:\n- read_file",),
    ),
}


@pytest.mark.parametrize(("told", "lines"), LEDGERS.values(), ids=LEDGERS)
def test_the_ledger_says_what_was_recorded(told: list[Told], lines: tuple[str, ...]):
    text = ledger(story(*told).task)
    assert all(line.rstrip("\n") in text for line in lines), text
    assert "one (completed)" not in text


def test_of_very_many_changes_the_latest_are_listed():
    found = [FileChange(f"f{number}", None, NEW) for number in range(MOST_CHANGES + 7)]
    text = ledger(story(*changes(*found)).task)
    assert "- and 7 more, earlier\n- f7: created" in text
    assert "- f6:" not in text


def test_words_that_are_kept_as_messages_are_not_repeated():
    task = story(asked(text="well"), UserSaid("do that"), asked("a"), ran("a")).task
    assert "do it" in replacement(task, 2, "")
    assert "do that" in replacement(task, 2, "")
    assert "do that" not in replacement(task, 3, "")


def test_the_model_is_told_of_results_that_it_never_saw():
    task = story(asked("a"), ran("a")).task
    assert "less at a time" in replacement(task, 0, "")
    assert "less at a time" not in replacement(task, 2, "")


def test_there_is_a_summary_only_if_there_is_one():
    task = story(asked("a"), ran("a")).task
    assert "as summarised by the model\n\nWe read." in replacement(task, 0, "We read.")
    assert "as summarised" not in replacement(task, 0, "")


def by_user(call_id: str, reason: str, *, yes: bool) -> CallDecided:
    decision = Decision.ALLOW if yes else Decision.DENY
    return CallDecided(call_id, decision, DecidedBy.USER, reason)


ANSWERS: dict[str, list[Told]] = {
    "a reason for a no": [
        asked("a"),
        by_user("a", "not the words", yes=False),
        settled("a", Outcome.REJECTED),
    ],
    "a remark with a yes": [
        asked("a"),
        by_user("a", "not the words", yes=True),
        CallStarted("a"),
        ran("a")[-1],
    ],
    "an answer": [
        asked(call("a", QUESTION)),
        ran("a", content="<answer>not the words</answer>"),
    ],
    "a no to a repetition": [
        asked("a"),
        CallFinished(ToolResult("a", Outcome.FAILED, Code.REPEATED, "not the words")),
    ],
    "feedback": [
        asked(completion("a")),
        started("a"),
        CallFinished(
            ToolResult("a", Outcome.OK, Code.FEEDBACK, "so: not the words"), said="not the words"
        ),
    ],
}


@pytest.mark.invariant("I10")
@pytest.mark.parametrize("told", ANSWERS.values(), ids=ANSWERS)
def test_what_the_user_says_in_results_stays(told: list[Told]):
    task = story(*told).task
    assert replacement(task, 0, "").count("not the words") == 1
    assert "not the words" not in replacement(task, 2, "")
    later = replace(task, messages=(AssistantMessage((Text("later"),)),))
    assert "not the words" in replacement(later, 1, "")


def test_what_the_user_only_agrees_to_is_no_answer():
    told = [asked("a"), by_user("a", "", yes=True), CallStarted("a"), ran("a")[-1]]
    assert story(*told).task.answers == ()
