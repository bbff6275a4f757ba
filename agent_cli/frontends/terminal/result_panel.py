"""The panel in which the result of a task is shown: unlike any message."""

import re

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.segment import Segment
from rich.text import Text

from agent_cli.frontends.evidence import evidence_lines
from agent_cli.frontends.sanitiser import visible
from agent_cli.i18n.catalog import say
from agent_cli.types.events import CompletionResult

_BROAD = 100_000
"""Columns in which no word and no table's cell is parted."""
_LANGUAGE = re.compile(r"(?m)^([ \t>]*(?:`{3,}|~{3,})[ \t]*)[\w.+#-]{1,20}[ \t]*$")
"""Behind the beginning of a block of code: says how to colour it, and is no text."""


def result_panel(done: CompletionResult) -> RenderableType:
    """Return the panel; the result is rendered as Markdown, everything else as it is."""
    parts: list[RenderableType] = [_Rendered(visible(done.result))]
    if done.command is not None:
        parts.append(Text(f"\n$ {visible(done.command)}", style="bold"))
    if shown := evidence_lines(done.evidence):
        parts.append(Text("\n" + "\n".join(shown), style="dim"))
    head = say("Subtask completed") if done.subtask else say("Task completed")
    title = f"[bold green]✓ {head}[/]"
    return Panel(Group(*parts), title=title, title_align="left", border_style="green")


class _Rendered:
    """A text as Markdown, or as it is where that would leave something of it out.

    Rendering drops raw HTML, comments, definitions of links, titles and surplus cells. And it
    turns entities into what they stand for, so what it makes is made visible again.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.markdown import Markdown  # noqa: PLC0415 - 75 ms, needed once the task is done

        # Not links that a terminal would hide the address of, and open.
        markdown = Markdown(self._text, hyperlinks=False)
        broad = console.render(markdown, options.update(width=_BROAD))
        shown = "".join(segment.text for segment in broad if not segment.control)
        if not _holds(shown, _LANGUAGE.sub(r"\1", self._text)):
            yield Text(self._text)
            return
        for text, style, control in console.render(markdown, options):
            yield Segment(text if control else visible(text), style, control)


def _holds(shown: str, text: str) -> bool:
    """Whether every sign of the text is shown, in its order; Markdown's own count for nothing."""
    signs = iter(shown)
    return all(sign in signs for sign in text if sign.isalnum() or not sign.isascii())
