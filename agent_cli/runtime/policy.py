"""The policy of a session: what the settings say, and the rules that one run adds to it."""

from agent_cli.approval.policy import Policy
from agent_cli.settings.schema import ApprovalSettings


def policy(
    approval: ApprovalSettings,
    *,
    allow: tuple[str, ...] = (),
    ask: tuple[str, ...] = (),
    deny: tuple[str, ...] = (),
    yolo: bool = False,
) -> Policy:
    """Return the policy; rules are in the grammar of `approval/rules.py`."""
    return Policy(
        read=approval.read,
        write=approval.write,
        execute=approval.execute,
        network=approval.network,
        mcp=approval.mcp,
        allow=(*approval.rules.allow, *allow),
        ask=(*approval.rules.ask, *ask),
        deny=(*approval.rules.deny, *deny),
        yolo=yolo,
    )
