"""The search engine for where there is no ripgrep: a program of its own.

A regular expression can take for ever, and Python cannot be interrupted while it matches; a
process can. It gets the expression and the files on standard input, parted by NUL, and
reports in ripgrep's own words.
"""

import base64
import os
import re
import sys

import msgspec

from agent_cli.tools._search_hits import Chunk, Event, Report
from agent_cli.types.errors import ToolError
from agent_cli.workspace import files
from agent_cli.workspace.editor import decode, printable, split_lines


def main() -> int:
    """Search; return the exit code that ripgrep would: 0 found, 1 nothing, 2 not possible."""
    expression, *paths = sys.stdin.buffer.read().split(b"\0")
    try:
        pattern = re.compile(expression.decode())
    except re.error as error:
        sys.stdout.write(f"regex parse error: {error}\n")
        return 2
    found = False
    for name in paths:
        found = _search(pattern, os.fsdecode(name)) or found
    return 0 if found else 1


def _search(pattern: re.Pattern[str], path: str) -> bool:
    try:
        data, _ = files.read(os.path.abspath(path))  # noqa: PTH100 - the gate says what links mean, not we
    except (OSError, ToolError):  # it vanished, is closed to us or far too large
        return False
    text = decode(data)
    if text.is_binary:
        return False
    lines = split_lines(text.body)
    matching = [at for at, line in enumerate(lines) if pattern.search(printable(line.text))]
    if not matching:
        return False
    name = Chunk(bytes=base64.b64encode(os.fsencode(path)).decode())
    _report("begin", Report(path=name))
    around = {near for number in matching for near in (number - 1, number, number + 1)}
    offset = 0
    for number, line in enumerate(lines):
        raw = (line.text + line.end).encode("utf-8", "surrogateescape")
        if number in around:
            chunk = Chunk(bytes=base64.b64encode(raw).decode())
            _report("match", Report(lines=chunk, line_number=number + 1, absolute_offset=offset))
        offset += len(raw)
    _report("end", Report(path=name))
    return True


def _report(kind: str, data: Report) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(Event(kind, data)) + b"\n")
    sys.stdout.buffer.flush()
