"""Which managed tools a request gets, and under which names; the client's own stay as they are."""

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from agent_cli.proxy.dialects.base import Choice, Fields, Offer, value_of
from agent_cli.proxy.dialects.dialect import Dialect
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.managed import Managed
from agent_cli.proxy.names import presented
from agent_cli.proxy.options import Mediation

_MEDIATION = "x-agent-proxy-mediation"


class Injection(Struct, frozen=True):
    """A request with managed tools."""

    fields: Fields
    owned: Mapping[str, Managed]
    """By presented name."""
    client_names: frozenset[str]
    choice: Choice
    dropped: tuple[str, ...] = ()
    """Tools for which there was no name left."""

    @property
    def terminal(self) -> frozenset[str]:
        return frozenset(name for name, tool in self.owned.items() if tool.ends_turn)


def injected(
    dialect: Dialect,
    fields: Fields,
    headers: Mapping[str, str],
    tools: Mapping[str, Managed],
    mediation: Mediation,
) -> Injection | None:
    """Return the request with the tools; None if it is to be passed on as it is.

    Raises ProxyError for a request that cannot be mediated.
    """
    theirs = dialect.client_names(fields)
    choice, name = dialect.choice(fields)
    if not tools or not _wanted(fields, headers, theirs, mediation):
        return None
    if choice is Choice.ALLOWED and not mediation.extend_allowed_tools:
        return None
    if choice is Choice.NONE and not mediation.inject_on_none:
        return None
    choices = value_of(fields, "n")
    if isinstance(choices, int) and choices > 1:
        if mediation.n_policy == "bypass":
            return None
        raise ProxyError(
            400,
            "n_unsupported",
            f"n = {choices} cannot be mediated: ask for one choice, or send the header "
            f"{_MEDIATION}: off",
        )
    names = presented(tools, theirs)
    owned = {shown: tools[own] for shown, own in names.names.items()}
    offers = [Offer(shown, tool.description, tool.schema) for shown, tool in owned.items()]
    made = dialect.offering(fields, offers)
    own = {tool: shown for shown, tool in names.names.items()}
    if choice is Choice.NAMED and name in own and name not in theirs:
        made = dialect.with_choice(made, Choice.NAMED, own[name])
    if choice is Choice.ALLOWED:
        made = dialect.allowing(made, list(owned))
    return Injection(made, owned, frozenset(theirs), choice, names.dropped)


def _wanted(
    fields: Fields, headers: Mapping[str, str], theirs: set[str], mediation: Mediation
) -> bool:
    asked = headers.get(_MEDIATION, "")
    if asked == "off" or value_of(fields, "background") is True:
        return False
    match mediation.inject_when:
        case "always":
            return True
        case "header":
            return asked == "on"
        case "client_has_tools":
            return bool(theirs) or asked == "on"


def relaxed(dialect: Dialect, fields: Fields, injection: Injection) -> Fields:
    """Return the request after managed calls were executed: nothing forces them any more."""
    choice, name = dialect.choice(fields)
    if choice is Choice.ANY or (choice is Choice.NAMED and name in injection.owned):
        return dialect.with_choice(fields, Choice.AUTO)
    return dialect.allowing(fields, ()) if choice is Choice.ALLOWED else fields


def signature(name: str, arguments: object) -> str:
    """Return what two calls have in common that ask for the same."""
    return f"{name} {msgspec.json.encode(arguments, order='deterministic').decode()}"
