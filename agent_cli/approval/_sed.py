"""Reads sed scripts: harmless is only what is understood to its end.

`e`, `w`, `W`, `r`, `R` and the flags `e` and `w` of `s` run programs or touch files; every other
command is taken apart only to find where the next one begins. Positions are offsets into the
script, and -1 where it cannot be followed.
"""

import re

_WHY = "the script of sed may run a program or touch a file"
_LONGEST = 4_096
_BLANK = re.compile(r"[\s;]*")
_NUMBER = re.compile(r"\d+(?:~\d+)?|\$")
_SPAN = re.compile(r"[ \t]*,[ \t]*[+~]?")
_NOT = re.compile(r"[ \t]*(?:![! \t]*)?")
_END = re.compile(r"[ \t]*(?:[;\n]|(?=[}#])|\Z)")
_TAIL = {
    **dict.fromkeys("{", re.compile("")),
    **dict.fromkeys("#", re.compile(r"[^\n]*")),
    **dict.fromkeys("}=dDgGhHnNpPxzF", _END),
    **dict.fromkeys("lLqQ", re.compile(r"[ \t]*\d*" + _END.pattern)),
    **dict.fromkeys("btT:", re.compile(r"[ \t]*[\w.\-]*" + _END.pattern)),
    **dict.fromkeys("aic", re.compile(r"(?:\\.|[^\\\n])*(?:\n|\Z)", re.DOTALL)),
    "s": re.compile(r"[gpiIMm\d]*" + _END.pattern),
    "y": _END,
}
"""What may follow a command's letter, or the last delimiter of `s` and `y`."""


def hazard(script: str) -> str | None:
    """Return why the script is not known to be harmless."""
    at = _after(_BLANK, script, 0) if len(script) <= _LONGEST else -1
    while 0 <= at < len(script):
        at = _command(script, at)
        if at >= 0:
            at = _after(_BLANK, script, at)
    return _WHY if at < 0 else None


def _command(script: str, at: int) -> int:
    at = _addresses(script, at)
    letter = script[at : at + 1] if at >= 0 else ""
    if letter not in _TAIL or not letter:
        return -1
    at += 1
    if letter in "sy":
        at = _delimited(script, at, sections=2)
    return _after(_TAIL[letter], script, at)


def _addresses(script: str, at: int) -> int:
    first = _address(script, at)
    span = _SPAN.match(script, first) if first > at else None
    if span is not None:
        first = _address(script, span.end())
        if first <= span.end():
            return -1
    return _after(_NOT, script, first)


def _address(script: str, at: int) -> int:
    """Return where the address ends: where it begins, if there is none."""
    number = _NUMBER.match(script, at)
    if number is not None:
        return number.end()
    if script[at : at + 1] == "\\":
        at += 1
    elif script[at : at + 1] != "/":
        return at
    end = _delimited(script, at, sections=1)
    return _after(re.compile("[IM]*"), script, end)


def _delimited(script: str, at: int, *, sections: int) -> int:
    """Return where the sections end that are held apart by the sign at `at`."""
    sign = script[at : at + 1] if at >= 0 else ""
    if not sign or sign in "\\\n":
        return -1
    section = re.compile(rf"((?:\\.|[^\\\n{re.escape(sign)}])*){re.escape(sign)}", re.DOTALL)
    at += 1
    for number in range(sections):
        found = section.match(script, at)
        if found is None:
            return -1
        if number == 0 and _open_bracket(found[1]):
            return _with_bracket(script, at, sign) if sections > 1 else -1
        at = found.end()
    return at


def _with_bracket(script: str, at: int, sign: str) -> int:
    """Return the end of `s` whose delimiter stands in a bracket of its pattern.

    Some seds let it stand there, others do not. It is certain where the others reject the script.
    """
    quoted = re.escape(sign)
    rest = rf"{quoted}(?:\\.|[^\\\n{quoted}])*{quoted}"
    theirs = re.compile(rf"(?:\\.|[^\\\n{quoted}])*{rest}[^\sgpiIMmew\d;}}#]", re.DOTALL)
    bracket = r"\[\^?\]?(?:\[:\w+:\]|[^\]\[\\\n])*\]"
    ours = re.compile(rf"(?:\\.|{bracket}|[^\[\\\n{quoted}])*{rest}", re.DOTALL)
    found = ours.match(script, at)
    return found.end() if found is not None and theirs.match(script, at) is not None else -1


def _open_bracket(pattern: str) -> bool:
    return "[" in pattern and "]" not in pattern.rpartition("[")[2]


def _after(pattern: re.Pattern[str], script: str, at: int) -> int:
    found = pattern.match(script, at) if at >= 0 else None
    return -1 if found is None else found.end()
