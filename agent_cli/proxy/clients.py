"""What is known of particular clients: which they are, and how they want to be treated."""

from collections.abc import Mapping

from msgspec import Struct

from agent_cli.proxy.dialects.usage import Report
from agent_cli.types.errors import ConfigurationError

CODING: Mapping[str, tuple[str, ...]] = {
    "claude-code": ("claude-cli", "claude-code"),
    "codex": ("codex",),
    "opencode": ("opencode",),
    "agent": ("agent-cli",),
}
"""How the `user-agent` begins of those that read from the usage how full the window is."""


class Client(Struct, frozen=True, forbid_unknown_fields=True):
    """How a kind of client is treated."""

    agents: tuple[str, ...] = ()
    """How its `user-agent` begins; for those that are known it need not be said."""
    mediate: bool = True
    """Without it the client gets no managed tools, and its traffic passes as it is."""
    usage: Report | None = None


def name_of(clients: Mapping[str, Client], named: str, headers: Mapping[str, str]) -> str:
    """Return which client it is: as its token says, or its `user-agent`; empty if none knows."""
    if named:
        return named
    agent = headers.get("user-agent", "").lower()
    own = {name: tuple(map(str.lower, client.agents)) for name, client in clients.items()}
    for name, agents in {**own, **CODING}.items():
        if agent.startswith(own.get(name) or agents):
            return name
    return ""


def check_clients(clients: Mapping[str, Client], named: Mapping[str, str]) -> None:
    """Raise ConfigurationError for a client that cannot be told; `named` are those of tokens."""
    for token, name in named.items():
        if name and name not in clients and name not in CODING:
            known = ", ".join(sorted({*clients, *CODING}))
            raise ConfigurationError(
                f"tokens.{token}.client = {name!r} is no client: one of {known}"
            )
    for name, client in clients.items():
        if not client.agents and name not in CODING and name not in named.values():
            raise ConfigurationError(
                f"clients.{name}: say by which user-agents it is known, as agents = ['{name}']"
            )


def usage_report(
    clients: Mapping[str, Client], name: str, of_token: Report | None, general: Report | None
) -> Report:
    """Return how hidden rounds are counted for this client."""
    known = clients.get(name)
    for report in (of_token, known.usage if known else None, general):
        if report is not None:
            return report
    return Report.CONTEXT if name in CODING else Report.SUM
