"""A model with a small window, which really refuses what does not fit into it."""

from collections.abc import Sequence
from pathlib import Path

from testbed.exchange import Exchange
from testbed.replies import Call, Reply, Say, Status, Usage

from agent_cli.types.messages import ToolCall
from agent_cli.wire.xml_tools.render import call as written

WINDOW = 24_000
SUMMARY = "The large files hold numbered lines."
ASKS = "is about to be replaced by a summary"
"""Only in a request for a summary."""
COMPACTED = "What the user said, word for word"
"""Only in what stands in place of messages."""
DONE = Call("attempt_completion", {"result": "All done."})
COMMAND = Call("execute_command", {"command": "exit 3"})


class SmallModel:
    """Reads one large file after the other, then completes; answers for a server's script."""

    def __init__(
        self,
        turns: int = 6,
        *,
        summary: Reply | None = None,
        window: int = WINDOW,
        first: Sequence[Call] = (),
        xml: bool = False,
    ) -> None:
        self._xml = xml
        self._left = turns
        self._summary = summary
        self._window = window
        self._first = first
        self.summaries = 0
        self.refusals = 0

    def __call__(self, exchange: Exchange) -> Reply:
        tokens = len(exchange.raw) // 4
        usage = Usage(input=tokens)
        if asks_for_summary(exchange):
            self.summaries += 1
            return self._summary or Say(f"<summary>\n{SUMMARY}\n</summary>", usage=usage)
        if tokens > self._window:
            self.refusals += 1
            return Status(400, "prompt is too long: more tokens than the maximum")
        self._left -= 1
        first, self._first = self._first, ()
        calls = [*first, read(f"big{self._left}.txt")] if self._left >= 0 else [DONE]
        if self._xml:
            made = ToolCall("", calls[0].name, calls[0].arguments)
            return Say(written(made), usage=usage)
        return Say(calls=calls, usage=usage)


def asks_for_summary(exchange: Exchange) -> bool:
    return ASKS in str(conversation(exchange)[-1])


def conversation(exchange: Exchange) -> list[object]:
    """The messages or items, without the system prompt."""
    body = exchange.body
    found: list[object] = body.get("messages") or body["input"]
    return found


def read(*paths: str) -> Call:
    return Call("read_file", {"files": [{"path": path} for path in paths]})


def fill(project: Path, count: int = 10) -> None:
    """Write the large files."""
    for number in range(count):
        lines = (f"line number {line}\n" for line in range(800))
        (project / f"big{number}.txt").write_text("".join(lines))


def configure(home: Path, model: str, window: int | None = WINDOW, more: str = "") -> None:
    """Tell the product how small the window is; with None nobody knows."""
    path = home / "agent/config/config.toml"
    path.parent.mkdir(parents=True)
    known = f"context_window = {window}\n" if window else ""
    path.write_text(f'{more}\n[models."{model}"]\n{known}max_output = 2000\n')
