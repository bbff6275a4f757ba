"""What becomes of the calls of one reply: the plan, a pure function of their names.

A call is *managed* if its name is one of those that the proxy offered with this very request, and
*native* otherwise: then it is the client's. The order of the model is never changed. A leading run
of managed calls is executed and the native calls after it go to the client. A native call before
a managed one would have to be executed by the client in the middle of the reply: nothing of such
a reply is executed, not even what leads.
"""

from collections.abc import Container, Sequence
from enum import StrEnum

from msgspec import Struct


class Kind(StrEnum):
    """What a reply is, by the owners of its calls."""

    NONE = "none"
    NATIVE = "native_only"
    MANAGED = "managed_only"
    PREFIX = "managed_prefix"
    UNSAFE = "unsafe"
    TERMINAL_ORDER = "terminal_order"
    """A call that ends the turn, with others after it."""
    CUT = "truncated"
    """The reply was cut off with managed calls in it."""
    DESPITE_NONE = "despite_none"
    """Managed calls where the client had forbidden any."""


class Then(StrEnum):
    FINISH = "finish"
    """The client gets what the plan releases."""
    ASK = "ask"
    """The model is asked again, with results for all calls that it will be shown."""
    REFUSE = "refuse"
    """The client gets an error that says how to order the calls."""


class Mixed(StrEnum):
    """What becomes of native calls after managed ones."""

    FORWARD = "forward"
    RESAMPLE = "resample"


class Unsafe(StrEnum):
    """What becomes of a native call before a managed one."""

    ERROR = "error"
    RETRY_THEN_ERROR = "retry_then_error"
    RETRY_INTERNAL = "retry_internal"


class Rules(Struct, frozen=True):
    mixed: Mixed = Mixed.FORWARD
    unsafe: Unsafe = Unsafe.ERROR
    retries: int = 1
    """How often a reply is sent back to the model before it is refused, if that is the rule."""


class Reply(Struct, frozen=True):
    """What has to be known of a reply besides the names of its calls."""

    cut: bool = False
    """It was cut off, so that its last call may not be whole."""
    calls_forbidden: bool = False
    """The client had said that no tool is to be called."""
    retried: int = 0
    """How often the model has been sent back already, in this request."""


class Plan(Struct, frozen=True):
    """Places of calls, counted from 0, always in the model's order."""

    kind: Kind
    then: Then
    execute: tuple[int, ...] = ()
    release: tuple[int, ...] = ()
    reject: tuple[int, ...] = ()
    """Answered with an error that tells the model how to order them."""
    drop: tuple[int, ...] = ()
    """Neither answered nor released: the model never sees again that it made them."""


def plan(
    names: Sequence[str],
    managed: Container[str],
    rules: Rules = Rules(),  # noqa: B008 - a frozen value
    reply: Reply = Reply(),  # noqa: B008 - a frozen value
    terminal: Container[str] = (),
) -> Plan:
    """Return what becomes of calls with these names.

    `managed` are the names that the proxy executes; `terminal` those of them that end the turn.
    """
    everything = tuple(range(len(names)))
    ours = tuple(place for place in everything if names[place] in managed)
    if not ours:
        return Plan(Kind.NATIVE if names else Kind.NONE, Then.FINISH, release=everything)
    if reply.cut:
        # Calls before the first managed one are whole, and nothing of ours comes before them.
        first = ours[0]
        return Plan(Kind.CUT, Then.FINISH, release=everything[:first], drop=everything[first:])
    if reply.calls_forbidden:
        theirs = tuple(place for place in everything if place not in ours)
        return Plan(Kind.DESPITE_NONE, Then.FINISH, release=theirs, drop=ours)
    leading = ours == everything[: len(ours)]
    if any(names[place] in terminal for place in ours if place != everything[-1]):
        return _sent_back(Kind.TERMINAL_ORDER, everything, rules, reply)
    if not leading:
        return _sent_back(Kind.UNSAFE, everything, rules, reply)
    rest = everything[len(ours) :]
    if not rest:
        return Plan(Kind.MANAGED, Then.ASK, execute=ours)
    if rules.mixed is Mixed.RESAMPLE:
        return Plan(Kind.PREFIX, Then.ASK, execute=ours, drop=rest)
    return Plan(Kind.PREFIX, Then.FINISH, execute=ours, release=rest)


def _sent_back(kind: Kind, everything: tuple[int, ...], rules: Rules, reply: Reply) -> Plan:
    match rules.unsafe:
        case Unsafe.ERROR:
            again = False
        case Unsafe.RETRY_THEN_ERROR:
            again = reply.retried < rules.retries
        case Unsafe.RETRY_INTERNAL:
            again = True
    return Plan(kind, Then.ASK if again else Then.REFUSE, reject=everything)
