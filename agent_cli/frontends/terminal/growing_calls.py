"""A call while the model still writes it: one line that says what, to where and how much.

Nothing is done for a call that is not complete, and nothing is said of a target that may still
grow: it is shown when the text of its value has ended.
"""

import re

import msgspec

from agent_cli.frontends.sanitiser import in_one_line
from agent_cli.i18n.catalog import say_many
from agent_cli.types.events import ToolCallBegin, ToolCallDelta

_STEP = 100
"""Characters after which the line is drawn again; with a long call, a twentieth of it."""
_PART = 20
_HEAD = 2000
"""Characters at the beginning of a call in which its target is looked for."""
_TARGET = re.compile(
    r'[{,]\s*"(?:path|command|regex|query|url|uri|question|mode|mode_slug|task|action|tool_name)"'
    r'\s*:\s*("(?:[^"\\]|\\.)*")\s*[,}]'
)
"""The first value that says on what the tool works, with what ends it."""


class GrowingCalls:
    """Follows the calls of one message."""

    def __init__(self) -> None:
        self._calls: dict[int, _Call] = {}

    def line(self, event: ToolCallBegin | ToolCallDelta) -> str:
        """Return the line to draw now; empty when the one before still does."""
        if isinstance(event, ToolCallBegin):
            call = self._calls[event.index] = _Call(event.name)
            return call.line()
        growing = self._calls.get(event.index)
        return growing.line() if growing and growing.feed(event.arguments) else ""


class _Call:
    def __init__(self, name: str) -> None:
        self._tool = in_one_line(name)
        self._head = ""
        self._target = ""
        self._size = 0
        self._drawn = 0

    def feed(self, text: str) -> bool:
        """Take the next piece; return whether there is something new to show."""
        self._size += len(text)
        grown = self._size >= self._drawn + max(_STEP, self._drawn // _PART)
        return self._finds_target(text) or grown

    def line(self) -> str:
        self._drawn = self._size
        said = say_many(
            "writing {tool}: {count:,} character",
            "writing {tool}: {count:,} characters",
            count=self._size,
            tool=self._tool,
        )
        return f"{said}  {self._target}" if self._target else said

    def _finds_target(self, text: str) -> bool:
        if self._target or len(self._head) >= _HEAD:
            return False
        self._head += text[:_HEAD]
        self._target = _target(self._head)
        return bool(self._target)


def _target(head: str) -> str:
    found = _TARGET.search(head)
    if found is None:
        return ""
    try:
        return in_one_line(msgspec.json.decode(found[1], type=str))
    except msgspec.DecodeError:  # no string that JSON allows: the call will be refused
        return ""
