"""Numbered blocks of lines, cut where a limit is reached, with a word on how to go on."""

from agent_cli.tools._text import numbered
from agent_cli.types.errors import ToolError

TEXT_LIMIT = 100_000
"""UTF-8 bytes of numbered text that one file may take in a result."""


def blocks(lines: list[str], ranges: tuple[tuple[int, int], ...]) -> str:
    """Return the ranges of the lines, no range being all; raises ToolError beyond the end."""
    ranges = ranges or ((1, len(lines)),)
    beyond = next((first for first, _ in ranges if first > len(lines)), None)
    if beyond is not None:
        raise ToolError(f"line {beyond} is past the end: the file has {len(lines)} lines")
    made: list[str] = []
    room = TEXT_LIMIT
    for first, asked in ranges:
        last = min(asked, len(lines))
        shown: list[str] = []
        for line in numbered(lines[first - 1 : last], first, len(str(last))):
            size = len(line.encode()) + 1
            if size > room:
                made.append(_cut(shown, line, first=first, last=last, lines=len(lines)))
                return "\n".join(made)
            room -= size
            shown.append(line)
        made.append("\n".join([f"Lines {first}-{last} of {len(lines)}:", *shown]))
    return "\n".join(made)


def _cut(shown: list[str], line: str, *, first: int, last: int, lines: int) -> str:
    """Return the beginning of a block, and how to go on; a line too long for all is cut itself."""
    stop = first + len(shown)
    limit = f"the limit of {TEXT_LIMIT} bytes per file"
    parts = [f"Lines {first}-{stop - 1} of {lines}:", *shown] if shown else []
    data = line.encode()
    if len(data) < TEXT_LIMIT:
        go_on = f'go on with line_ranges ["{stop}-{last}"]'
        return "\n".join([*parts, f"Note: cut before line {stop} by {limit}; {go_on}."])
    if not shown:
        parts = [f"Line {stop} of {lines}, its beginning:"]
        parts.append(data[: TEXT_LIMIT // 2].decode(errors="ignore"))
    go_on = f'; go on with line_ranges ["{stop + 1}-{last}"]' if stop < last else ""
    return "\n".join([*parts, f"Note: line {stop} alone exceeds {limit}{go_on}."])
