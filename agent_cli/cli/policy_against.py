"""`agent policy test --against`: the calls of past sessions, judged again."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from agent_cli.approval import rules
from agent_cli.approval.policy import Policy, decide
from agent_cli.frontends.sanitiser import visible
from agent_cli.i18n.catalog import say
from agent_cli.runtime.policy import policy
from agent_cli.sessions.catalog import find, session_files
from agent_cli.sessions.journal import read
from agent_cli.settings.load import load
from agent_cli.settings.places import data_directory
from agent_cli.tools.registry import built_in
from agent_cli.types.approval import DecidedBy, Decision
from agent_cli.types.effects import Kind
from agent_cli.types.entries import AssistantSaid, CallDecided, Entry, RuleGranted
from agent_cli.types.errors import JournalError


class Decided(Struct, frozen=True):
    """One call of a session, and what the policy of its day said."""

    tool: str
    decided: CallDecided
    granted: tuple[str, ...]
    """The rules that the session's user had granted by then."""

    @property
    def was(self) -> Decision:
        return self.decided.decision if self.decided.by is DecidedBy.POLICY else Decision.ASK

    @property
    def target(self) -> str:
        return ", ".join(effect.target for effect in self.decided.effects)


def report(
    environ: Mapping[str, str],
    against: str,
    allow: tuple[str, ...],
    ask: tuple[str, ...],
    deny: tuple[str, ...],
) -> Iterator[str]:
    """Yield a line for each call that would be decided otherwise, then the count.

    Raises ConfigurationError for a rule that is none, JournalError for a session that is none.
    """
    for rule in (*allow, *ask, *deny):
        rules.parse(rule)
    new = policy(load(environ).approval, allow=allow, ask=ask, deny=deny)
    calls = changed = 0
    for path in _files(environ, against):
        for call in _calls(path, alone=path == Path(against)):
            calls += 1
            would = _would(new, call)
            if would is not call.was:
                changed += 1
                yield f"{call.was} → {would}  {visible(call.tool)}  {_in_line(call.target)}"
    yield say("{changed} of {calls} calls would be decided otherwise", changed=changed, calls=calls)


def _files(environ: Mapping[str, str], against: str) -> list[Path]:
    path = Path(against)
    if path.is_dir():
        return session_files(path)
    return [path if path.is_file() else find(data_directory(environ) / "sessions", against)]


def _calls(path: Path, *, alone: bool) -> Iterator[Decided]:
    try:
        decided = read(path, lambda told: list(_decided(told))).value
    except JournalError as error:
        if alone:
            raise
        sys.stderr.write(f"{visible(str(error))}\n")  # one of a folder: go on
        return
    yield from decided


def _decided(told: Iterable[Entry]) -> Iterator[Decided]:
    names: dict[str, str] = {}
    granted: tuple[str, ...] = ()
    for entry in told:
        match entry:
            case AssistantSaid(message):
                names |= {call.id: call.name for call in message.calls}
            case RuleGranted(rule):
                granted = (*granted, rule)
            case CallDecided() if not _is_free(names[entry.call_id]):
                yield Decided(names[entry.call_id], entry, granted)
            case _:
                pass


def _is_free(tool: str) -> bool:
    """Whether calls of the tool are never judged."""
    known = built_in().get(tool)
    return known is not None and known.kind is Kind.ALWAYS


def _would(new: Policy, call: Decided) -> Decision:
    return decide(new, call.tool, call.decided.effects, call.granted).decision


def _in_line(text: str) -> str:
    return visible(" ".join(text.split()))
