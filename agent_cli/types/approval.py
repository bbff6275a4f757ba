"""Decisions of the policy, verdicts of the user, and what is shown to get one."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from agent_cli.types.effects import Effect, Kind


class Decision(StrEnum):
    """What the policy says of a call."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class ApprovalMode(StrEnum):
    """How much goes without a question; deny rules and protected names stand above all of them."""

    ASK = "ask"
    """As the settings say for each kind of effect."""
    ACCEPT_EDITS = "accept-edits"
    """Files of the workspace are changed unasked."""
    PLAN = "plan"
    """Nothing is changed; what only reads goes unasked."""
    AUTO = "auto"
    """Edits, commands that only read or run in a sandbox without network: unasked."""

    @property
    def following(self) -> "ApprovalMode":
        """The next one when the modes are gone through, round and round."""
        modes = list(ApprovalMode)
        return modes[(modes.index(self) + 1) % len(modes)]


class DecidedBy(StrEnum):
    """Who let a call run, or did not."""

    POLICY = "policy"
    HOOK = "hook"
    USER = "user"
    NOBODY = "nobody"


class Remember(StrEnum):
    """How long an approval holds."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"
    """In every session: the rule is written to a file of the user's."""


class Verdict(Struct, frozen=True, omit_defaults=True):
    """What the user said of one call."""

    approved: bool
    feedback: str = ""
    remember: Remember = Remember.ONCE
    answered: bool = True
    """False when nobody could be asked; the call is then denied, not rejected."""


class Diff(Struct, frozen=True, tag="diff"):
    """A change of one file, shown before it is made."""

    path: str
    unified: str
    """Unified diff, three lines of context, LF line ends."""
    after: bytes = b""
    """What the file will hold: what a later call of the message finds there."""


class CommandLine(Struct, frozen=True, tag="command"):
    command: str
    cwd: str
    sandbox: str = ""
    """What it is confined by; empty for nothing."""
    files: tuple[tuple[str, str], ...] = ()
    """Files of the workspace that it names, each with a hash of its content: an approval does
    not hold for a script that was changed meanwhile."""


class Words(Struct, frozen=True, tag="words"):
    text: str


Preview: TypeAlias = Diff | CommandLine | Words


class Request(Struct, frozen=True):
    """One call about which the user is asked."""

    call_id: str
    tool: str
    effects: tuple[Effect, ...]
    preview: Preview
    reason: str = ""
    """Why the policy asks, as its rule or gate names it."""
    part: str = ""
    """The part of a command because of which it asks."""
    rule: str = ""
    """The rule that would let this call run unasked, and others like it; empty where none can."""
    unasked: tuple[Kind, ...] = ()
    """Of the first request: what the message's later calls do that need no question."""
    following: tuple[str, ...] = ()
    """Names of the calls that come after it in the same message, in order."""
