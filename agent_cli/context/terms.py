"""What the system prompt says of failures and completions under the user's settings.

It says only what holds: under other settings than the usual ones, other sentences.
"""

from msgspec import Struct

from agent_cli.context._texts import fill, table
from agent_cli.types.turn_rules import EXIT_NONZERO, OnFailure, Scope, TurnRules

TODOS = "update_todo_list"
_USUAL = frozenset(TurnRules().block_on)


class Terms(Struct, frozen=True):
    """What the user has set."""

    rules: TurnRules = TurnRules()
    open_todos_block: bool = False
    checks: tuple[str, ...] = ()
    """Commands that have to pass before a task counts as completed."""


def in_messages(terms: Terms, *, several: bool) -> dict[str, str]:
    """Return what fills in the section on tool use; every item brings its own line end."""
    rules = terms.rules
    stop = _stop(rules, several=several)
    if not several:
        return {"stop": stop}
    if not rules.block_on:
        return {"guard": "", "stop": stop}
    afresh = _text("afresh") if rules.scope is Scope.TURN else ""
    return {"guard": _text("guard", ways=_ways(rules), afresh=afresh), "stop": stop}


def about_completion(terms: Terms, tools: frozenset[str]) -> str:
    """Return the paragraphs that follow the section on completing; often none."""
    parts: list[str] = []
    if terms.rules.scope is Scope.RESOLVED and terms.rules.block_on:
        parts.append(_text("resolved", ways=_ways(terms.rules)))
    if terms.open_todos_block and TODOS in tools:
        parts.append(_text("open_todos"))
    if terms.checks:
        lines = (f"- `{' '.join(check.split())}`" for check in terms.checks)
        parts.append(_text("checks", items="\n".join(lines)))
    return "".join(f"\n\n{part}" for part in parts)


def _stop(rules: TurnRules, *, several: bool) -> str:
    whats = [_text("failure")] if "failed" in rules.block_on else []
    whats += [_text("status")] if EXIT_NONZERO in rules.block_on else []
    if not whats:
        return ""
    what = _text("either").join(whats)
    match rules.on_failure:
        case OnFailure.STOP if several:
            return _text("stop", what=what)
        case OnFailure.ROLLBACK:
            return _text("rollback" if several else "rollback_single", what=what)
        case _:
            return ""


def _ways(rules: TurnRules) -> str:
    """Return what became of a call that stands in the way of a completion."""
    chosen = set(rules.block_on)
    if not chosen.issuperset(_USUAL):
        return _text("some", names=", ".join(f"`{name}`" for name in rules.block_on))
    return _text("all" if EXIT_NONZERO not in chosen else "all_and_status")


def _text(name: str, **values: str) -> str:
    return fill(table("system/phrases.toml")["terms"][name], **values)
