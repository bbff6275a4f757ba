"""The policy of a session: what the settings say, and the rules that one run adds to it."""

from collections.abc import Iterable

from agent_cli.approval.policy import Policy
from agent_cli.approval.rules import parse
from agent_cli.settings.schema import ApprovalSettings

_MCP = "mcp__"
"""Begins the names of the tools that servers bring."""


def policy(
    approval: ApprovalSettings,
    *,
    allow: tuple[str, ...] = (),
    ask: tuple[str, ...] = (),
    deny: tuple[str, ...] = (),
    yolo: bool = False,
    confined: bool = False,
) -> Policy:
    """Return the policy; rules are in the grammar of `approval/rules.py`.

    Raises ConfigurationError for one that cannot be read, and not in the middle of a session.
    """
    made = Policy(
        read=approval.read,
        write=approval.write,
        execute=approval.execute,
        network=approval.network,
        mcp=approval.mcp,
        allow=(*approval.rules.allow, *allow),
        ask=(*approval.rules.ask, *ask),
        deny=(*approval.rules.deny, *deny),
        confined=confined,
        yolo=yolo,
    )
    for rule in _rules(made):
        parse(rule)
    return made


def without_tool(policy: Policy, tools: Iterable[str]) -> list[str]:
    """Return the rules that name no tool there is, as a mistyped one does."""
    known = set(tools)
    names = ((rule, parse(rule).tool) for rule in _rules(policy))
    return [rule for rule, name in names if name not in known and not name.startswith(_MCP)]


def _rules(policy: Policy) -> tuple[str, ...]:
    return (*policy.allow, *policy.ask, *policy.deny)
