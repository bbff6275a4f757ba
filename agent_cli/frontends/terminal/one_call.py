"""One call as a person sees it: on a terminal that can answer, or as text, whole.

Nothing is folded or cut, and no terminal is asked where its cursor is: the text may go to a pipe.
"""

from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct
from rich.text import Text

from agent_cli.context.replies import result_text
from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.approval_card import card_parts
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.i18n.catalog import say
from agent_cli.types.approval import Request, Verdict
from agent_cli.types.entries import AssistantSaid, CallFinished, CallStarted, Entry, TodosUpdated
from agent_cli.types.events import Appended, CompletionResult, Event
from agent_cli.types.messages import ToolResult
from agent_cli.types.outcomes import Outcome

YES = "y"
"""The one answer that approves."""

_MARKS = {"pending": "[ ]", "in_progress": "[~]", "completed": "[x]"}


class Person(Struct, frozen=True):
    """Somebody at a terminal."""

    writer: Writer
    read_line: Callable[[], Awaitable[str]]


class OneCallFrontend:
    """Shows one call on `output`, if there is one; asks the person, or answers as given."""

    def __init__(self, output: Writer | None, answers: Person | Verdict) -> None:
        self.asked = False
        self._output = output
        self._answers = answers
        self._called = ""

    def emit(self, event: Event) -> None:
        match event:
            case Appended(entry=entry):
                self._entry(entry)
            case CompletionResult(result=result, command=command):
                self._tell(say("Task completed"), "bold green", output=True)
                self._tell(result, output=True)
                if command is not None:
                    self._tell(f"$ {command}", "bold", output=True)
            case _:
                pass

    async def approve(self, requests: Sequence[Request]) -> Sequence[Verdict]:
        self.asked = True
        return [await self._verdict(request) for request in requests]

    async def ask(self, question: str, suggestions: tuple[str, ...] = ()) -> str | None:
        self._tell(question, "bold cyan")
        for number, suggestion in enumerate(suggestions, 1):
            self._tell(f"  {number}. {suggestion}")
        if not isinstance(self._answers, Person):
            return None
        answer = (await self._line(self._answers, "? ")).strip()
        if answer.isdecimal() and 0 < int(answer) <= len(suggestions):
            return suggestions[int(answer) - 1]
        return answer

    async def feedback(self) -> str | None:
        return None

    async def _verdict(self, request: Request) -> Verdict:
        for writer in self._writers():
            for part in card_parts(request):
                writer.show_whole(part)
        question = say("Run this? y approves, anything else declines: ")
        if isinstance(self._answers, Person):
            answer = await self._line(self._answers, question)
            return Verdict(approved=answer == YES)
        verdict = self._answers
        given = YES if verdict.approved else "n" if verdict.answered else "-"
        self._tell(f"{question}{given}")
        return verdict

    async def _line(self, person: Person, question: str) -> str:
        person.writer.show_whole(Text(question), end="")
        answer = await person.read_line()
        if self._output is not person.writer:
            self._tell(f"{question}{answer}", output=True)
        return answer

    def _entry(self, entry: Entry) -> None:
        match entry:
            case AssistantSaid(message):
                call = message.calls[0]
                self._called = f"{call.name} {call.arguments}"
            case CallStarted():
                self._tell(f"● {self._called}", "blue", output=True)
            case CallFinished(result):
                self._finished(result)
            case TodosUpdated(todos):
                for todo in todos:
                    self._tell(f"  {_MARKS[todo.status]} {todo.text}", output=True)
            case _:
                pass

    def _finished(self, result: ToolResult) -> None:
        if result.outcome is not Outcome.OK:
            why = f" ({result.code})" if result.code else ""
            self._tell(f"✗ {self._called}: {result.outcome}{why}", "red", output=True)
        self._tell(result_text(result), output=True)
        for image in result.images:
            self._tell(f"[{image.media_type}]", "dim", output=True)

    def _tell(self, text: str, style: str = "", *, output: bool = False) -> None:
        """Show untrusted text, to everybody or on the output alone."""
        for writer in self._writers():
            if writer is self._output or not output:
                writer.show_whole(Text(visible(text), style=style))

    def _writers(self) -> list[Writer]:
        asking = self._answers.writer if isinstance(self._answers, Person) else None
        writers = [self._output, asking if asking is not self._output else None]
        return [writer for writer in writers if writer is not None]
