"""Runs the hooks of one session.

A hook is a shell command from the settings. It gets one JSON object on its standard input (see
`runtime/hooked.py`) and runs in the workspace root. How it ends decides:

- exit status 0: go on. If a line of what it printed begins an object like {"decision": "ask",
  "reason": "..."}, a person is asked first; any other word in its place but "allow" and "approve"
  forbids, and so does a decision that cannot be read. The form {"hookSpecificOutput":
  {"permissionDecision": ...}} means the same, and {"continue": false} forbids.
- exit status 2: forbidden; what it printed is the reason.
- any other end, running out of time included: forbidden. A guard that is broken is no open door.

Nothing that a hook does allows what would have been asked about or refused without it.

A folder's own hooks are trusted by content. Once that has changed, by a call of this session
perhaps, no hook runs any more: a person is asked in its place.
"""

import json
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
from msgspec import Struct, field

from agent_cli.processes.run import Finished, Processes
from agent_cli.settings.schema import Hook, HookEvent
from agent_cli.trust.manifest import Manifest, manifest
from agent_cli.types.approval import Decision

_GO_ON = frozenset({"", "allow", "approve"})
_CHANGED = (
    "what this folder was trusted with has changed, so its hooks did not run: start again, "
    "or use `agent trust`, to look at what has changed"
)
_DECIDES = re.compile(r'"(decision|permissionDecision|continue)"')
_READ = json.JSONDecoder()
_LONGEST_REASON = 4_000
"""Characters of what a hook printed that anybody gets to read."""


class Objection(Struct, frozen=True):
    """What a hook has against going on."""

    decision: Decision
    """ASK or DENY."""
    reason: str


class _Specific(Struct, frozen=True):
    decision: str = field(default="", name="permissionDecision")
    reason: str = field(default="", name="permissionDecisionReason")


class _Said(Struct, frozen=True):
    """A decision, also in the other form that the field knows."""

    decision: str = ""
    reason: str = ""
    go_on: bool = field(default=True, name="continue")
    specific: _Specific = field(default=_Specific(), name="hookSpecificOutput")

    @property
    def word(self) -> str:
        return (self.decision or self.specific.decision) if self.go_on else "stop"


_BEGINS = re.compile(r"^[ \t]*(?=\{)", re.MULTILINE)


class Hooks:
    """The hooks of the settings; without any, nothing is ever started."""

    def __init__(
        self,
        hooks: Mapping[HookEvent, tuple[Hook, ...]],
        processes: Processes,
        root: Path,
        trusted: Manifest | None = None,
    ) -> None:
        self._hooks = hooks
        self._processes = processes.forgetting()
        self._root = root
        self._trusted = trusted

    def listens(self, event: HookEvent) -> bool:
        return bool(self._hooks.get(event))

    async def run(
        self, event: HookEvent, facts: Mapping[str, object], subject: str = ""
    ) -> Objection | None:
        """Run the event's hooks in order, up to the first that forbids; `subject` is the tool."""
        if not self.listens(event):
            return None
        if self._trusted is not None and manifest(self._root) != self._trusted:
            return Objection(Decision.ASK, _CHANGED)
        told = msgspec.to_builtins({"hook_event_name": event, **facts})
        stdin = json.dumps(told).encode()  # unlike msgspec's, for names that are not text, too
        asked = None
        for hook in self._hooks[event]:
            if not _matches(hook.matcher, subject):
                continue
            objection = await self._run(hook, stdin)
            if objection is not None and objection.decision is Decision.DENY:
                return objection
            asked = asked or objection
        return asked

    async def _run(self, hook: Hook, stdin: bytes) -> Objection | None:
        try:
            finished = await self._processes.run(
                hook.command, cwd=self._root, timeout=hook.timeout, stdin=stdin
            )
        except (OSError, ValueError) as error:
            return Objection(Decision.DENY, f"the hook {hook.command!r} cannot run: {error}")
        return _objection(hook, finished)


def _matches(matcher: str, subject: str) -> bool:
    """Whether one of the patterns, parted by `|`, fits; no pattern fits everything."""
    return not matcher or any(fnmatchcase(subject, one) for one in matcher.split("|"))


def _objection(hook: Hook, finished: Finished) -> Objection | None:
    printed = finished.output.strip()
    shown = printed[:_LONGEST_REASON]
    if finished.exit_code == 0:
        return _said(hook, printed)
    if finished.exit_code == 2:  # noqa: PLR2004 - the field's convention
        return Objection(Decision.DENY, shown or f"forbidden by the hook {hook.command!r}")
    how = "ran out of time" if finished.timed_out else "failed"
    return Objection(Decision.DENY, f"the hook {hook.command!r} {how}: {shown}".rstrip(": "))


def _said(hook: Hook, printed: str) -> Objection | None:
    """Read decisions, of which the first that objects counts; all else that is printed is talk."""
    if not printed.startswith("{") and not _DECIDES.search(printed):
        return None
    try:
        said = msgspec.convert(list(_objects(printed)), type=list[_Said])
    except (msgspec.ValidationError, ValueError, RecursionError):
        said = []
    if not said:
        why = f"the hook {hook.command!r} printed a decision that cannot be read: {printed}"
        return Objection(Decision.DENY, why[:_LONGEST_REASON])
    one = next((one for one in said if one.word not in _GO_ON), None)
    if one is None:
        return None
    decision = Decision.ASK if one.word == Decision.ASK else Decision.DENY
    reason = one.reason or one.specific.reason or f"a hook said {one.word!r}"
    return Objection(decision, reason[:_LONGEST_REASON])


def _objects(printed: str) -> Iterator[object]:
    """Yield the objects that begin a line, but for those inside of another. Raises ValueError."""
    end = 0
    for begin in _BEGINS.finditer(printed):
        if begin.end() >= end:
            found, end = _READ.raw_decode(printed, begin.end())
            yield found
