"""Reads awk programs: harmless is what runs nothing, opens nothing and is understood.

The one difficulty is the slash, which divides or begins a pattern. Where that cannot be said,
nothing suspicious may follow at all.
"""

import re

_WHY = "the program of awk may run a program or open a file"
_LONGEST = 4_096
_TOKEN = re.compile(
    r"""
    (?P<blank> (?: [ \t\r] | \\\r?\n )+ )
    | (?P<end> ; | \#[^\n]* | \n )
    | (?P<string> "(?: \\. | [^"\\\n] )*" )
    | (?P<number> (?: \d+\.?\d* | \.\d+ ) (?: [eE][+-]?\d+ )? )
    | (?P<word> [A-Za-z_]\w* )
    | (?P<step> \+\+ | -- )
    | (?P<sign> \|\| | && | [<>=!+\-*%^]= | \*\*=? | >> | !~ | [{}(\[,!<>=+\-*%^~?:$&] )
    | (?P<close> [)\]] )
    """,
    re.VERBOSE | re.DOTALL,
)
_PATTERN = re.compile(r"/((?:\\.|[^/\\\n])*)/", re.DOTALL)
_FORBIDDEN = frozenset(["system", "getline", "extension", "ARGV", "ARGC", "SYMTAB", "FUNCTAB"])
_BEFORE_PATTERN = frozenset(
    ["print", "printf", "return", "in", "case", "else", "do", "delete", "exit", "if", "while"]
)
_SUSPICIOUS = re.compile(r"[|>@]|" + "|".join(sorted(_FORBIDDEN)))


def hazard(program: str) -> str | None:
    """Return why the program is not known to be harmless."""
    if len(program) > _LONGEST:
        return _WHY
    reader = _Reader()
    at = 0
    while at < len(program):
        if program[at] == "/":
            end = reader.slash(program, at)
            if end is None:
                return _WHY if _SUSPICIOUS.search(program, at) else None
        else:
            token = _TOKEN.match(program, at)
            if token is None or not reader.harmless(token.lastgroup or "", token[0]):
                return _WHY
            end = token.end()
        at = end
    return None


class _Reader:
    """What the tokens so far mean for the next one."""

    def __init__(self) -> None:
        self.before = "sign"
        """Kind of the last token: sign, operand, or unclear, for a slash."""
        self.depth = 0
        self.printing: int | None = None
        """Depth of the brackets at which a print statement stands; there `>` writes a file."""

    def slash(self, program: str, at: int) -> int | None:
        """Return where the pattern or the sign ends that begins here; None where unclear."""
        if self.before == "operand":
            self.before = "sign"
            return at + 1
        found = _PATTERN.match(program, at) if self.before == "sign" else None
        # Some awks let the slash stand in a bracket, others do not.
        if found is None or found[1].count("[") != found[1].count("]"):
            return None
        self.before = "operand"
        return found.end()

    def harmless(self, kind: str, text: str) -> bool:
        """Take the next token; say whether it leaves the program harmless."""
        if kind == "blank":
            return True
        if text in _FORBIDDEN:
            return False
        if text.startswith(">") and text != ">=" and self.printing == self.depth:
            return False
        self._count(kind, text)
        if kind == "word" and text in {"print", "printf"}:
            self.printing = self.depth
        self.before = self._meaning(kind, text)
        return True

    def _count(self, kind: str, text: str) -> None:
        if text in {"(", "["}:
            self.depth += 1
        if kind == "close":
            self.depth -= 1
        if kind == "end" or text in {"{", "}"}:
            self.printing = None

    def _meaning(self, kind: str, text: str) -> str:
        if kind in {"string", "number"} or text == "]":
            return "operand"
        if kind == "word":
            return "sign" if text in _BEFORE_PATTERN else "operand"
        return "unclear" if kind in {"close", "step"} else "sign"
