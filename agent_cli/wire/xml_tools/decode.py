r"""Calls out of streamed text, incrementally.

    message   = { prose | thinking | fence | call }
    thinking  = "<thinking>" … "</thinking>" | "<think>" … "</think>"
    fence     = a Markdown code fence, from its opening line to its closing line
    call      = "<" tool ">" … { parameter } "</" tool ">"
    parameter = "<" name ">" value "</" name ">"

Outside calls
- A call begins with the exact tag of a tool of the catalogue: no attributes, no spaces, no other
  case. Right after a backtick it is inline code and stays text, as any other tag does.
- Thinking is text, whatever it holds.
- A call in a fence counts only if the fence holds nothing else, white space aside; otherwise the
  whole fence is text. Nothing of such a call is told before the fence is closed (the end of the
  message closes it); then the lines of the fence are dropped.
- The first complete call outside an open fence ends the message: `finished`. What follows is not
  looked at, and the caller closes the stream.

Inside a call
- Only parameters of this tool count. Text before the first one is ignored.
- A closing tag of a parameter counts only if, after white space, one of these follows: the opening
  tag of another parameter of the tool, or the tool's closing tag. Elements that are no parameters
  and hold plain text (`<line_count>3</line_count>`) may stand between and are ignored. Any other
  closing tag is part of the value.
- A value of a `VERBATIM` parameter may hold anything, so it ends only before a parameter that has
  not been given yet; and if its closing tag counts once more later in the call, that later one is
  right, and what seemed to be parameters since was its text. The last one that counts wins.
- A value may hold whole calls of the same tool: the call ends at the first end that is not paired
  with an opening tag of the tool in a value. Where these tags do not pair (a text that mentions
  the opening tag), the call ends at the last possible end, if the message ends there too and was
  not cut off.
- Of any other parameter given twice the last one counts.
- A call that is not closed, or longer than `LONGEST_CALL`, is a begin without an end and never run;
  in a fence it is text.

All this depends on the text only, never on how it was cut into pieces. Text is held back only as
long as it could become a tag or a fence with a call.
"""

import re
from collections.abc import Callable

from agent_cli.types.events import Delta, TextDelta, ToolCallBegin, ToolCallDelta, ToolCallEnd
from agent_cli.types.requests import ToolSpec
from agent_cli.wire.xml_tools._fence import Fence
from agent_cli.wire.xml_tools._grammar import Catalogue
from agent_cli.wire.xml_tools._modes import Mode, fenced, prose, thinking
from agent_cli.wire.xml_tools.call import CallScanner, Status

_SPACE = re.compile(r"\s*")
_PIECE = 4096  # what is looked at in one go: bounds the cost of moving a window on


class Decoder:
    """Turns the text of one response into deltas; one per request, never shared."""

    def __init__(self, specs: tuple[ToolSpec, ...]) -> None:
        self.finished = False
        """Whether a call ended the message: nothing after it counts."""
        self.called = False
        """Whether there is a complete call."""
        self._catalogue = Catalogue(specs)
        self._prose = prose(self._catalogue.names)
        self._mode = self._prose
        self._window = "\n"  # in text, it begins with the last character of the text before it
        self._read: Callable[[], bool] = self._read_text
        self._call: CallScanner | None = None
        self._fence: Fence | None = None
        self._text: list[str] = []
        self._deltas: list[Delta] = []

    @property
    def cut_off(self) -> bool:
        """Whether there is a call that will never be complete."""
        return self._call is not None and self.finished and not self.called

    def feed(self, text: str) -> tuple[Delta, ...]:
        for start in range(0, len(text), _PIECE):
            self._window += text[start : start + _PIECE]
            while not self.finished and self._read():
                pass
        return self._taken()

    def finish(self, *, cut: bool = False) -> tuple[Delta, ...]:
        """End the message; `cut` says that the model would have gone on."""
        if not self.finished:
            self.finished = True
            self._end_of_message(cut=cut)
        return self._taken()

    def _taken(self) -> tuple[Delta, ...]:
        self._tell()
        deltas, self._deltas = tuple(self._deltas), []
        return deltas

    def _emit(self, text: str) -> None:
        self._text.append(text)

    def _tell(self, *deltas: Delta) -> None:
        """Tell what has been emitted as text, and the deltas after it."""
        text = "".join(self._text)
        self._text.clear()
        if text:
            self._deltas.append(TextDelta(text))
        self._deltas += deltas

    def _tell_end(self, call: CallScanner) -> None:
        self.called = self.finished = True
        self._tell(ToolCallDelta(0, call.arguments), ToolCallEnd(0, call.raw))

    def _read_text(self) -> bool:
        window = self._window
        held = self._mode.held_from(window)
        found = self._mode.event.search(window, 0, held)
        if found is None:
            self._emit(window[1:held])
            self._window = window[held - 1 :]
            return False
        groups: dict[str, str | None] = found.groupdict()
        if tool := groups.get("tool"):
            self._begin_call(tool, found.start(), found.end())
        elif mark := groups.get("ticks") or groups.get("tildes"):
            self._begin_fence(mark, found.start() + 1, found.end())
        else:
            name = groups.get("thinking")
            self._emit(window[1 : found.end()])
            self._go_on(window[found.end() - 1 :], thinking(name) if name else self._prose)
        return True

    def _go_on(self, window: str, mode: Mode) -> None:
        self._window = window
        self._mode = mode
        self._read = self._read_text

    def _begin_call(self, name: str, start: int, end: int) -> None:
        self._emit(self._window[1:start])
        self._tell(ToolCallBegin(0, "", name))
        self._window = self._window[end:]
        self._call = CallScanner(self._catalogue.grammar(name))
        self._read = self._read_call

    def _read_call(self) -> bool:
        call = self._call
        assert call is not None
        call.feed(self._window)
        self._window = ""
        if call.status is Status.DONE:
            self._tell_end(call)
        self.finished = call.status is not Status.OPEN
        return False

    def _begin_fence(self, mark: str, start: int, end: int) -> None:
        self._emit(self._window[1:start])
        self._fence = Fence(self._window[start:end], mark, self._catalogue)
        self._window = self._window[end:]
        self._read = self._read_fence

    def _read_fence(self) -> bool:
        fence = self._fence
        assert fence is not None
        fence.feed(self._window)
        self._window = ""
        if fence.status is Status.DONE:
            self._tell_fenced(fence)
        if fence.status is not Status.BROKEN:
            return False
        self._emit(fence.held)
        self._go_on(fence.held[-1] + fence.rest, fenced(fence.mark))
        return True

    def _tell_fenced(self, fence: Fence) -> None:
        call = fence.call
        assert call is not None
        self._tell(ToolCallBegin(0, "", call.name))
        self._tell_end(call)

    def _end_of_message(self, *, cut: bool) -> None:
        if self._read == self._read_call:
            self._end_of_call(cut=cut)
        elif self._read == self._read_fence:
            self._end_of_fence(cut=cut)
        else:
            self._emit(self._window[1:])

    def _end_of_call(self, *, cut: bool) -> None:
        call = self._call
        assert call is not None
        if not cut and call.finish(_SPACE):
            self._tell_end(call)

    def _end_of_fence(self, *, cut: bool) -> None:
        fence = self._fence
        assert fence is not None
        fence.finish(cut=cut)
        if fence.status is Status.DONE:
            self._tell_fenced(fence)
        else:
            self._emit(fence.text)
