"""The panel in which the result of a task is shown: unlike any message."""

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.segment import Segment
from rich.text import Text

from agent_cli.frontends.sanitiser import visible
from agent_cli.i18n.catalog import say


def result_panel(result: str, command: str | None) -> RenderableType:
    """Return the panel; the result is rendered as Markdown, the command as it is."""
    from rich.markdown import Markdown  # noqa: PLC0415 - 75 ms, needed once the task is done

    # Not links that a terminal would hide the address of, and open.
    parts: list[RenderableType] = [_Shown(Markdown(visible(result), hyperlinks=False))]
    if command is not None:
        parts.append(Text(f"\n$ {visible(command)}", style="bold"))
    title = f"[bold green]✓ {say('Task completed')}[/]"
    return Panel(Group(*parts), title=title, title_align="left", border_style="green")


class _Shown:
    """What Markdown makes of a text, made visible again: its entities can stand for anything."""

    def __init__(self, inner: RenderableType) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for text, style, control in console.render(self._inner, options):
            yield Segment(text if control else visible(text), style, control)
