"""A call in words: what it works on, and what came of it. Everything returned is safe to show."""

from typing import cast

import msgspec

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.frontends.terminal.diff_lines import in_short
from agent_cli.i18n.catalog import say, say_many
from agent_cli.types.entries import CallFinished
from agent_cli.types.messages import ToolCall, ToolResult

_MOST = 160
_SECONDS = 1.0
"""After which it is said how long something took."""
_MINUTE = 60
_TARGETS = {
    "access_mcp_resource": ("server_name", "uri"),
    "browser_action": ("action", "url"),
    "codebase_search": ("query", "path"),
    "fetch_instructions": ("task",),
    "run_slash_command": ("command", "args"),
    "search_files": ("regex", "path"),
    "switch_mode": ("mode_slug",),
    "use_mcp_tool": ("server_name", "tool_name", "arguments"),
    "web_fetch": ("url",),
}
_ANY_TARGET = ("path", "command", "files")
_HEADED = "\nOutput:\n"
"""Ends what is said of a command before what it wrote."""


def target(call: ToolCall) -> str:
    """Return what the call works on, in one line."""
    try:
        arguments = msgspec.json.decode(call.arguments, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeEncodeError):  # it is refused: what was written says why
        return _short(" ".join(call.arguments.split()))
    names = _TARGETS.get(call.name) or [name for name in _ANY_TARGET if name in arguments][:1]
    if not names:
        return _short(" ".join(call.arguments.split())) if arguments else ""
    return _short(" ".join(filter(None, (_told(arguments.get(name)) for name in names))))


def ended(finished: CallFinished, changed: tuple[int, int] | None = None) -> str:
    """Return what came of a call that was ok; `changed` are lines added and removed."""
    result = finished.result
    parts: list[str] = []
    if changed is not None:
        parts.append(in_short(*changed))
    if result.exit_code is not None:
        parts.append(say("exit code {code}", code=result.exit_code))
    if changed is None:
        count = len(output(result).splitlines())
        parts.append(say_many("{count:,} line", "{count:,} lines", count))
    if result.images:
        parts.append(say_many("{count} image", "{count} images", len(result.images)))
    if finished.seconds >= _SECONDS:
        parts.append(duration(finished.seconds))
    return ", ".join(parts)


def output(result: ToolResult) -> str:
    """Return what the tool gave, without what is said of the way it came about."""
    if result.exit_code is None:
        return result.content
    _, found, written = result.content.partition(_HEADED)
    return written if found else result.content


def duration(seconds: float) -> str:
    """Return how long that is."""
    if seconds < _MINUTE:
        return say("{seconds:.1f} s", seconds=seconds)
    return elapsed(seconds)


def elapsed(seconds: float) -> str:
    """Return how long that is, in whole seconds."""
    minutes, rest = divmod(int(seconds), _MINUTE)
    if not minutes:
        return say("{seconds} s", seconds=rest)
    hours, minutes = divmod(minutes, _MINUTE)
    if not hours:
        return say("{minutes} min {seconds:02} s", minutes=minutes, seconds=rest)
    return say("{hours} h {minutes:02} min", hours=hours, minutes=minutes)


def _told(value: object) -> str:
    """Return a value as it is said: files by their paths, other structures as JSON."""
    match value:
        case None:
            return ""
        case str(text):
            return " ".join(text.split())
        case list():
            return ", ".join([_file(one) for one in cast("list[object]", value)])
        case _:
            return msgspec.json.encode(value).decode()


def _file(value: object) -> str:
    match value:
        case {"path": str(path)}:
            return path
        case _:
            return _told(value)


def _short(text: str) -> str:
    shown = in_one_line(text)
    return shown if len(shown) <= _MOST else f"{shown[:_MOST]}…"
