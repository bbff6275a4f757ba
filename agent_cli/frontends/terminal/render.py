"""The terminal as a frontend: shows what happens, asks what has to be asked."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from rich.text import Text

from agent_cli.frontends.evidence import check_line
from agent_cli.frontends.messages import compaction_message, restored_message
from agent_cli.frontends.reasons import reason
from agent_cli.frontends.sanitiser import in_one_line, visible
from agent_cli.frontends.terminal.approval_card import approval_card, question, read_verdict
from agent_cli.frontends.terminal.growing_calls import GrowingCalls
from agent_cli.frontends.terminal.result_panel import result_panel
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.i18n.catalog import say, say_many
from agent_cli.types.approval import Request, Verdict
from agent_cli.types.entries import (
    AssistantSaid,
    CallFinished,
    CallStarted,
    CheckRun,
    Entry,
    FilesRestored,
    HistoryCompacted,
    TaskStarted,
    TodosUpdated,
)
from agent_cli.types.events import (
    Appended,
    CompletionResult,
    Event,
    Notice,
    Progress,
    ReasoningDelta,
    Retrying,
    SessionOpened,
    TextDelta,
    ToolCallBegin,
    ToolCallDelta,
)
from agent_cli.types.messages import ToolCall, ToolResult
from agent_cli.types.outcomes import Outcome

_ARGUMENTS = 120
_LINES = 12
_MARKS = {"pending": "[ ]", "in_progress": "[~]", "completed": "[x]"}


class TerminalFrontend:
    """Shows one session on a terminal; `read_line` asks for a line of input."""

    def __init__(self, writer: Writer, read_line: Callable[[str], Awaitable[str]]) -> None:
        self._writer = writer
        self._read_line = read_line
        self._calls: dict[str, ToolCall] = {}
        self._growing = GrowingCalls()

    def emit(self, event: Event) -> None:
        match event:
            case TextDelta(text):
                self._writer.stream(text)
            case ReasoningDelta(text):
                self._writer.stream(text, "dim italic")
            case Progress(text=text):
                self._writer.stream(text, "dim")
            case ToolCallBegin() | ToolCallDelta():
                self._grow(event)
            case SessionOpened(open_calls=calls):
                self._calls = {call.id: call for call in calls}
            case Appended(entry=entry):
                self._entry(entry)
            case CompletionResult():
                self._writer.show(result_panel(event))
            case Notice(message):
                self._writer.show(Text(visible(message), style="yellow"))
            case Retrying():
                self._writer.status(_waiting(event), "yellow")
            case _:
                pass

    def _grow(self, event: ToolCallBegin | ToolCallDelta) -> None:
        if line := self._growing.line(event):
            self._writer.status(line, "dim")

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        verdicts: list[Verdict] = []
        for request in requests:
            self._writer.show(approval_card(request))
            verdicts.append(read_verdict(await self._line(question())))
        return verdicts

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        self._writer.show(Text(visible(question), style="bold cyan"))
        for number, suggestion in enumerate(suggestions, 1):
            self._writer.show(Text(f"  {number}. {visible(suggestion)}"))
        answer = (await self._line("? ")).strip()
        if answer.isdecimal() and 0 < int(answer) <= len(suggestions):
            return suggestions[int(answer) - 1]
        return answer

    async def feedback(self) -> str | None:
        return (await self._line(say("Enter accepts; anything else is feedback: "))).strip()

    async def _line(self, prompt: str) -> str:
        self._writer.end_stream()
        try:
            return await self._read_line(prompt)
        except (KeyboardInterrupt, EOFError) as error:
            raise asyncio.CancelledError from error  # Ctrl-C at a question cancels the turn

    def _entry(self, entry: Entry) -> None:
        match entry:
            case AssistantSaid(message):
                self._growing = GrowingCalls()
                self._writer.end_status()
                self._calls |= {call.id: call for call in message.calls}
            case CallStarted(call_id):
                call = self._calls[call_id]
                line = Text("● ", style="blue").append(in_one_line(call.name), style="bold")
                self._writer.show(line.append(f" {_short(call.arguments)}", style="dim"))
            case CallFinished(result):
                self._finished(result)
            case TaskStarted(mode, parent, message) if parent:
                head = Text("▶ ", style="magenta").append(say("Subtask"), style="bold")
                self._writer.show(head.append(f" [{mode}] {visible(message)}"))
            case CheckRun(check=check):
                self._writer.show(Text(check_line(check), style="green" if check.passed else "red"))
            case FilesRestored(why="rollback"):
                self._writer.show(Text(restored_message(entry), style="yellow"))
            case HistoryCompacted():
                self._writer.show(Text(compaction_message(entry), style="yellow"))
            case TodosUpdated(todos):
                for todo in todos:
                    self._writer.show(Text(f"  {_MARKS[todo.status]} {visible(todo.text)}"))
            case _:
                pass

    def _finished(self, result: ToolResult) -> None:
        call = self._calls.pop(result.call_id)
        if result.outcome is Outcome.OK:
            return
        line = Text(f"✗ {in_one_line(call.name)}: {reason(result)}", style="red")
        lines = visible(result.content).splitlines()
        for detail in lines[:_LINES]:
            line.append(f"\n  {detail}", style="dim")
        if len(lines) > _LINES:
            more = len(lines) - _LINES
            line.append(
                "\n  " + say_many("({count} more line)", "({count} more lines)", count=more)
            )
        self._writer.show(line)


def _short(arguments: str) -> str:
    text = visible(" ".join(arguments.split()))
    return text if len(text) <= _ARGUMENTS else f"{text[:_ARGUMENTS]}…"


def _waiting(event: Retrying) -> str:
    left = event.delay if event.left is None else event.left
    reason = visible(" ".join(event.reason.split()))
    return say("trying again in {left:.0f} s, Ctrl-C stops: {reason}", left=left, reason=reason)
