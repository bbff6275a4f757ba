"""Where in a script a command may stand: lists, pipelines, groups, subshells and `if`."""

from typing import TypeAlias

from msgspec import Struct

from agent_cli.approval._words import vocabulary
from agent_cli.approval.options import Word

_RESERVED = vocabulary(
    "for while until case esac do done select function coproc [[ ]] in foreach repeat "
    "nocorrect noglob end -"
)
_CLAUSES = {"then": ("if",), "elif": ("then",), "else": ("then",), "fi": ("then", "else")}


def reserved(word: str) -> bool:
    """Whether the word, unquoted where a command may begin, is a part of the grammar."""
    return word in _RESERVED or word in _CLAUSES or word in {"!", "{", "}", "if", "time"}


class Refused(Exception):  # noqa: N818 - it says what happened to a text, and never leaves the reader
    """The meaning of the text is not certain."""


class Mark(Struct, frozen=True):
    """What stands between simple commands: an operator, `if` and its parts, a brace."""

    sign: str


class Draft(Struct):
    """A simple command that is still being read."""

    start: int
    words: list[Word] = []
    data: list[str] = []
    end: int = 0
    bare: bool = True


Piece: TypeAlias = Draft | Mark


class Structure:
    """What was read so far, and what may follow."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.current: Draft | None = None
        self._open: list[str] = []
        self._expects = "list"
        """A list; a command; `more`, which is a command or the end of a list; or the `end` of a
        command: an operator."""

    def begin(self, start: int) -> Draft:
        """Open a simple command."""
        self._need(self._expects != "end")
        self.current = Draft(start)
        self.pieces.append(self.current)
        return self.current

    def end(self) -> None:
        """Close the simple command, if one is open."""
        if self.current is None:
            return
        if not self.current.words:
            raise Refused("a redirection without a command")
        self.current = None
        self._expects = "end"

    def finish(self) -> None:
        """Close the script."""
        self.end()
        if not self.pieces:
            raise Refused("there is no command")
        self._need(not self._open and self._expects in {"more", "end"})

    def may_redirect_group(self) -> bool:
        return self._expects == "end"

    def operator(self, sign: str) -> None:
        if sign == "(":
            self._need(self.current is None)
            self._enter("(", "(")
            return
        self.end()
        if sign == "\n":
            if self._expects == "end":
                self._expects = "more"
                self.pieces.append(Mark(";"))
        elif sign == ")":
            self._need(self._expects in {"end", "more"})
            self._leave(("(",), ")")
        else:
            self._need(self._expects == "end")
            self.pieces.append(Mark(sign))
            self._expects = "more" if sign == ";" else "command"

    def reserved(self, raw: str) -> bool:
        """Take a reserved word that stands where a command may begin; False if it is none."""
        if raw in _RESERVED:
            raise Refused(f"the reserved word {raw!r}")
        match raw:
            case "!":
                self._need(self._expects != "end")
                self.pieces.append(Mark("!"))
                self._expects = "command"
            case "{" | "if":
                self._enter(raw, raw)
            case "}":
                self._need(self._expects == "more")
                self._leave(("{",), "}")
            case "then" | "elif" | "else" | "fi":
                self._need(self._expects == "more")
                self._leave(_CLAUSES[raw], raw)
                if raw != "fi":
                    self._enter("if" if raw == "elif" else raw, raw)
            case _:
                return False
        return True

    def _enter(self, clause: str, sign: str) -> None:
        self._need(self._expects != "end")
        self._open.append(clause)
        self.pieces.append(Mark(sign))
        self._expects = "list"

    def _leave(self, clauses: tuple[str, ...], sign: str) -> None:
        self._need(bool(self._open) and self._open[-1] in clauses)
        self._open.pop()
        self.pieces.append(Mark(sign))
        self._expects = "end" if sign in {")", "}", "fi"} else "list"

    @staticmethod
    def _need(fits: bool) -> None:  # noqa: FBT001 - an assertion
        if not fits:
            raise Refused("it does not parse")
