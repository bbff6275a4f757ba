"""The panel in which the result of a task is shown: unlike any message."""

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from agent_cli.frontends.sanitiser import visible
from agent_cli.i18n.catalog import say


def result_panel(result: str, command: str | None) -> RenderableType:
    """Return the panel; the result is rendered as Markdown, the command as it is."""
    from rich.markdown import Markdown  # noqa: PLC0415 - 75 ms, needed once the task is done

    parts: list[RenderableType] = [Markdown(visible(result))]
    if command is not None:
        parts.append(Text(f"\n$ {visible(command)}", style="bold"))
    title = f"[bold green]✓ {say('Task completed')}[/]"
    return Panel(Group(*parts), title=title, title_align="left", border_style="green")
