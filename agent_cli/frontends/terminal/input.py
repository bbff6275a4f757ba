"""Lines from the user: what the input line is made of, and how one is read.

Ctrl+R searches the history, Ctrl-C clears the line, Ctrl-D on an empty one ends; for the rest see
`keys.py`. What is pasted is sent whole, however it is shown.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct, field
from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.application.current import get_app_session
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition
from prompt_toolkit.output.vt100 import Vt100_Output

from agent_cli.frontends.given_text import given
from agent_cli.frontends.terminal.completion import Completions
from agent_cli.frontends.terminal.folds import Folds
from agent_cli.frontends.terminal.history import LineHistory
from agent_cli.frontends.terminal.input_view import Shown
from agent_cli.frontends.terminal.keys import (
    Action,
    Hands,
    bindings,
    understand_modified_enter,
)
from agent_cli.frontends.terminal.pictures import Pictures
from agent_cli.frontends.terminal.typed_ahead import forget_what_was_typed, take_what_was_typed
from agent_cli.types.messages import Image

Editing: TypeAlias = Literal["emacs", "vi"]

_ESCAPE = 0.1
"""Seconds after which an escape character was the key, and no beginning of another."""
_BETWEEN = 0.5
"""Seconds that the second key of a pair may come after the first."""


_LONG = 20_000
"""Characters that are too slow to edit in the line."""


class ReadLine(Protocol):
    """Prompts for one message, begun with the draft; raises EOFError and KeyboardInterrupt."""

    async def __call__(self, prompt: str, draft: str = "") -> str: ...


class ReadMessage(ReadLine, Protocol):
    """Reads lines with which images may go along."""

    @property
    def images(self) -> tuple[Image, ...]:
        """What goes along with the line that was read last."""
        ...


class Manner(Struct, frozen=True):
    """How the input line behaves."""

    history: Path | None = None
    editing: Editing = "emacs"
    rewinds: bool = False
    """Esc Esc in an empty line means `/rewind`."""
    during_turn: bool = False
    """The signal of Ctrl-C belongs to the turn, and keys pressed before are no answer. The library
    would take the signal for the length of a prompt and then give it back to nobody: nothing could
    stop the turn any more."""
    completions: Completions | None = None
    pictures: Pictures | None = None
    """Without it images are not taken."""
    actions: Mapping[str, Action] = field(default_factory=dict[str, Action])
    """What keys do besides editing, by prompt-toolkit's names for them: `s-tab`, `c-o`, `c-t`."""


class InputLine:
    """One input line, used again and again; `session` can be asked with another prompt."""

    def __init__(self, manner: Manner) -> None:
        understand_modified_enter()
        self.folds = Folds()
        self._images: tuple[Image, ...] = ()
        self._manner = manner
        self.session = self._session()

    async def __call__(self, prompt: str, draft: str = "") -> str:
        session, during_turn = self.session, self._manner.during_turn
        if during_turn:
            forget_what_was_typed(session.app.input)
        else:
            take_what_was_typed(session.app.input)
        line = await session.prompt_async(
            prompt, default=self.folds.taken_in(draft), handle_sigint=not during_turn
        )
        return self.read(line)

    @property
    def images(self) -> tuple[Image, ...]:
        return self._images

    def read(self, line: str) -> str:
        """Return what a line of the session stands for."""
        self._images = self.folds.images(line)
        return given(self.folds.unfolded(line))

    def _session(self) -> PromptSession[str]:
        manner, folds = self._manner, self.folds
        _ask_no_cursor()
        session: PromptSession[str] = PromptSession(
            history=LineHistory(manner.history, folds.unfolded, folds.taken_in),
            key_bindings=bindings(
                rewinds=manner.rewinds,
                actions=manner.actions,
                hands=Hands(self._pasted, self._attach, self._edit),
            ),
            multiline=True,
            editing_mode=EditingMode.VI if manner.editing == "vi" else EditingMode.EMACS,
            completer=manner.completions,
            complete_while_typing=Condition(self._completes),
            input_processors=[Shown(folds)],
            search_ignore_case=True,
            tempfile_suffix=".md",
        )
        session.app.ttimeoutlen = _ESCAPE
        session.app.timeoutlen = _BETWEEN
        session.app.terminal_size_polling_interval = None  # there is a signal for it
        return session

    def _pasted(self, text: str) -> str:
        pictures = self._manner.pictures
        picture = pictures.pasted(text) if pictures is not None else None
        return self.folds.taken_in(text) if picture is None else self.folds.fold(picture)

    async def _attach(self, buffer: Buffer) -> None:
        pictures = self._manner.pictures
        picture = await pictures.from_clipboard() if pictures is not None else None
        if picture is not None:
            buffer.insert_text(self.folds.fold(picture))

    async def _edit(self, buffer: Buffer) -> None:
        """Have the text edited with $VISUAL or $EDITOR; a very long one is folded again."""
        buffer.text = self.folds.spread(buffer.text)
        await buffer.open_in_editor()
        if len(buffer.text) > _LONG and not self.folds.images(buffer.text):
            buffer.text = self.folds.taken_in(buffer.text)
        buffer.cursor_position = len(buffer.text)

    def _completes(self) -> bool:
        """Whether what is being typed is something to complete."""
        completions = self._manner.completions
        before = get_app().current_buffer.document.text_before_cursor
        return completions is not None and completions.fit(before)


def _ask_no_cursor() -> None:
    """Do not ask the terminal where its cursor is: nothing here needs to know.

    A terminal that never says would be waited for, a second at every line, and an answer that is
    late would be typed into whatever comes after us.
    """
    output = get_app_session().output
    if isinstance(output, Vt100_Output):
        output.enable_cpr = False


def line_reader(
    history: Path | None, *, during_turn: bool = False, rewinds: bool = False
) -> ReadLine:
    """Return a function that prompts; see `Manner`."""
    return InputLine(Manner(history, rewinds=rewinds, during_turn=during_turn))
