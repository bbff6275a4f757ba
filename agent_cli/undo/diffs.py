"""Changes of files as unified diffs."""

from collections.abc import Callable, Iterable

from agent_cli.types.evidence import FileChange, FileVersion
from agent_cli.workspace.editor import decode, printable, split_lines

_NO_FILE = "/dev/null"


def unified(
    changes: Iterable[FileChange], content: Callable[[FileVersion], bytes | None]
) -> tuple[str, ...]:
    """Return a diff for each file; `content` gives what it was, or None if that is not kept."""
    return tuple(_unified(change, content) for change in changes)


def _unified(change: FileChange, content: Callable[[FileVersion], bytes | None]) -> str:
    from difflib import unified_diff  # noqa: PLC0415 - 10 ms, for who asks

    names = [
        f"{side}/{change.path}" if one else _NO_FILE
        for side, one in (("a", change.before), ("b", change.after))
    ]
    lines = list(_modes(change))
    same = change.before and change.after and change.before.hash == change.after.hash
    if not same and not change.path.endswith("/"):
        old = b"" if change.before is None else content(change.before)
        new = b"" if change.after is None else content(change.after)
        if old is None or new is None:
            lines.append("content not kept")
        elif decode(old).is_binary or decode(new).is_binary:
            lines.append("binary content differs")
        else:
            lines += [_shown(one) for one in unified_diff(_lines(old), _lines(new), n=3)][2:]
    return "\n".join([f"--- {names[0]}", f"+++ {names[1]}", *lines])


def _modes(change: FileChange) -> Iterable[str]:
    if change.before is None and change.after is not None:
        yield f"new mode {change.after.mode:o}"
    elif change.before is not None and change.after is None:
        yield f"old mode {change.before.mode:o}"
    elif change.before and change.after and change.before.mode != change.after.mode:
        yield f"mode {change.before.mode:o} -> {change.after.mode:o}"


def _lines(data: bytes) -> list[str]:
    return [line.text + line.end for line in split_lines(printable(decode(data).body))]


def _shown(line: str) -> str:
    if line.endswith(("\n", "\r")):
        return line.rstrip("\n").rstrip("\r")
    return line + "\n\\ No newline at end of file"
