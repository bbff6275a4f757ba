"""What is offered while the user types: commands behind `/`, files behind `@`."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable

from msgspec import Struct
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from agent_cli.context.mentions import begun, unescaped, written
from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.file_names import FileNames

_MOST = 50
"""Names that are offered; more is typed faster than looked through."""


class Offer(Struct, frozen=True):
    """A command."""

    name: str
    help: str


class Completions(Completer):
    """Offers what fits in a session."""

    def __init__(self, commands: Callable[[], Iterable[Offer]], files: FileNames) -> None:
        self._commands = commands
        self._files = files

    def fit(self, before: str) -> bool:
        """Whether what stands before the cursor is something to complete, unasked."""
        return _command(before) is not None or begun(before) is not None

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Return commands; files take their time."""
        typed = _command(document.text_before_cursor)
        return () if typed is None else self._named(typed)

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        for completion in self.get_completions(document, complete_event):
            yield completion
        typed = begun(document.text_before_cursor)
        if typed is None:
            return
        first = self._files.wanted()
        if first is not None:
            await asyncio.shield(asyncio.wrap_future(first))
        for path in await asyncio.to_thread(self._files.best, unescaped(typed), _MOST):
            yield Completion(written(path), -len(typed), display=in_one_line(path))

    def _named(self, typed: str) -> Iterable[Completion]:
        wanted = typed.lower()
        offers = sorted(self._commands(), key=lambda one: one.name)
        begin = [one for one in offers if one.name.lower().startswith(wanted)]
        hold = [one for one in offers if one not in begin and wanted in one.name.lower()]
        for offer in (*begin, *hold):
            yield Completion(
                offer.name,
                -len(typed),
                display=in_one_line(f"/{offer.name}"),
                display_meta=in_one_line(offer.help),
            )


def _command(before: str) -> str | None:
    """Return what is typed of a command's name; None if no command is being typed."""
    if not before.startswith("/") or any(character.isspace() for character in before):
        return None
    return before[1:]
