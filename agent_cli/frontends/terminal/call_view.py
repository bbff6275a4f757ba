"""Calls as lines: which tool, on what, and what came of it; long output folded.

Results are untrusted, and so is everything a call consists of.
"""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from rich.console import RenderableType
from rich.text import Text

from agent_cli.frontends.reasons import reason
from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.call_words import ended, output, target
from agent_cli.frontends.terminal.diff_lines import counted
from agent_cli.frontends.terminal.diff_view import DiffView
from agent_cli.frontends.terminal.folded_text import FoldedText
from agent_cli.frontends.terminal.theme import Theme
from agent_cli.i18n.catalog import say
from agent_cli.types.entries import CallFinished, FilesChanged
from agent_cli.types.evidence import FileChange
from agent_cli.types.messages import ToolCall, ToolResult
from agent_cli.types.outcomes import Outcome

_EDITS = frozenset({"apply_diff", "insert_content", "search_and_replace", "write_to_file"})
_SPEAKING = frozenset(
    {"ask_followup_question", "attempt_completion", "new_task", "update_todo_list"}
)
"""What comes of these is shown in ways of their own."""
_READING = frozenset(
    {
        "access_mcp_resource",
        "codebase_search",
        "fetch_instructions",
        "list_code_definition_names",
        "list_files",
        "read_file",
        "run_slash_command",
        "search_files",
        "web_fetch",
    }
)
"""Their output is for the model; of it a person is told how much it is."""
_FAILED_LINES = 12
_OUTPUT_LINES = 6
_DIFF_LINES = 16


class Shown(Struct, frozen=True):
    """What to print of a call, and what `expand` prints, if not all of it was."""

    parts: tuple[RenderableType, ...] = ()
    whole: RenderableType | None = None


class CallView:
    """Knows the calls that were made and have not ended."""

    def __init__(self, theme: Theme) -> None:
        self.compare: Callable[[Sequence[FileChange]], Sequence[str]] | None = None
        self.theme = theme
        self._calls: dict[str, ToolCall] = {}
        self._changes: dict[str, Sequence[FileChange]] = {}
        self._seen: dict[str, str] = {}

    def know(self, calls: Iterable[ToolCall]) -> None:
        self._calls |= {call.id: call for call in calls}

    def saw(self, call_id: str, unified: str) -> None:
        """Note the diff that the user has agreed to: it need not be shown again."""
        self._seen[call_id] = unified

    def changed(self, entry: FilesChanged) -> None:
        self._changes[entry.call_id] = entry.changes

    def folds(self, call_id: str) -> bool:
        """Whether what the call writes is shown in short when it has ended."""
        call = self._calls.get(call_id)
        return call is not None and call.name not in _SPEAKING

    def started(self, call_id: str, *, announced: bool) -> Shown:
        call = self._calls[call_id]
        if not announced or call.name in _SPEAKING:
            return Shown()
        return Shown((self._head(call, self.theme.tool),))

    def finished(self, entry: CallFinished, *, announced: bool) -> Shown:
        """Return what came of the call; it is forgotten."""
        call_id = entry.result.call_id
        call = self._calls.pop(call_id)
        seen, changes = self._seen.pop(call_id, None), self._changes.pop(call_id, ())
        if entry.result.outcome is not Outcome.OK:
            return self._failure(call, entry.result)
        if call.name in _SPEAKING:
            return Shown()
        if call.name in _EDITS:
            return self._edit(call, entry, seen, changes, announced=announced)
        good = not entry.result.exit_code
        line = self._line(call, ended(entry), announced=announced, good=good)
        if announced or call.name in _READING:
            return Shown((line,), self._output(entry.result))
        shown = self._output(entry.result, _OUTPUT_LINES)
        return Shown((line, shown), self._output(entry.result))

    def _edit(
        self,
        call: ToolCall,
        entry: CallFinished,
        seen: str | None,
        changes: Sequence[FileChange],
        *,
        announced: bool,
    ) -> Shown:
        theme = self.theme
        diff = seen
        if diff is None and changes and self.compare is not None:
            diff = "\n".join(self.compare(changes))
        if not diff:
            return Shown((self._line(call, "", announced=announced),))
        line = self._line(call, ended(entry, counted(diff)), announced=announced)
        whole = DiffView(diff, theme, indent=4, names=len(changes) > 1)
        if seen is not None:
            return Shown((line,), whole)
        return Shown(
            (line, DiffView(diff, theme, most=_DIFF_LINES, indent=4, names=len(changes) > 1)),
            whole,
        )

    def _head(self, call: ToolCall, style: str) -> Text:
        theme = self.theme
        line = Text().append(f"{theme.mark('●', say('tool'))} ", style)
        line.append(in_one_line(call.name), theme.name_of_tool)
        if what := target(call):
            line.append(f" {what}")
        return line

    def _line(self, call: ToolCall, words: str, *, announced: bool, good: bool = True) -> Text:
        """Return the line on the end of a call; all of it, if it was not announced."""
        theme = self.theme
        if announced:
            return Text(theme.mark("  └", say("result")) + f" {words}", style=theme.dim)
        head = self._head(call, theme.tool if good else theme.warning)
        return head.append(f" ({words})" if words else "", style=theme.dim)

    def _failure(self, call: ToolCall, result: ToolResult) -> Shown:
        theme = self.theme
        sign = theme.mark("✗", say("failed"))
        what = in_one_line(call.name)
        if call.name not in _SPEAKING:
            what = f"{what} {target(call)}".rstrip()
        line = Text(f"{sign} {what}: {reason(result)}", style=theme.error)
        if not result.content:
            return Shown((line,))
        details = self._output(result, _FAILED_LINES)
        return Shown((line, details), self._output(result))

    def _output(self, result: ToolResult, most: int = 0) -> FoldedText:
        """Return so many lines of the output, all if it is 0: the first or, if ok, the last."""
        at_end = result.outcome is Outcome.OK
        return FoldedText(output(result), self.theme, most, at_end)
