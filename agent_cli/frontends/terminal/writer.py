"""The one owner of the terminal: everything shown passes here, and is safe to show."""

from rich.cells import set_cell_size
from rich.console import Console, RenderableType
from rich.segment import Segments
from rich.text import Text

from agent_cli.frontends.sanitiser import Sanitiser


class Writer:
    """Streams text and prints renderables, never in the middle of a streamed line."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._sanitiser = Sanitiser()
        self._style = ""
        self._at_line_start = True
        self._has_status = False

    def stream(self, text: str, style: str = "") -> None:
        """Write the next piece of a streamed text as it comes."""
        if style != self._style:
            self.end_stream()
            self._style = style
        self._raw(self._sanitiser.feed(text))

    def end_stream(self) -> None:
        """Finish the streamed text; the cursor is then at the start of a line."""
        self._raw(self._sanitiser.flush())
        if not self._at_line_start:
            self._raw("\n")

    def status(self, text: str, style: str = "") -> None:
        """Show one line that the next output replaces; the text must have been made visible."""
        self.end_stream()
        line = set_cell_size(text, self.console.width - 1)
        self.console.print(Text(line, style=style), end="\r")
        self._has_status = True

    def end_status(self) -> None:
        """Take the line away; the cursor is then at the start of a line."""
        self.end_stream()
        self._clear_status()

    def _clear_status(self) -> None:
        if self._has_status:
            self.console.print(" " * (self.console.width - 1), end="\r")
            self._has_status = False

    def show(self, renderable: RenderableType) -> None:
        """Print something of ours; untrusted parts in it must have been made visible."""
        self.end_status()
        self.console.print(renderable)

    def show_whole(self, text: Text, end: str = "\n") -> None:
        """Print a text as `show` does, but nothing of it folded, cut or expanded."""
        self.end_status()
        self._print(text, end)

    def _raw(self, text: str) -> None:
        if not text:
            return
        self._clear_status()
        self._print(Text(text, style=self._style))
        self._at_line_start = text.endswith("\n")

    def _print(self, text: Text, end: str = "") -> None:
        self.console.print(Segments(text.render(self.console, end)), end="", soft_wrap=True)
