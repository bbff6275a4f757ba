"""The grammar of rules: `tool_name` or `tool_name(pattern)`.

For what executes commands the pattern is a list of words, see `_words.py`; for everything
else it is a glob on the target, see `_glob.py`. A command rule written for `execute_command`
holds for every tool that executes a command.
"""

import functools
import re

from msgspec import Struct

from agent_cli.approval import _glob, _words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ConfigurationError

COMMANDS = "execute_command"

_RULE = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


class Rule(Struct, frozen=True):
    tool: str
    pattern: str | None = None
    """None matches every target; the empty pattern matches none."""


@functools.lru_cache(maxsize=1024)
def parse(text: str) -> Rule:
    """Read a rule; raises ConfigurationError."""
    found = _RULE.fullmatch(text)
    if found is None:
        raise ConfigurationError(
            f"cannot read the rule {text!r}: write 'tool_name' or 'tool_name(pattern)'"
        )
    return Rule(found[1], found[2])


def allows(rule: Rule, tool: str, effect: Effect) -> bool:
    """Whether the rule lets the tool have the effect."""
    if not _concerns(rule, tool, effect):
        return False
    if effect.kind is Kind.EXECUTE:
        words = _words.plain(effect.target)
        return words is not None and _words.allows(_command(rule), words)
    return rule.pattern is None or _glob.matches(rule.pattern, effect.target)


def names(rule: Rule, tool: str, effect: Effect) -> bool:
    """Whether the rule forbids the effect, or asks for it: seen broadly, in doubt yes."""
    if not _concerns(rule, tool, effect):
        return False
    if rule.pattern is None:
        return True
    if effect.kind is Kind.EXECUTE:
        return _words.denies(_command(rule), effect.target)
    return _glob.matches(rule.pattern, effect.target, ignore_case=True)


def session_rule(tool: str, effect: Effect) -> str | None:
    """Return the rule that allows the effect from now on; None where no rule can.

    A command is allowed with whatever follows it; a file may be changed with all others in
    the workspace, for who agrees to one edit at a time soon stops reading; a host, a server's
    tool and the like only by its name.
    """
    if effect.outside or effect.protected:
        return None
    match effect.kind:
        case Kind.EXECUTE:
            text = f"{COMMANDS}({' '.join(_words.plain(effect.target) or ())})"
        case Kind.READ | Kind.WRITE | Kind.MODE:
            text = tool
        case _:
            text = f"{tool}({_glob.literal(effect.target)})"
    return text if allows(parse(text), tool, effect) else None


def _concerns(rule: Rule, tool: str, effect: Effect) -> bool:
    return rule.tool == tool or (rule.tool == COMMANDS and effect.kind is Kind.EXECUTE)


def _command(rule: Rule) -> tuple[str, ...]:
    return ("*",) if rule.pattern is None else tuple(rule.pattern.split())
