"""Reads a script of simple commands, and refuses every text whose meaning is not certain.

What it accepts: simple commands in lists, pipelines, groups, subshells and `if`; their words,
plain or quoted; redirections to /dev/null; here-documents that are data. Not recursive, so that
no nesting is too deep for it.
"""

import functools
import re
from typing import TypeAlias

from msgspec import Struct

from agent_cli.approval import _tokens
from agent_cli.approval._structure import Draft, Mark, Piece, Refused, Structure, reserved
from agent_cli.approval.options import Word

MOST_TOKENS = 4_000
"""Words and operators of a text that a rule may still allow; it bounds the time of a verdict."""

_LONGEST_PART = 2_000
_PART_ENDS = re.compile(r"[\n;|&]")
_EXPANDS = re.compile(r"[$`\\]")


class Simple(Struct, frozen=True):
    """A simple command."""

    words: tuple[Word, ...]
    start: int
    end: int
    bare: bool = True
    """Nothing but words stands in it: no redirection, no here-document."""
    data: tuple[str, ...] = ()
    """What here-documents and here-strings give to it."""


Item: TypeAlias = Simple | Mark


class Script(Struct, frozen=True):
    """A text that was read whole."""

    text: str
    items: tuple[Item, ...]

    @property
    def commands(self) -> tuple[Simple, ...]:
        return tuple(item for item in self.items if isinstance(item, Simple))

    def part(self, command: Simple) -> str:
        return self.text[command.start : command.end][:_LONGEST_PART]


class Unreadable(Struct, frozen=True):
    reason: str
    part: str


@functools.lru_cache(maxsize=32)
def read(text: str) -> Script | Unreadable:
    """Read a text."""
    reader = _Reader(text)
    try:
        return Script(text, reader.read())
    except Refused as refused:
        return Unreadable(str(refused), reader.part())


class _Here(Struct, frozen=True):
    """A here-document whose body is still to come."""

    draft: Draft
    name: str
    tabs: bool
    quoted: bool


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._begun = 0
        """Where the current command begins."""
        self._structure = Structure()
        self._here: list[_Here] = []

    def read(self) -> tuple[Item, ...]:
        self._skip()
        tokens = 0
        while self._place < len(self._text):
            tokens += 1
            if tokens > MOST_TOKENS:
                raise Refused("it is too long to vouch for")
            operator = _tokens.OPERATOR.match(self._text, self._place)
            if operator is not None:
                self._operator(operator[0])
            elif not self._redirection():
                self._word()
            self._skip()
        self._structure.finish()
        if self._here:
            raise Refused("a here-document that does not end")
        return tuple(_finished(piece) for piece in self._structure.pieces)

    def part(self) -> str:
        """Return the text about the place where reading stopped."""
        found = _PART_ENDS.search(self._text, self._place + 1)
        end = found.start() if found is not None else len(self._text)
        return self._text[self._begun : end].strip()[:_LONGEST_PART]

    def _skip(self) -> None:
        """Pass over blanks and comments."""
        for form in (_tokens.GAP, _tokens.COMMENT):
            if (found := form.match(self._text, self._place)) is not None:
                self._place = found.end()

    def _operator(self, sign: str) -> None:
        self._structure.operator(sign)
        self._place += len(sign)
        self._begun = self._place
        if sign == "\n":
            pending, self._here = self._here, []
            for here in pending:
                here.draft.data.append(self._body(here))
            if (blank := _tokens.BLANK_LINES.match(self._text, self._place)) is not None:
                self._place = blank.end()

    def _word(self) -> None:
        current = self._structure.current
        if current is None or not current.words:
            brace = _tokens.BRACE.match(self._text, self._place)
            read = None if brace is not None else self._read_word(self._place)
            end = read.end if read is not None else self._place + 1
            raw = self._text[self._place : end]
            if current is None and self._structure.reserved(raw):
                self._place = end
                return
            if "=" in raw:
                raise Refused("an assignment")
            if current is not None and reserved(raw) and raw != "time":
                raise Refused(f"the reserved word {raw!r}")
            current = current or self._structure.begin(self._place)
        read = self._read_word(self._place)
        current.words.append(read.word)
        current.end = self._place = read.end

    def _read_word(self, start: int) -> _tokens.Read:
        read = _tokens.word(self._text, start)
        if isinstance(read, str):
            raise Refused(read)
        return read

    def _redirection(self) -> bool:
        """Take a redirection; False if there is none."""
        text, place = self._text, self._place
        if (found := _tokens.HARMLESS.match(text, place)) is not None:
            if not self._structure.may_redirect_group():
                self._redirect(found.end())
            self._place = found.end()
        elif (found := _tokens.HEREDOC.match(text, place)) is not None:
            draft = self._redirect(found.end())
            name = found["q"] or found["d"] or found["n"]
            quoted = not found["n"] or bool(found["e"])
            self._here.append(_Here(draft, name, bool(found["tabs"]), quoted))
        elif (found := _tokens.HERESTRING.match(text, place)) is not None:
            read = self._read_word(found.end())
            if not read.word.exact:
                raise Refused("a pattern in a here-string")
            self._redirect(read.end).data.append(read.word.text)
        else:
            return False
        return True

    def _redirect(self, end: int) -> Draft:
        draft = self._structure.current or self._structure.begin(self._place)
        draft.bare = False
        draft.end = self._place = end
        return draft

    def _body(self, here: _Here) -> str:
        """Read a here-document, from the line after its command."""
        lines: list[str] = []
        while self._place < len(self._text):
            end = self._text.find("\n", self._place)
            end = len(self._text) if end < 0 else end
            line = self._text[self._place : end]
            line = line.lstrip("\t") if here.tabs else line
            self._place = min(end + 1, len(self._text))
            if line == here.name:
                body = "".join(lines)
                if not here.quoted and _EXPANDS.search(body):
                    raise Refused("an expansion in a here-document")
                return body
            lines.append(f"{line}\n")
        raise Refused("a here-document that does not end")


def _finished(piece: Piece) -> Item:
    if isinstance(piece, Mark):
        return piece
    return Simple(tuple(piece.words), piece.start, piece.end, piece.bare, tuple(piece.data))
