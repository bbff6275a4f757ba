"""What is said in a task, and how it stops."""

from msgspec.structs import replace

from agent_cli.engine.demand import demand
from agent_cli.engine.evidence import with_changes
from agent_cli.engine.task import Task
from agent_cli.types.entries import (
    BudgetStopped,
    Entry,
    FailuresWaived,
    FilesRestored,
    Interrupted,
    ModeSwitched,
    Nudged,
    TaskFinished,
    TodosUpdated,
    UserSaid,
)
from agent_cli.types.errors import InvalidTransitionError
from agent_cli.types.messages import AssistantMessage, NudgeMessage, UserMessage
from agent_cli.types.outcomes import Code, Nudge
from agent_cli.types.user_commands import UserRan


def assistant_said(task: Task, message: AssistantMessage) -> Task:
    demand(not task.open_calls, "the model spoke while calls were open")
    demand(bool(task.messages), "the model spoke before anybody")
    over = task.completion is not None or task.result is not None
    demand(task.stop is None and not over, "the model spoke when it was not asked")
    calls = message.calls
    led_nowhere = bool(calls) and not any(call.complete for call in calls)
    return replace(
        task,
        messages=(*task.messages, message),
        open_calls=calls,
        answered=0,
        blocked=False,
        failed=False,
        skipping=None,
        changed=(),
        compacted=False,
        nudges=task.nudges + led_nowhere if led_nowhere or not calls else 0,
        barren=task.barren + 1 if calls else task.barren,
        refused=task.refused if task.skipping is Code.FAILED_EARLIER else 0,
    )


def converse(task: Task, entry: Entry) -> Task:  # noqa: PLR0911 - one line a fact
    """Return the task after something else than a call; raises InvalidTransitionError."""
    match entry:
        case UserSaid():
            return _user_said(task, entry)
        case Nudged():
            demand(not task.open_calls, "nudged while calls were open")
            nudge = NudgeMessage(entry.code, entry.detail)
            return replace(task, messages=(*task.messages, nudge), nudges=task.nudges + 1)
        case FilesRestored() | UserRan():
            return _did(task, entry)
        case TodosUpdated():
            return replace(task, todos=entry.todos)
        case ModeSwitched():
            return replace(task, mode=entry.mode)
        case FailuresWaived():
            return replace(task, unresolved=())
        case BudgetStopped():
            return replace(task, limit=entry.limit)
        case TaskFinished():
            demand(not task.open_calls, "finished while calls were open")
            demand(task.completion == entry.result, "finished without an accepted completion")
            return replace(task, completion=None, result=entry.result)
        case Interrupted():
            return replace(task, stop=entry.reason)
        case _:
            raise InvalidTransitionError(f"unexpected entry {entry!r}")


def _user_said(task: Task, entry: UserSaid) -> Task:
    demand(not task.open_calls, "the user spoke while calls were open")
    demand(
        task.completion is None or task.stop is not None,
        "the user spoke before the task was finished",
    )
    text = f"{entry.text}\n\n{entry.environment}" if entry.environment else entry.text
    demand(bool(text.strip() or entry.images), "the user said nothing")
    return replace(
        task,
        messages=(*task.messages, UserMessage(text, entry.images)),
        said=(*task.said, entry.text),
        nudges=0,
        barren=0,
        refused=0,
        stop=None,
        limit=None,
        restored=(),
        ran=(),
        completion=None,
        result=None,
    )


def _did(task: Task, entry: FilesRestored | UserRan) -> Task:
    """Return the task after what the user did beside the conversation; they are told of it."""
    if isinstance(entry, FilesRestored):
        return _restored(task, entry)
    demand(not task.open_calls, "the user ran a command while calls were open")
    return replace(task, ran=(*task.ran, entry))


def _restored(task: Task, entry: FilesRestored) -> Task:
    demand(not task.open_calls, "files were restored while calls were open")
    paths = tuple(change.path for change in entry.changes)
    shown = with_changes(task.evidence, entry.changes)
    if entry.why != "rollback":
        return replace(task, evidence=shown, restored=(*task.restored, *paths))
    lines = [f"- {path}" for path in paths]
    lines += [f"- {path} (left as it is: something else changed it)" for path in entry.conflicts]
    told = NudgeMessage(Nudge.ROLLED_BACK, "\n".join(lines))
    return replace(task, messages=(*task.messages, told), changed=(), evidence=shown)
