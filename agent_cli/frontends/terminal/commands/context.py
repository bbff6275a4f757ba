"""`/context`: a picture of what fills the model's window."""

from msgspec import Struct
from rich.cells import cell_len
from rich.text import Text

from agent_cli.frontends.terminal.columns import left
from agent_cli.frontends.terminal.commands.base import Answer, Command, Here
from agent_cli.frontends.terminal.theme import Theme
from agent_cli.i18n.catalog import say
from agent_cli.runtime.compaction import Filling

_LONGEST = 60
"""Cells of the bar."""
_FREE = "·"


class _Part(Struct, frozen=True):
    name: str
    tokens: int
    sign: str
    """What stands for it in the bar; another for each, so that no colour is needed."""
    style: str


def run(here: Here, argument: str) -> Answer:
    """Show what the next request would consist of."""
    filling = here.agent.compaction.filling()
    if filling is None:
        return say("nothing has been said yet")
    theme = here.theme
    parts = _parts(filling, theme)
    whole = filling.parts.whole
    shown = Text()
    if not theme.plain:
        room = min(here.writer.console.width - 2, _LONGEST)
        shown.append_text(_bar(parts, filling.window or whole, room, theme)).append("\n")
    width = max(cell_len(part.name) for part in parts)
    for part in parts:
        shown.append(part.sign if not theme.plain else "-", part.style)
        share = round(100 * part.tokens / (filling.window or whole or 1))
        shown.append(f" {left(part.name, width)}  {part.tokens:>9,}  {share:>3} %\n")
    return shown.append(_told(filling), style=theme.dim)


def _parts(filling: Filling, theme: Theme) -> list[_Part]:
    sizes = filling.parts
    parts = [
        _Part(say("system prompt"), sizes.system, "█", theme.accent),
        _Part(say("tools"), sizes.tools, "▓", theme.tool),
        _Part(say("messages"), sizes.said, "▒", theme.ok),
        _Part(say("results of tools"), sizes.results, "░", theme.warning),
    ]
    if filling.window is not None:
        free = max(filling.window - sizes.whole, 0)
        parts.append(_Part(say("free"), free, _FREE, theme.dim))
    return parts


def _bar(parts: list[_Part], window: int, room: int, theme: Theme) -> Text:
    """Draw each part as long as it is; what is there at all is seen."""
    bar, drawn = Text(), 0
    for part in parts:
        cells = round(room * part.tokens / max(window, 1))
        cells = min(max(cells, 1 if part.tokens else 0), room - drawn)
        bar.append(part.sign * cells, part.style)
        drawn += cells
    return bar.append(_FREE * (room - drawn), theme.dim)


def _told(filling: Filling) -> str:
    whole = filling.parts.whole
    if filling.window is None:
        return say(
            "{tokens:,} tokens, estimated; how much the model takes in is not known", tokens=whole
        )
    return say(
        "{tokens:,} tokens, estimated: {share} % of the model's window of {window:,}",
        tokens=whole,
        share=round(100 * whole / filling.window),
        window=filling.window,
    )


COMMAND = Command(
    name="context",
    help="show what fills the model's window",
    run=run,
    while_working=True,
)
