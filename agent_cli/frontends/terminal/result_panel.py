"""The panel in which the result of a task is shown: unlike any message."""

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from agent_cli.frontends.evidence import evidence_lines
from agent_cli.frontends.sanitiser import visible
from agent_cli.frontends.terminal.markdown_stream import MarkdownStream
from agent_cli.frontends.terminal.theme import Theme
from agent_cli.i18n.catalog import say
from agent_cli.types.events import CompletionResult


def result_panel(done: CompletionResult, theme: Theme) -> RenderableType:
    """Return the panel; the result is rendered as Markdown, everything else as it is."""
    head = say("Subtask completed") if done.subtask else say("Task completed")
    around = _around(done, theme)
    if theme.plain:
        return Group(
            Text(theme.mark("", say("done")) + f" {head}"), Text(visible(done.result)), *around
        )
    stream = MarkdownStream(theme)
    blocks = [*stream.feed(done.result), *stream.flush()]
    return Panel(
        Group(*blocks, *around),
        title=Text(f"✓ {head}", style=f"bold {theme.result}"),
        title_align="left",
        border_style=theme.result,
        padding=(1, 2),
    )


def _around(done: CompletionResult, theme: Theme) -> list[Text]:
    """Return the command that shows the result, and what else shows that it is one."""
    parts: list[Text] = []
    if done.command is not None:
        parts.append(Text(f"\n$ {visible(done.command)}", style=theme.strong))
    if shown := evidence_lines(done.evidence, words=theme.plain):
        parts.append(Text("\n" + "\n".join(shown), style=theme.dim))
    return parts
