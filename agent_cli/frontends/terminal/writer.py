"""The one owner of the terminal: everything shown passes here, and is safe to show.

Without a bottom, text is written as it comes. With one, which is a few lines that stay below the
output, only what is finished is printed, above it, and the bottom shows what is not.
"""

from base64 import b64encode
from collections.abc import Callable
from typing import Protocol

from rich.cells import set_cell_size
from rich.console import Console, RenderableType
from rich.segment import Segments
from rich.text import Text

from agent_cli.frontends.sanitiser import Sanitiser
from agent_cli.frontends.terminal.blocks import Blocks, Lines

_MOST_FOR_CLIPBOARD = 74_994
"""Characters that terminals take at once."""


class Bottom(Protocol):
    """What stays below the output."""

    def changed(self) -> None:
        """Take note that there is something to print above, or another tail or status to show."""
        ...


class Writer:
    """Streams text and prints renderables, never in the middle of a streamed line."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.status_line: Text | None = None
        """What the bottom shows of `status`."""
        self._bottom: Bottom | None = None
        self._above: list[str] = []
        self._sanitiser = Sanitiser()
        self._blocks: Blocks = Lines()
        self._kind: object = None
        self._style = ""
        self._at_line_start = True
        self._has_status = False

    def stream(
        self, text: str, style: str = "", blocks: Callable[[], Blocks] | None = None
    ) -> None:
        """Write the next piece of a streamed text as it comes.

        `blocks` makes what the text is taken apart by above a bottom; by lines if it is not given.
        """
        if (style, blocks) != (self._style, self._kind):
            self.end_stream()
            self._style, self._kind = style, blocks
            self._blocks = blocks() if blocks else Lines(style)
        self._next(self._sanitiser.feed(text))

    def end_stream(self) -> None:
        """Finish the streamed text; the cursor is then at the start of a line."""
        self._next(self._sanitiser.flush())
        if self._bottom is not None:
            self._finished(*self._blocks.flush())
        elif not self._at_line_start:
            self._raw("\n")

    def status(self, text: str, style: str = "") -> None:
        """Show one line that the next output replaces; the text must have been made visible."""
        self.end_stream()
        line = Text(set_cell_size(text, self.console.width - 1), style=style)
        if self._bottom is not None:
            self.status_line = Text(line.plain.rstrip(), style=style)
            self._bottom.changed()
            return
        self.console.print(line, end="\r")
        self._has_status = True

    def end_status(self) -> None:
        """Take the line away; the cursor is then at the start of a line."""
        self.end_stream()
        self._clear_status()

    def show(self, renderable: RenderableType) -> None:
        """Print something of ours; untrusted parts in it must have been made visible."""
        self.end_status()
        self._print(renderable)

    def show_whole(self, text: Text, end: str = "\n") -> None:
        """Print a text as `show` does, but nothing of it folded, cut or expanded."""
        self.end_status()
        self._whole(text, end)

    def to_clipboard(self, text: str) -> bool:
        """Hand the text to the terminal for its clipboard (OSC 52); return whether it may do so.

        Which terminals do it nobody can see. Not above a bottom.
        """
        encoded = b64encode(text.encode(errors="replace")).decode()
        if len(encoded) > _MOST_FOR_CLIPBOARD or not self.console.is_terminal:
            return False
        self.end_status()
        self.console.file.write(f"\x1b]52;c;{encoded}\x07")
        self.console.file.flush()
        return True

    def attach(self, bottom: Bottom) -> None:
        """From now on there is a bottom, which `take`s what it has to print above it."""
        self.end_status()
        self._bottom = bottom

    def detach(self) -> str:
        """From now on there is none; return what it has to print before it goes."""
        self.end_status()
        self._bottom = None
        return self.take()

    def take(self) -> str:
        """Return what is to be printed above the bottom now: whole lines, styled."""
        above, self._above = self._above, []
        return "".join(above)

    @property
    def tail(self) -> str:
        """The end of the streamed text that is not printed yet; safe to show."""
        return self._blocks.tail if self._bottom is not None else ""

    @property
    def style(self) -> str:
        """The style of the tail."""
        return self._style

    def _next(self, text: str) -> None:
        if not text:
            return
        self._clear_status()
        if self._bottom is None:
            self._raw(text)
            return
        self._finished(*self._blocks.feed(text))
        self._bottom.changed()

    def _finished(self, *blocks: RenderableType) -> None:
        for block in blocks:
            if isinstance(block, Text):
                self._whole(block, "\n")  # as it is, for the terminal to wrap
            else:
                self._print(block)

    def _raw(self, text: str) -> None:
        self._whole(Text().append(text, self._style), "")
        self._at_line_start = text.endswith("\n")

    def _clear_status(self) -> None:
        self.status_line = None
        if self._has_status:
            self.console.print(" " * (self.console.width - 1), end="\r")
            self._has_status = False

    def _whole(self, text: Text, end: str) -> None:
        self._print(Segments(text.render(self.console, end)), end="", soft_wrap=True)

    def _print(self, what: RenderableType, *, end: str = "\n", soft_wrap: bool = False) -> None:
        if self._bottom is None:
            self.console.print(what, end=end, soft_wrap=soft_wrap)
            return
        with self.console.capture() as captured:
            self.console.print(what, end=end, soft_wrap=soft_wrap)
        self._above.append(captured.get())
        self._bottom.changed()
