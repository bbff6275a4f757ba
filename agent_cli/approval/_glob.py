"""Patterns of paths, in the manner of .gitignore."""

import functools
import re

_REPEATED = re.compile(r"(?:\*\*+/)+")
_SPECIAL = re.compile(r"[\\*?\[]")


def matches(pattern: str, target: str, *, ignore_case: bool = False) -> bool:
    """Whether the pattern names the target or a folder above it.

    Without a slash, except at its end, it names a file or folder at any depth; otherwise it
    is anchored at the root. `*` and `?` stop at slashes, `**` does not.
    """
    return _compile(pattern, ignore_case).fullmatch(target) is not None


def literal(target: str) -> str:
    """Return the pattern that names the target and what is below it, and nothing else."""
    escaped = _SPECIAL.sub(r"\\\g<0>", target)
    return escaped if target.startswith("/") else f"/{escaped}"


@functools.lru_cache(maxsize=1024)
def _compile(pattern: str, ignore_case: bool) -> re.Pattern[str]:  # noqa: FBT001 - part of the key
    body = _REPEATED.sub("**/", pattern.strip().rstrip("/"))
    if not body:
        return re.compile(r"(?!)")
    anywhere = "" if "/" in body else "(?:.*/)?"
    expression = "".join(_translate(piece) for piece in _PIECES.findall(body.removeprefix("/")))
    return re.compile(
        f"/?{anywhere}{expression}(?:/.*)?", re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    )


_PIECES = re.compile(r"\*\*+/|\*\*+|\*|\?|\[[!^]?\]?[^\]]*\]|\\.|.", re.DOTALL)


def _translate(piece: str) -> str:
    if piece.startswith("**"):
        return "(?:.*/)?" if piece.endswith("/") else ".*"
    if piece == "*":
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    if piece.startswith("[") and len(piece) > 1:
        return _character_class(piece)
    return re.escape(piece[1:] if len(piece) > 1 else piece)


def _character_class(piece: str) -> str:
    negated = piece[1] in "!^"
    members = piece[2:-1] if negated else piece[1:-1]
    escaped = re.sub(r"[\\\[\]^&~|]", r"\\\g<0>", members)
    try:
        re.compile(f"[{escaped}]")
    except re.error:  # say, a range that runs backwards
        return re.escape(piece)
    return f"(?!/)[{'^' if negated else ''}{escaped}]"
