"""`text`: the result alone on standard output, what happens on the way on standard error."""

from agent_cli.engine.outcomes import Verdict
from agent_cli.engine.task import State
from agent_cli.frontends.evidence import check_line, evidence_lines
from agent_cli.frontends.headless.nobody import NobodyThere
from agent_cli.frontends.headless.registry import Ending
from agent_cli.frontends.headless.streams import put, tell
from agent_cli.frontends.messages import compaction_message, restored_message
from agent_cli.frontends.reasons import reason
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.i18n.catalog import say
from agent_cli.types.entries import (
    AssistantSaid,
    CallFinished,
    CheckRun,
    Entry,
    FilesRestored,
    HistoryCompacted,
    TaskFinished,
    TaskStarted,
)
from agent_cli.types.events import (
    Appended,
    CompletionResult,
    Event,
    Notice,
    Retrying,
    SessionOpened,
)
from agent_cli.types.messages import ToolCall, ToolResult
from agent_cli.types.outcomes import Outcome

_SHOWN = 160
"""Characters of a call's arguments on its progress line."""


class TextOutput(NobodyThere):
    """For people and pipes."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._command = False
        self._subtasks: list[str] = []

    def emit(self, event: Event) -> None:
        match event:
            case SessionOpened(open_calls=calls, subtasks=subtasks):
                self._name(calls)
                self._subtasks = list(subtasks)
            case Appended(entry=entry):
                self._entry(entry)
            case CompletionResult(command=command, evidence=evidence, subtask=subtask):
                self._command = command is not None
                for line in [] if subtask else evidence_lines(evidence):
                    tell(line)
            case Notice(message):
                tell(visible(message))
            case Retrying(attempt, delay, why, left=None):
                waiting = say(
                    "{reason}; trying again in {delay:.1f} s (attempt {attempt})",
                    reason=visible(why),
                    delay=delay,
                    attempt=attempt,
                )
                tell(waiting)
            case _:
                pass

    def _entry(self, entry: Entry) -> None:
        match entry:
            case TaskStarted(mode, parent, message) if parent:
                self._subtasks.append(parent)
                started = say("subtask in mode {mode}: {message}", mode=mode, message=message)
                tell(f"→ {in_one_line(started)[:_SHOWN]}")
            case AssistantSaid(message):
                self._name(message.calls)
            case CallFinished(result):
                self._finished(result)
            case CheckRun(check=check):
                tell(check_line(check))
            case FilesRestored(why="rollback"):
                tell(restored_message(entry))
            case HistoryCompacted():
                tell(compaction_message(entry))
            case TaskFinished(result) if not self._subtasks:
                put(visible(result))
            case _:
                pass

    def _finished(self, result: ToolResult) -> None:
        if result.call_id in self._subtasks:
            self._subtasks.remove(result.call_id)
        mark = "✓" if result.outcome is Outcome.OK else "✗"
        name = self._names.pop(result.call_id, result.call_id)
        why = f"  {reason(result)}" if result.code and mark == "✗" else ""
        tell(f"{mark} {in_one_line(name)}  [{result.outcome}]{why}")

    def _name(self, calls: tuple[ToolCall, ...]) -> None:
        for call in calls:
            self._names[call.id] = f"{call.name} {call.arguments}"[:_SHOWN]

    def finish(self, state: State, ending: Ending) -> None:
        if ending.verdict is Verdict.STOPPED and state.tasks:
            put(visible(last_text(state)))
        if self._command and ending.verdict is Verdict.COMPLETED:
            tell(say("nobody could be asked: the result was accepted, its command was not run"))
        if ending.message:
            tell(visible(ending.message))


def last_text(state: State) -> str:
    """Return the text that the model stopped with."""
    said = [message for message in state.task.messages if hasattr(message, "blocks")]
    return getattr(said[-1], "text", "") if said else ""


OUTPUT = TextOutput
