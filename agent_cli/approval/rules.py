"""The grammar of rules: `tool_name` or `tool_name(pattern)`.

For what executes commands the pattern is a list of words, judged in `shell.py`; for everything
else it is a glob on the target, see `_glob.py`. A command rule written for `execute_command`
holds for every tool that executes a command. What a server's tool does has the target
`server/tool`; `mcp__server` means all tools of a server and `mcp__server__tool` one, by whatever
way it is called, and a rule for `use_mcp_tool` holds for all servers' tools.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from agent_cli.approval import _glob, server_tools
from agent_cli.i18n.catalog import say
from agent_cli.types.approval import Decision
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ConfigurationError

if TYPE_CHECKING:
    from agent_cli.approval.shell import Judged

COMMANDS = "execute_command"
SERVERS = "use_mcp_tool"

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
            say(
                "cannot read the rule {text!r}: write 'tool_name' or 'tool_name(pattern)'",
                text=text,
            )
        )
    return Rule(found[1], found[2])


class Found(Struct, frozen=True):
    """What rules say of an effect."""

    decision: Decision
    rule: str
    """The rule as its author wrote it; empty where it takes several, or none applies."""
    reason: str = ""
    part: str = ""
    """The part of a command that decided."""


def allowing(texts: Iterable[str], tool: str, effect: Effect) -> Found | None:
    """Say whether the rules let the tool have the effect; None where none is about it."""
    about = [text for text in texts if _concerns(parse(text), tool, effect)]
    if not about:
        return None
    if effect.kind is Kind.EXECUTE:
        judged = _judge(effect.target, allow=[_command(one) for one in about])
        rule = about[0] if len(about) == 1 else ""
        return Found(judged.decision, rule, judged.reason, judged.part)
    for text in about:
        pattern = parse(text).pattern
        if pattern is None or _glob.matches(pattern, effect.target):
            return Found(Decision.ALLOW, text)
    return None


def naming(texts: Iterable[str], tool: str, effect: Effect) -> Found | None:
    """Return the rule that forbids the effect, or asks for it: seen broadly, in doubt one does."""
    for text in texts:
        rule = parse(text)
        if not _concerns(rule, tool, effect):
            continue
        if effect.kind is Kind.EXECUTE:
            judged = _judge(effect.target, deny=[_command(text)])
            if judged.decision is Decision.DENY:
                return Found(Decision.DENY, text, part=judged.part)
        elif rule.pattern is None or _glob.matches(rule.pattern, effect.target, ignore_case=True):
            return Found(Decision.DENY, text)
    return None


def only_reads(command: str) -> bool:
    """Whether nothing that the command starts does more than read, as far as that is certain."""
    from agent_cli.approval.read_only import RULES  # noqa: PLC0415 - with the judge, see below

    return _judge(command, allow=RULES).decision is Decision.ALLOW


def offered_rule(tool: str, effect: Effect) -> str | None:
    """Return the rule that allows the effect, and others like it; None where no rule can.

    A command is allowed with whatever follows it, by the words that say what the program does
    where those are known, else by all of them; a file with the others in its folder, which stands
    for all below; everything else only by its name.
    """
    if effect.outside or effect.protected:
        return None
    for text in _candidates(tool, effect):
        found = allowing([text], tool, effect)
        if found is not None and found.decision is Decision.ALLOW:
            return text
    return None


def _candidates(tool: str, effect: Effect) -> Iterator[str]:
    match effect.kind:
        case Kind.EXECUTE:
            words = _words(effect.target)
            yield f"{COMMANDS}({' '.join(_telling(words))})"
            yield f"{COMMANDS}({' '.join(words)})"
        case Kind.READ | Kind.WRITE:
            folder = effect.target.rpartition("/")[0]
            yield f"{tool}({_glob.literal(folder or effect.target)})"
        case _:
            yield f"{tool}({_glob.literal(effect.target)})"


_SUBCOMMANDS = frozenset({"cargo", "git", "go", "make", "npm", "pnpm", "yarn"})
"""Programs whose first word says what they do."""
_SCRIPTS = frozenset({("npm", "run"), ("pnpm", "run"), ("yarn", "run"), ("python", "-m"),
                      ("python3", "-m"), ("go", "mod")})  # fmt: skip
"""Where it takes one word more to say it."""
_WHOLE = frozenset({
    ("git", "checkout"), ("git", "clean"), ("git", "config"), ("git", "push"), ("git", "rebase"),
    ("git", "reset"), ("git", "restore"), ("git", "rm"), ("git", "stash"), ("git", "worktree"),
    ("cargo", "run"), ("go", "run"), ("go", "tool"), ("npm", "exec"), ("npm", "x"),
    ("pnpm", "dlx"), ("pnpm", "exec"), ("yarn", "dlx"), ("yarn", "exec"), ("yarn", "node"),
})  # fmt: skip
"""Where what it does depends on everything that follows."""

_OPTION = re.compile(r"[-+]|\w+=")
"""What may stand before the word that says it: `-C there`, `+nightly`, `CC=gcc`."""


def _telling(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first words of a command, as many as say what is done."""
    begin = words[:2]
    if begin in _SCRIPTS:
        return words[:3]
    known = begin[:1] and begin[0] in _SUBCOMMANDS and begin not in _WHOLE
    return begin if known and not _OPTION.match(begin[-1]) else words


def _concerns(rule: Rule, tool: str, effect: Effect) -> bool:
    if rule.tool == tool:
        return True
    match effect.kind:
        case Kind.EXECUTE:
            return rule.tool == COMMANDS
        case Kind.MCP:
            return rule.tool == SERVERS or rule.tool in server_tools.names(effect.target)
        case _:
            return False


def _judge(command: str, *, allow: Sequence[str] = (), deny: Sequence[str] = ()) -> "Judged":
    from agent_cli.approval.shell import judge  # noqa: PLC0415 - 20 ms, and many runs need none

    return judge(command, allow=allow, deny=deny)


def _words(command: str) -> tuple[str, ...]:
    from agent_cli.approval.shell import parts  # noqa: PLC0415 - as above

    return parts(command).words


def _command(text: str) -> str:
    """Return the rule as the judge of commands takes it."""
    pattern = parse(text).pattern
    return "*" if pattern is None else pattern
