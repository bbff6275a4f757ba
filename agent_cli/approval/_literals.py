"""Words of commands that are text and name no file: patterns, scripts, separators.

The words are followed from the left and only as far as each one's part is certain: in
`grep /etc/passwd -e root` the first operand is a file.
"""

import re
from collections.abc import Callable, Sequence

from msgspec import Struct, structs

from agent_cli.approval import _awk, _sed
from agent_cli.approval._words import vocabulary
from agent_cli.approval.options import Word

_NEVER = re.compile(r"(?!)")
_ONLY_TEXT = vocabulary("echo printf tr basename dirname true false :")
"""Programs that open none of their operands."""
_MAY_BE_OPTION = frozenset("-*?[")


class _Row(Struct, frozen=True):
    flags: re.Pattern[str] = _NEVER
    """Options that take no further word."""
    valued: re.Pattern[str] = _NEVER
    """Options whose value, the next word, is text."""
    attached: re.Pattern[str] = _NEVER
    """Options with such a value in the same word."""
    instead: re.Pattern[str] = _NEVER
    """Options with which the first operand is a file."""
    first: bool = False
    """The first operand is text."""
    permutes: bool = True
    harmless: Callable[[str], str | None] | None = None
    """Says why the first operand may be no script that opens nothing itself."""


def _row(flags: str, valued: str, attached: str, instead: str = "(?!)") -> _Row:
    texts = (flags, valued, attached, instead)
    one, two, three, four = (re.compile(text, re.DOTALL) for text in texts)
    return _Row(one, two, three, four)


def _first(row: _Row, harmless: Callable[[str], str | None] | None = None) -> _Row:
    return structs.replace(row, first=True, harmless=harmless)


_LONG = r"--(?!f|re|pre)[a-z-]+=\S*"
_GREP = _first(
    _row(
        rf"-[acEFGHhiILlnoPqRrsvwxzZ]+|-[ABCm]?\d+|{_LONG}|--(color|ignore-case|line-number|count|"
        r"recursive|word-regexp|only-matching|invert-match|extended-regexp|fixed-strings)",
        r"-[acEFGHhiILlnoPqRrsvwxzZ]*[eABCm]|--(regexp|include|exclude|exclude-dir|max-count)",
        r"-[acEFGHhiILlnoPqRrsvwxzZ]*e.+|--regexp=.*",
        r"-[acEFGHhiILlnoPqRrsvwxzZ]*e.*|--regexp(=.*)?",
    )
)
_RG = _first(
    _row(
        rf"-[acFHIilLnNoPpsSuvwx0]+|-[ABCm]\d+|-[tT]\w+|{_LONG}|--(hidden|no-ignore|no-heading|"
        r"line-number|ignore-case|fixed-strings|count|smart-case|multiline|files-with-matches)",
        r"-[acFHIilLnNoPpsSuvwx0]*[egtTrABCmdjM]|--(regexp|i?glob|type|type-not|replace|max-count)",
        r"-[acFHIilLnNoPpsSuvwx0]*[egr].+|--(regexp|i?glob|replace)=.*",
        r"-[acFHIilLnNoPpsSuvwx0]*e.*|--regexp(=.*)?",
    )
)
_SED = _first(
    _row(
        r"-[nErsuz]+|--(quiet|silent|regexp-extended|null-data|separate|unbuffered)",
        r"-[nErsuz]*e|--expression",
        r"-[nErsuz]*e.+|--expression=.*",
        r"-[nErsuz]*e.*|--expression(=.*)?",
    ),
    _sed.hazard,
)
_AWK = _Row(
    valued=re.compile(r"-[Fv]"),
    attached=re.compile(r"-[Fv].+", re.DOTALL),
    first=True,
    permutes=False,
    harmless=_awk.hazard,
)
_GIT_LOG = _row(
    r"-.*|[^-/.].*",
    r"-[SG]|--(grep|author|committer|since|until|after|before)",
    r"-[SG].+|--(grep|author|committer|since|until|after|before|format|pretty)=.*",
)
_ROWS = {
    **dict.fromkeys(("grep", "egrep", "fgrep"), _GREP),
    "rg": _RG,
    "sed": _SED,
    **dict.fromkeys(("awk", "gawk", "mawk"), _AWK),
    "jq": _first(_row(r"-[rcneSsjaMC]+|--(raw-output|compact-output|slurp)", "(?!)", "(?!)")),
    "cut": _row(r"-s|--complement|-[fcb].+", r"-[dfcb]|--delimiter", r"-d.+|--delimiter=.*"),
    "sort": _row(r"-[bdfghiMnRrVcCmsuz]+|-k.+", r"-[tk]", r"-[bdfghiMnRrVsuz]*t.+"),
    "find": _row(
        r"(?!-(D|f|files0-from|exec|execdir|ok|okdir)\Z).*",
        r"-(i?name|i?path|i?wholename|i?regex|printf)",
        "(?!)",
    ),
    "git log": _GIT_LOG,
    "git show": _GIT_LOG,
    "git commit": _row(r"-a|-q|-s|--amend|--no-verify", r"-a?m|--message", r"-m.+|--message=.*"),
}


class Literals(Struct, frozen=True):
    """Places of words."""

    words: frozenset[int] = frozenset()
    """Words that are text."""
    options: frozenset[int] = frozenset()
    """Options that have a text attached."""


def literals(words: Sequence[Word]) -> Literals:
    """Return which words of a command are text."""
    name, begin = words[0].text, 1
    if name in _ONLY_TEXT:
        return Literals(frozenset(at for at, word in enumerate(words) if word.exact))
    if name == "git" and len(words) > 1:
        name, begin = f"git {words[1].text}", 2
    row = _ROWS.get(name)
    if row is None:
        return Literals()
    follower = _Follower(row)
    while begin < len(words) and (taken := follower.take(words, begin)):
        begin += taken
    if begin >= len(words):
        follower.take_first(words)
    return Literals(frozenset(follower.texts), frozenset(follower.options))


class _Follower:
    """What was found so far."""

    def __init__(self, row: _Row) -> None:
        self.texts: list[int] = []
        self.options: list[int] = []
        self._row = row
        self._operands: list[int] = []
        self._instead = False

    def take(self, words: Sequence[Word], at: int) -> int:
        """Return how many words are understood from here on; 0 where that is not certain."""
        row, text = self._row, words[at].text
        if text == "--":
            self._operands.extend(range(at + 1, len(words)))
            return len(words)
        if not words[at].exact and text[:1] in _MAY_BE_OPTION:
            return 0
        if not text.startswith("-") or text == "-":
            self._operands.append(at)
            return 1 if row.permutes else len(words)
        self._instead = self._instead or row.instead.fullmatch(text) is not None
        if row.valued.fullmatch(text):
            return self._take_value(words, at + 1)
        if row.attached.fullmatch(text):
            self.options.append(at)
            return 1
        return 1 if row.flags.fullmatch(text) else 0

    def _take_value(self, words: Sequence[Word], at: int) -> int:
        if at >= len(words) or not words[at].exact:
            return 0
        self.texts.append(at)
        return 2

    def take_first(self, words: Sequence[Word]) -> None:
        """Take the first operand, once all words are understood."""
        if not self._row.first or self._instead or not self._operands:
            return
        first = words[self._operands[0]]
        harmless = self._row.harmless
        if first.exact and (harmless is None or harmless(first.text) is None):
            self.texts.append(self._operands[0])
