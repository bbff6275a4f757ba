"""Tokens of the few forms of shell text whose meaning is certain.

Every form here means the same to bash, dash and zsh, or is an error to one of them. What has no
form here cannot be vouched for: expansions, patterns of zsh, redirections to files.
"""

import re

from msgspec import Struct

from agent_cli.approval.options import Word

_END = r"(?=[\s;|&)<>]|\Z)"
_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"

GAP = re.compile(r"(?:[ \t]+|\\\n(?=[ \t])|(?<=[ \t\n;&|])\\\n)+")
BLANK_LINES = re.compile(r"[ \t\n]+")
COMMENT = re.compile(r"#[^\n]*")
OPERATOR = re.compile(r"\n|&&|\|\||\|&|\||;(?![;&|])|\((?!\()|\)")
BRACE = re.compile(rf"[{{}}]{_END}")
HARMLESS = re.compile(
    rf"(?:(?:\d{{0,2}}(?:>>|>\||>|<)|&>>?|>&)[ \t]*/dev/null|\d{{0,2}}[<>]&(?:\d{{1,2}}|-)){_END}"
)
"""Redirections to nothing, and copies of descriptors."""
HEREDOC = re.compile(
    r"\d{0,2}<<(?P<tabs>-?)[ \t]*"
    rf"(?:'(?P<q>{_NAME})'|\"(?P<d>{_NAME})\"|(?P<e>\\?)(?P<n>{_NAME})){_END}"
)
HERESTRING = re.compile(r"\d{0,2}<<<[ \t]*(?=[^\s#<>&|;()])")
_PIECE = re.compile(
    r"""
      (?P<plain> [A-Za-z0-9_./:@%+,^=!#~\]\-\x80-\U0010ffff]++ )
    | (?P<glob> [*?\[]++ )
    | (?P<brace> \{ [A-Za-z0-9_\-]* \} )
    | ' (?P<single> [^']*+ ) '
    | " (?P<double> (?: [^"\\$`]++ | \\[\s\S] | \$ (?=["\s|)]) )*+ ) "
    | \\ (?P<escaped> [^\n] )
    | (?P<dollar> \$ ) (?= \s | \Z )
    """,
    re.VERBOSE,
)
_IN_DOUBLE = re.compile(r"\\([$`\"\\])|\\\n")
_HOME = re.compile(r"(?:^|[:=])~")
_COMMAND_OF_ZSH = re.compile(r"=(?!=*\Z)")


_MOST_PIECES = 500
_DESCRIPTOR = re.compile(r"\}\Z|\A\d+\Z")
"""What would name the descriptor of a redirection that follows."""
_AFTER = frozenset(["", *" \t\n;|&)<>"])


class Read(Struct, frozen=True):
    """A word, and where it ends."""

    word: Word
    end: int


def word(text: str, start: int) -> Read | str:
    """Read the word at the place, or say why its meaning is not certain."""
    place = start
    parts: list[str] = []
    exact = True
    while (piece := _PIECE.match(text, place)) is not None:
        kind, value = piece.lastgroup or "", piece[piece.lastgroup or 0]
        if kind == "plain" and (reason := _doubtful(value, begins=place == start)):
            return reason
        exact = exact and kind != "glob"
        parts.append(_value(kind, value))
        place = piece.end()
        if len(parts) > _MOST_PIECES:
            return "a word of too many parts"
    after = text[place : place + 1]
    raw = text[start:place]
    if place == start or after not in _AFTER or (after in {"<", ">"} and _DESCRIPTOR.search(raw)):
        return why(text, place)
    if _COMMAND_OF_ZSH.match(raw):
        return "zsh replaces a word that begins with an equals sign"
    return Read(Word("".join(parts), exact or raw == "["), place)


def _value(kind: str, value: str) -> str:
    return _IN_DOUBLE.sub(r"\1", value) if kind == "double" and "\\" in value else value


def _doubtful(value: str, *, begins: bool) -> str | None:
    if any(begins or found[0] != "~" for found in _HOME.finditer(value)):
        return "a tilde stands for a home directory"
    return None


_REASONS = [
    ("$(", "command substitution"),
    ("`", "command substitution"),
    ("<(", "process substitution"),
    (">(", "process substitution"),
    ("=(", "process substitution"),
    ("$'", "a quoted form with escapes"),
    ('$"', "a quoted form that is translated"),
    ("$", "expansion of a parameter"),
    ("{", "brace expansion"),
    ("<<", "a here-document that cannot be read with certainty"),
    ("<", "redirection from a file"),
    (">", "redirection to a file"),
    ("&>", "redirection to a file"),
    ("&", "a background command"),
    ("((", "arithmetic"),
    ("(", "a function, an array or a pattern"),
    ("'", "a quotation that does not end"),
    ("\\", "a line continued within a word"),
]


def why(text: str, place: int) -> str:
    """Say why no form fits the text at the place."""
    rest = text[place : place + 4096]
    found = re.match(r"\d{0,2}(?=[<>])", rest)
    rest = rest[found.end() :] if found is not None else rest
    if rest.startswith('"'):
        inside = re.search(r"(?<!\\)[$`]\(?", rest)
        return why(inside[0], 0) if inside is not None else "a quotation that does not end"
    for sign, reason in _REASONS:
        if rest.startswith(sign):
            return reason
    return "it does not parse"
