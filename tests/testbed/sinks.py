"""Every place where a text that somebody else wrote is shown to a person."""

import asyncio
import contextlib
import io
from collections.abc import Awaitable, Callable

from rich.console import Console

from agent_cli.engine.outcomes import Verdict as Ended
from agent_cli.engine.task import State
from agent_cli.frontends.headless.registry import Ending
from agent_cli.frontends.headless.text import TextOutput
from agent_cli.frontends.terminal.render import TerminalFrontend
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.types.approval import CommandLine, Diff, Preview, Request, Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.entries import (
    AssistantSaid,
    CallFinished,
    CallStarted,
    Entry,
    TaskFinished,
    TaskStarted,
    Todo,
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
    TextDelta,
)
from agent_cli.types.messages import AssistantMessage, ToolCall, ToolResult
from agent_cli.types.outcomes import Outcome

WIDTH = 2000
Sink = Callable[[str], str]


def terminal(*events: Event, colour: bool = False) -> str:
    """Return what the terminal is sent for the events."""
    return _terminal(lambda frontend: [frontend.emit(event) for event in events], colour=colour)


def _terminal(use: Callable[[TerminalFrontend], object], *, colour: bool = False) -> str:
    file = io.StringIO()
    console = Console(
        file=file,
        width=WIDTH,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        _environ={},
    )
    writer = Writer(console)
    use(TerminalFrontend(writer, _nothing_typed))
    writer.end_stream()
    return file.getvalue()


async def _nothing_typed(prompt: str) -> str:
    return ""


def _run(work: Awaitable[object]) -> None:
    async def wait() -> None:
        await work

    asyncio.run(wait())


def streamed(pieces: list[str], *, colour: bool = False) -> str:
    return terminal(*map(TextDelta, pieces), colour=colour)


def card(preview: Preview, *effects: Effect, tool: str = "t", reason: str = "") -> str:
    request = Request("c", tool, effects, preview, reason, following=("next",))
    return _terminal(lambda frontend: _run(frontend.approve([request])))


def _entries(*entries: Entry) -> str:
    return terminal(*(Appended(0, "", entry) for entry in entries))


def _call(name: str, arguments: str) -> tuple[Entry, Entry]:
    call = ToolCall("c", name, arguments)
    return AssistantSaid(AssistantMessage((call,))), CallStarted("c")


def _failed(text: str) -> str:
    result = ToolResult("c", Outcome.FAILED, None, text)
    return _entries(*_call("t", "{}"), CallFinished(result))


def _ended(tool: str, content: str, arguments: str = "{}") -> str:
    result = ToolResult("c", Outcome.OK, None, content)
    return _entries(*_call(tool, arguments), CallFinished(result))


def headless(*events: Event, message: str = "") -> str:
    """Return what standard output and standard error are sent for the events."""
    file = io.StringIO()
    with contextlib.redirect_stdout(file), contextlib.redirect_stderr(file):
        output = TextOutput()
        for event in events:
            output.emit(event)
        output.finish(State(), Ending(Ended.COMPLETED, 0, message))
    return file.getvalue()


TEXTS: dict[str, Sink] = {
    "model text": lambda text: streamed([text]),
    "reasoning": lambda text: terminal(ReasoningDelta(text)),
    "tool output": lambda text: terminal(Progress("c", text)),
    "failed result": _failed,
    "folded result": lambda text: _ended("use_mcp_tool", text),
    "subtask": lambda text: _entries(TaskStarted("code", "p", text)),
    "notice": lambda text: terminal(Notice(text)),
    "question": lambda text: _terminal(lambda to: _run(to.ask(text))),
    "suggestion": lambda text: _terminal(lambda to: _run(to.ask("?", (text,)))),
    "card, words": lambda text: card(Words(text)),
    "card, command": lambda text: card(CommandLine(text, "/")),
    "card, reason": lambda text: card(Words("w"), reason=text),
    "completion command": lambda text: terminal(CompletionResult("c", "r", text)),
    "headless result": lambda text: headless(Appended(0, "", TaskFinished(text))),
    "headless notice": lambda text: headless(Notice(text)),
    "headless ending": lambda text: headless(message=text),
}
"""Texts of any number of lines."""

NAMES: dict[str, Sink] = {
    "tool name": lambda text: _ended(text, ""),
    "to-do list": lambda text: _entries(TodosUpdated((Todo(text, "pending"),))),
    "subtask's mode": lambda text: _entries(TaskStarted(text, "p", "m")),
    "card, tool": lambda text: card(Words("w"), tool=text),
    "card, file name": lambda text: card(Diff(text, "--- a\n+++ b\n")),
    "card, directory": lambda text: card(CommandLine("ls", text)),
    "card, outside": lambda text: card(Words("w"), Effect(Kind.READ, text, outside=True)),
    "card, protected": lambda text: card(Words("w"), Effect(Kind.WRITE, text, protected=True)),
}
"""Names, in which a line end is shown too."""

OTHERS: dict[str, Sink] = {
    "completion panel": lambda text: terminal(CompletionResult("c", text)),
    "card, diff": lambda text: card(Diff("f", f"--- f\n+++ f\n@@ -1 +1 @@\n-{text}\n+{text}\n")),
    "arguments": lambda text: _ended("t", "", text),
    "retrying": lambda text: terminal(Retrying(1, 1.0, text)).replace("\r", ""),
    "headless call": lambda text: headless(
        Appended(0, "", _call("t", text)[0]),
        Appended(0, "", CallFinished(ToolResult("c", Outcome.OK))),
    ),
}
"""Where the text is laid out anew, or cut."""
