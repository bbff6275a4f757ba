"""A session as one object: what it holds, whatever the journal says."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from testbed.any_journal import JOURNALS
from testbed.journals import SESSION, journal_of
from testbed.reading import reading
from testbed.story import BEGINNING, Told, accepted, asked, completion, entries_of, ran, started

from agent_cli.sessions.bring import brought, read_brought
from agent_cli.sessions.export import export_of as session_export
from agent_cli.sessions.export import exported
from agent_cli.sessions.told import Answer, Export, Task
from agent_cli.types.entries import (
    AssistantSaid,
    CallFinished,
    Entry,
    Rewound,
    SessionRenamed,
    TaskStarted,
    UserSaid,
)
from agent_cli.types.errors import JournalError
from agent_cli.types.messages import AssistantMessage, ToolCall, ToolResult
from agent_cli.types.outcomes import Code, Outcome


def export_of(*told: Told) -> Export:
    return exported(reading(journal_of(entries_of([*BEGINNING, *told]))))


def answers(task: Task) -> list[Answer]:
    return [step for turn in task.turns for step in turn.steps if isinstance(step, Answer)]


def test_a_turn_has_what_the_model_said_and_what_came_of_its_calls():
    export = export_of(asked("a", text="I look."), ran("a", content="seen"), UserSaid("thanks"))
    assert [(turn.number, turn.text) for turn in export.task.turns] == [(1, "do it"), (2, "thanks")]
    (answer,) = answers(export.task)
    (call,) = answer.calls
    assert (answer.text, call.name, call.arguments) == ("I look.", "read_file", '{"path":"a"}')
    assert (call.decision, call.outcome, call.content) == ("allow", "ok", "seen")


PART: list[Told] = [
    asked(ToolCall("t", "new_task", "{}")),
    started("t"),
    TaskStarted("ask", "t", "look"),
]
DELIVERED = CallFinished(ToolResult("t", Outcome.OK, Code.SUBTASK_COMPLETED, "seen"))


def test_a_subtask_stands_in_the_call_that_it_answers():
    end: list[Told] = [asked(completion("c")), accepted("c"), DELIVERED, asked(text="well")]
    export = export_of(*PART, UserSaid("and?"), *end)
    delegating, after = answers(export.task)
    part = delegating.calls[0].task
    assert part is not None
    assert (part.mode, [turn.text for turn in part.turns]) == ("ask", ["look", "and?"])
    assert [turn.number for turn in part.turns] == [0, 2]
    assert (delegating.calls[0].content, after.text) == ("seen", "well")
    assert answers(part)[0].calls[0].completion == "it is done"


def test_what_was_unsaid_is_marked_and_the_rest_is_not():
    more: list[Told] = [asked(text="one"), UserSaid("no"), asked(text="two"), Rewound(1)]
    export = export_of(*more, UserSaid("yes"), asked(text="three"))
    said = [(turn.number, turn.text, turn.undone) for turn in export.task.turns if turn.number]
    assert said == [(1, "do it", False), (2, "no", True), (2, "yes", False)]
    assert [answer.undone for answer in answers(export.task)] == [False, True, False]


def test_words_unsaid_in_a_subtask_take_its_result_back():
    end: list[Told] = [asked(completion("c")), accepted("c"), DELIVERED, asked(text="well")]
    export = export_of(*PART, UserSaid("and?"), *end, Rewound(1), UserSaid("so?"))
    delegating, after = answers(export.task)
    assert (delegating.calls[0].outcome, after.undone, delegating.undone) == ("", True, False)
    part = delegating.calls[0].task
    assert part is not None
    assert [turn.text for turn in part.turns] == ["look", "and?", "", "so?"]


def test_it_knows_its_session():
    export = exported(reading(journal_of([*SESSION, SessionRenamed("last")]) + b"torn"))
    facts = export.session
    assert (facts.id, facts.title, facts.responses) == ("s", "last", 9)
    assert facts.usage.input_tokens == 12
    assert facts.damage == "the last line is incomplete"


def test_the_valid_part_of_a_file_is_exported(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(journal_of(SESSION) + b"torn")
    export = session_export(path)
    assert len(export.journal) == len(SESSION)
    assert export.session.damage == "the last line is incomplete"


@pytest.mark.parametrize(("data", "why"), [(None, "cannot read"), (b"torn", "holds no session")])
def test_what_holds_no_session_is_not_exported(data: bytes | None, why: str, tmp_path: Path):
    path = tmp_path / "s.jsonl"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(JournalError, match=why):
        session_export(path)


def test_a_file_is_brought(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    with pytest.raises(JournalError, match="cannot read"):
        read_brought(path)
    path.write_bytes(b"{}")
    with pytest.raises(JournalError, match=r"s\.jsonl is neither"):
        read_brought(path)
    path.write_bytes(journal_of(SESSION))
    assert read_brought(path) == brought(journal_of(SESSION))


def test_tasks_without_end_are_told():
    told: list[Entry] = [*BEGINNING]
    for number in range(500):
        message = AssistantMessage((ToolCall(str(number), "new_task", "{}"),))
        told += [AssistantSaid(message), TaskStarted("ask", str(number), "go on")]
    assert msgspec.json.encode(exported(reading(journal_of(told))))


@given(JOURNALS)
def test_whatever_a_journal_says_it_is_exported_and_comes_back(told: list[Entry]):
    export = exported(reading(journal_of(told)))
    data = msgspec.json.encode(export)
    assert msgspec.json.decode(data, type=Export) == export
    back = brought(data)
    assert (back.envelopes, back.intact) == (tuple(reading(journal_of(told))), True)


def test_a_journal_is_brought_as_far_as_it_is_valid():
    back = brought(journal_of(SESSION)[:-3])
    assert len(back.envelopes) == len(SESSION) - 1
    assert (back.damage, back.intact) == ("the last line is incomplete", True)


def test_what_others_have_allowed_can_be_left_out():
    back = brought(journal_of(SESSION)).without_rules()
    assert (len(back.envelopes), back.intact) == (len(SESSION) - 2, False)
    assert brought(journal_of(BEGINNING)).without_rules().intact


def test_a_session_is_brought_under_another_name():
    back = brought(journal_of(SESSION)).renamed("new")
    assert (back.started.id, back.started.forked_from, back.intact) == ("new", "s", False)
    assert back.envelopes[0].entry == back.started


def edited(**changes: Any) -> bytes:
    made = msgspec.to_builtins(exported(reading(journal_of(SESSION)))) | changes
    return msgspec.json.encode(made)


def test_an_export_that_was_edited_is_known():
    journal = msgspec.to_builtins(tuple(reading(journal_of(SESSION))))
    journal[2]["entry"]["text"] = "something else"
    assert not brought(edited(journal=journal)).intact


BAD: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "neither a session file nor"),
    "other json": (b'{"a":1}', "neither a session file nor"),
    "deep json": (b"[" * 100_000, "neither a session file nor"),
    "no text": (b'"\xff"', "neither a session file nor"),
    "a torn journal": (b'{"hash":"', "does not begin with the start"),
    "an empty journal": (edited(journal=[]), "does not begin with the start"),
    "a newer export": (edited(export_format=9), "newer format, 9"),
    "a newer journal": (
        journal_of([msgspec.structs.replace(BEGINNING[0], format=9)]),
        "newer format, 9",
    ),
    "an id that leads elsewhere": (
        journal_of([msgspec.structs.replace(BEGINNING[0], id="../x")]),
        "has no session id but '../x'",
    ),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=BAD)
def test_what_is_no_session_is_not_brought(data: bytes, message: str):
    with pytest.raises(JournalError, match=message):
        brought(data)
