"""What a person sees of a session: text as it is written, calls as lines, results in short.

A call is one line, written when it has ended, where a live bottom says meanwhile what runs. Where
there is none, it is a line when it begins, what it writes as it comes, and a line when it ends.
What is left out of an output is kept, for `expand` to print it whole.
"""

from collections.abc import Callable, Sequence

from rich.console import RenderableType
from rich.text import Text

from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.call_view import CallView, Shown
from agent_cli.frontends.terminal.folds import is_long, label_of
from agent_cli.frontends.terminal.growing_calls import GrowingCalls
from agent_cli.frontends.terminal.markdown_stream import MarkdownStream
from agent_cli.frontends.terminal.milestones import milestone, todo_lines
from agent_cli.frontends.terminal.result_panel import result_panel
from agent_cli.frontends.terminal.theme import Theme
from agent_cli.frontends.terminal.unprinted import Unprinted
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.i18n.catalog import say
from agent_cli.types.entries import (
    AssistantSaid,
    CallFinished,
    CallStarted,
    Entry,
    FilesChanged,
    Todo,
    UserSaid,
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
from agent_cli.types.evidence import FileChange

Compare = Callable[[Sequence[FileChange]], Sequence[str]]
"""Makes unified diffs of changes that were recorded."""


class EventView:
    """Shows the events of one session after the other."""

    def __init__(self, writer: Writer, theme: Theme) -> None:
        self._writer = writer
        self.theme = theme
        self._growing = GrowingCalls()
        self._calls = CallView(theme)
        self._after = ""
        """What kind of thing was shown last."""
        self._folded: RenderableType | None = None

    def emit(self, event: Event) -> None:
        match event:
            case TextDelta() | ReasoningDelta() | Progress():
                self._stream(event)
            case ToolCallBegin() | ToolCallDelta():
                if line := self._growing.line(event):
                    self._writer.status(line, self.theme.dim)
            case Retrying():
                self._writer.status(_waiting(event), self.theme.warning)
            case Appended(entry=entry):
                self._entry(entry)
            case CompletionResult():
                self.show(result_panel(event, self.theme))
            case Notice(message):
                self.show(Text(visible(message), style=self.theme.warning))
            case SessionOpened(open_calls=calls):
                self._calls.know(calls)
            case _:
                pass

    def show(self, renderable: RenderableType, section: str = "") -> None:
        """Print something; a new section of the output begins with an empty line."""
        self._section(section)
        self._writer.show(renderable)

    def expand(self) -> None:
        """Print what was folded last, whole; nothing happens when nothing was."""
        folded, self._folded = self._folded, None
        if folded is not None:
            self.show(folded, "expanded")
            self._writer.show(Text(""))

    def show_todos(self, todos: Sequence[Todo]) -> None:
        """Show how the work stands."""
        if todos:
            self.show(todo_lines(todos, self.theme), "todos")
        else:
            self.show(Text(say("there is no to-do list"), style=self.theme.dim))

    def saw(self, call_id: str, unified: str) -> None:
        """Note that the user has seen what the call would change."""
        self._calls.saw(call_id, unified)

    def dress(self, theme: Theme) -> None:
        """Show everything in this theme from now on."""
        self.theme = self._calls.theme = theme

    def compare_with(self, compare: Compare) -> None:
        """Show changes that nobody was asked about, from now on."""
        self._calls.compare = compare

    def _stream(self, event: TextDelta | ReasoningDelta | Progress) -> None:
        theme = self.theme
        match event:
            case TextDelta(text):
                self._section("text")
                self._writer.stream(text, blocks=self._markdown)
            case ReasoningDelta(text):
                if self._section("reasoning") and theme.plain:
                    self._writer.stream(theme.mark("", say("thinking")) + " ")
                self._writer.stream(text, theme.reasoning)
            case Progress(call_id, text):
                self._section("call")
                folds = self._calls.folds(call_id)
                self._writer.stream(text, theme.dim, self._unprinted if folds else None)

    def _entry(self, entry: Entry) -> None:
        match entry:
            case UserSaid(text, queued=True):
                self._said(text)
            case UserSaid():  # it stands there: it was typed at the prompt
                self._after = "user"
            case AssistantSaid(message):
                self._growing = GrowingCalls()
                self._writer.end_status()
                self._calls.know(message.calls)
            case CallStarted(call_id):
                self._show_call(self._calls.started(call_id, announced=self.theme.plain))
            case FilesChanged():
                self._calls.changed(entry)
            case CallFinished():
                self._show_call(self._calls.finished(entry, announced=self.theme.plain))
            case _:
                if section := milestone(entry, self.theme):
                    self.show(section.shown, section.kind)

    def _said(self, text: str) -> None:
        """Show words that waited, where they are heard: until now they stood below the output."""
        head = Text().append(self.theme.mark("»", say("you")), self.theme.accent)
        shown = label_of(text) if is_long(text) else visible(text)
        self.show(head.append(f" {shown}"), "user")

    def _show_call(self, shown: Shown) -> None:
        for part in shown.parts:
            self.show(part, "call")
        if shown.whole is not None:
            self._folded = shown.whole

    def _section(self, section: str) -> bool:
        """Set off what comes from what came; whether it is something else."""
        new = section != self._after or not section
        if new and self._after not in ("", "user"):
            self._writer.show(Text(""))
        self._after = section or "other"
        return new

    def _markdown(self) -> MarkdownStream:
        return MarkdownStream(self.theme)

    def _unprinted(self) -> Unprinted:
        return Unprinted()


def _waiting(event: Retrying) -> str:
    left = event.delay if event.left is None else event.left
    reason = visible(" ".join(event.reason.split()))
    return say("trying again in {left:.0f} s, Ctrl-C stops: {reason}", left=left, reason=reason)
