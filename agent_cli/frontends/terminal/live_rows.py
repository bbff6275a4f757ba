"""The rows of the live bottom, drawn from what there is when they are drawn."""

import time
from collections.abc import Callable, Sequence

from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.processors import BeforeInput
from rich.cells import set_cell_size
from rich.text import Text

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.input_view import Shown
from agent_cli.frontends.terminal.live_draft import LiveDraft
from agent_cli.frontends.terminal.writer import Writer
from agent_cli.i18n.catalog import say

PROMPT = "» "
_MOST_ROWS = 8
"""Of the tail."""
_MOST_QUEUED = 3
_MOST_TYPED = 6


class LiveRows:
    """What the rows say."""

    def __init__(self, writer: Writer, progress: Callable[[float], str]) -> None:
        self._writer = writer
        self._progress = progress
        self._queued: Callable[[], Sequence[str]] = tuple
        self._begun = 0.0
        self.stopping = False

    def begin(self, queued: Callable[[], Sequence[str]], now: float) -> None:
        """Work begins; these are the lines that wait for it."""
        self._queued, self._begun, self.stopping = queued, now, False

    def tail(self) -> AnyFormattedText:
        """Return the last rows of what is not printed yet."""
        console = self._writer.console
        most = max(1, min(_MOST_ROWS, console.height // 3))
        text = self._writer.tail[-most * console.width :]
        rows: list[Text] = []
        for line in text.rstrip("\n").split("\n")[-most:]:
            rows += Text(line, style=self._writer.style).wrap(console, console.width - 1)
        return self._shown(rows[-most:])

    def status(self) -> AnyFormattedText:
        """Return how it stands, in one row or two."""
        if self.stopping:
            told = say("stopping; Ctrl-C again insists")
        else:
            told = self._progress(time.monotonic() - self._begun)
        rows = [Text(self._cut(told), style="dim")]
        line = self._writer.status_line
        return self._shown([Text(self._cut(line.plain), style=line.style), *rows] if line else rows)

    def queued(self) -> AnyFormattedText:
        """Return the lines that wait, the last ones of many."""
        waiting = self._queued()
        width = self._writer.console.width
        shown = [in_one_line(text[:width]) for text in waiting[-_MOST_QUEUED:]]
        rows = [self._cut(f"  ↳ {text}") for text in shown]
        if waiting:
            rows.append(self._cut("  " + say("queued; Up takes the last one back")))
        return self._shown([Text(row, style="dim") for row in rows])

    def any_tail(self) -> bool:
        return bool(self._writer.tail)

    def any_queued(self) -> bool:
        return bool(self._queued())

    def _cut(self, text: str) -> str:
        """Leave the last column free: terminals differ in what a full row does."""
        return set_cell_size(text, self._writer.console.width - 1).rstrip()

    def _shown(self, rows: Sequence[Text]) -> ANSI:
        console = self._writer.console
        with console.capture() as captured:
            for row in rows:
                console.print(row, no_wrap=True, crop=True)
        return ANSI(captured.get().rstrip("\n"))


def layout(rows: LiveRows, draft: LiveDraft) -> Layout:
    """Return the rows below each other, the last one to type in."""
    typed = Window(
        BufferControl(
            draft.buffer,
            input_processors=[Shown(draft.folds), BeforeInput(PROMPT, style="bold")],
        ),
        wrap_lines=True,
        dont_extend_height=True,
        height=Dimension(min=1, max=_MOST_TYPED),
    )
    parts = [
        ConditionalContainer(_text(rows.tail), Condition(rows.any_tail)),
        _text(rows.status),
        ConditionalContainer(_text(rows.queued), Condition(rows.any_queued)),
        typed,
    ]
    return Layout(HSplit(parts), focused_element=typed)


def _text(text: Callable[[], AnyFormattedText]) -> Window:
    return Window(FormattedTextControl(text), dont_extend_height=True)
