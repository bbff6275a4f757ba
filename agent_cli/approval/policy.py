"""What may run at once, what needs a person, and what never runs.

In order, for each effect of a call; the strictest effect decides:

1. A deny rule, a kind that is denied: DENY. In plan mode: whatever could change something.
2. A protected name that would be written, a target outside the workspace: ASK. Nothing
   lifts this, but that `yolo` lets commands name what lies outside: they reach it anyway.
3. `yolo`: ALLOW. An ask rule: ASK. An allow rule or one granted in the session: ALLOW.
4. What the approval mode lets go where the settings would ask: ALLOW.
5. What is set for the effect's kind.

Ask rules stand above allow rules: who writes both means the exception.
"""

from msgspec import Struct

from agent_cli.approval import rules
from agent_cli.types.approval import ApprovalMode, Decision
from agent_cli.types.effects import Effect, Kind

ALLOW, ASK, DENY = Decision.ALLOW, Decision.ASK, Decision.DENY
PLAN = "plan mode"
"""The reason of what plan mode denies."""

_CHANGES = frozenset({Kind.WRITE, Kind.EXECUTE, Kind.NETWORK, Kind.MCP})
_EDITS = frozenset({ApprovalMode.ACCEPT_EDITS, ApprovalMode.AUTO})
_LOOKS = frozenset({ApprovalMode.PLAN, ApprovalMode.AUTO})
_ASKS_ITSELF = frozenset({Kind.ASK, Kind.ALWAYS})
_STRICTNESS = {ALLOW: 0, ASK: 1, DENY: 2}


class Policy(Struct, frozen=True):
    """What the settings and flags of one session say. Rules are in the grammar of `rules.py`."""

    read: Decision = ALLOW
    write: Decision = ASK
    execute: Decision = ASK
    network: Decision = ASK
    mcp: Decision = ASK
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    confined: bool = False
    """Commands run in a sandbox and reach no network."""
    yolo: bool = False
    """Nobody wants to be asked; lifts neither deny rules nor rule 2 above."""


class Judgement(Struct, frozen=True):
    decision: Decision
    reason: str
    """The rule or setting that decided, as its author wrote it."""
    part: str = ""
    """The part of a command that decided."""


def decide(
    policy: Policy,
    tool: str,
    effects: tuple[Effect, ...],
    granted: tuple[str, ...],
    mode: ApprovalMode = ApprovalMode.ASK,
) -> Judgement:
    """Judge a call by its effects; `granted` are the allow rules of this session."""
    refused = _refused(policy, tool)
    if refused is not None:
        return Judgement(DENY, refused)
    judgements = [_judge(policy, tool, effect, granted, mode) for effect in effects]
    nothing = Judgement(ALLOW, "no effects")
    return max(judgements, key=lambda one: _STRICTNESS[one.decision], default=nothing)


def rule_for(tool: str, effects: tuple[Effect, ...]) -> str | None:
    """Return the rule that lets this call run again unasked; None where no single rule can."""
    found = {rules.offered_rule(tool, effect) for effect in effects}
    return found.pop() if len(found) == 1 else None


def _judge(
    policy: Policy, tool: str, effect: Effect, granted: tuple[str, ...], mode: ApprovalMode
) -> Judgement:
    kind = effect.kind
    if kind in _ASKS_ITSELF:
        return Judgement(ALLOW, f"kind {kind}")
    set_for_kind = _for_kind(policy, kind)
    by_kind = Judgement(set_for_kind, f"{kind} = {set_for_kind}")
    denying = rules.naming(policy.deny, tool, effect)
    if denying is not None:
        return Judgement(DENY, f"deny {denying.rule}", denying.part)
    if set_for_kind is DENY:
        return by_kind
    if mode is ApprovalMode.PLAN and kind in _CHANGES and not _only_reads(effect):
        return Judgement(DENY, PLAN)
    if effect.outside and not (policy.yolo and tool == rules.COMMANDS):
        return Judgement(ASK, "outside the workspace")
    if effect.protected and kind is not Kind.READ:
        return Judgement(ASK, "protected name")
    return _by_rules(policy, tool, effect, granted, mode) or by_kind


def _refused(policy: Policy, tool: str) -> str | None:
    """Return the rule that forbids the tool whatever it would do, and even if that is nothing."""
    for text in policy.deny:
        if rules.parse(text) == rules.Rule(tool):
            return f"deny {text}"
    return None


def _by_rules(
    policy: Policy, tool: str, effect: Effect, granted: tuple[str, ...], mode: ApprovalMode
) -> Judgement | None:
    if policy.yolo:
        return Judgement(ALLOW, "yolo")
    asking = rules.naming(policy.ask, tool, effect)
    if asking is not None:
        return Judgement(ASK, f"ask {asking.rule}", asking.part)
    found = rules.allowing(policy.allow + granted, tool, effect)
    if found is not None and found.decision is ALLOW:
        return Judgement(ALLOW, f"allow {found.rule}" if found.rule else found.reason)
    if _for_kind(policy, effect.kind) is not ASK:
        return None
    why = _by_mode(policy, effect, mode)
    if why:
        return Judgement(ALLOW, f"mode {mode}: {why}")
    if found is not None:
        return Judgement(found.decision, found.reason, found.part)
    return None


def _by_mode(policy: Policy, effect: Effect, mode: ApprovalMode) -> str:
    """Say why the mode lets the effect go unasked; empty if it does not."""
    match effect.kind:
        case Kind.WRITE if mode in _EDITS:
            return "an edit in the workspace"
        case Kind.EXECUTE if mode is ApprovalMode.AUTO and policy.confined:
            return "in a sandbox"
        case Kind.EXECUTE if mode in _LOOKS and _only_reads(effect):
            return "it only reads"
        case _:
            return ""


def _only_reads(effect: Effect) -> bool:
    return effect.kind is Kind.EXECUTE and rules.only_reads(effect.target)


def _for_kind(policy: Policy, kind: Kind) -> Decision:
    by_kind = {
        Kind.READ: policy.read,
        Kind.WRITE: policy.write,
        Kind.EXECUTE: policy.execute,
        Kind.NETWORK: policy.network,
        Kind.MCP: policy.mcp,
    }
    return by_kind.get(kind, ASK)  # a mode can permit more than the one it replaces
