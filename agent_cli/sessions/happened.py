"""What an entry tells that is neither words nor a call, as its name and a text."""

import msgspec

from agent_cli.types.entries import (
    BudgetStopped,
    Entry,
    FailuresWaived,
    FilesRestored,
    HistoryCompacted,
    Interrupted,
    ModelSwitched,
    ModeSwitched,
    Nudged,
    ParallelSwitched,
    Rewound,
    RuleGranted,
    SessionRenamed,
    TaskFinished,
    TodosUpdated,
    TurnRulesSet,
)
from agent_cli.types.queued_input import InputQueued, InputUnqueued
from agent_cli.types.user_commands import UserRan

_BOXES = {"pending": "[ ]", "in_progress": "[-]", "completed": "[x]"}


def happened(entry: Entry) -> tuple[str, str] | None:
    """Return what to tell; None for what shows elsewhere."""
    text = _of_work(entry)
    if text is None:
        text = _of_session(entry)
    if text is None:
        return None
    return str(entry.__struct_config__.tag), text


def _of_work(entry: Entry) -> str | None:
    match entry:
        case HistoryCompacted(text) | TaskFinished(text):
            return text
        case Interrupted(reason, detail, partial):
            return "\n".join(filter(None, (reason, detail, partial)))
        case FilesRestored():
            put = [change.path for change in entry.changes]
            left = [f"{path} (conflict)" for path in entry.conflicts]
            return "\n".join([entry.why, *put, *left])
        case TodosUpdated(todos):
            return "\n".join(f"{_BOXES.get(todo.status, '[ ]')} {todo.text}" for todo in todos)
        case Nudged(text) | BudgetStopped(text):
            return text
        case _:
            return None


def _of_session(entry: Entry) -> str | None:
    match entry:
        case SessionRenamed(text) | InputQueued(text) | ModeSwitched(text) | RuleGranted(text):
            return text
        case ModelSwitched(text) | InputUnqueued(text):
            return text
        case Rewound(kept):
            return str(kept)
        case UserRan(command, output):
            return f"$ {command}\n{output}".rstrip()
        case ParallelSwitched(on):
            return "on" if on else "off"
        case TurnRulesSet(rules):
            return msgspec.json.encode(rules).decode()
        case FailuresWaived():
            return ""
        case _:
            return None
