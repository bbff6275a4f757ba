"""The system prompt: a pure function of mode, protocol, tools and facts.

It mentions no tool that is not there, and nothing in it changes from one request to the next
unless one of its inputs does.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from agent_cli.context._texts import document, fill, table
from agent_cli.context.environment import Facts
from agent_cli.context.modes import Mode, modes
from agent_cli.context.terms import Terms, about_completion, in_messages
from agent_cli.types.brought import Skill, SlashCommand
from agent_cli.types.requests import Protocol, ToolSpec

MOST_NAMED = 50
"""Skills, and likewise commands, that are named."""
LONGEST_NAME = 100
LONGEST_TEXT = 300
"""Characters of a name and of a description."""

_CHANGES_MODE = frozenset({"switch_mode", "new_task"})


class SystemPromptInputs(Struct, frozen=True):
    mode: Mode
    protocol: Protocol
    parallel: bool
    """Whether a message may hold several calls; XML never does."""
    tools: tuple[ToolSpec, ...]
    """The tools of this mode."""
    facts: Facts
    catalogue: str = ""
    """Their description, for XML; see `context/request.py`."""
    instructions: str = ""
    """The text of rules files; see `context/rules_files.py`."""
    modes: tuple[Mode, ...] = msgspec.field(default_factory=modes)
    skills: tuple[Skill, ...] = ()
    commands: tuple[SlashCommand, ...] = ()
    terms: Terms = Terms()


def render(parts: SystemPromptInputs) -> str:
    """Return the whole prompt; sections are separated by one blank line."""
    tools = frozenset(tool.name for tool in parts.tools)
    sections = [
        fill(document("system/role.md"), role=parts.mode.role),
        _tool_use(parts),
        document("system/completion.md") + about_completion(parts.terms, tools),
        _capabilities(tools),
        _modes(parts, tools),
        _skills(parts.skills, tools),
        _commands(parts.commands, tools),
        _rules(parts, tools),
        fill(document("system/environment.md"), **msgspec.structs.asdict(parts.facts)),
        document("system/objective.md"),
        _instructions(parts.instructions),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _tool_use(parts: SystemPromptInputs) -> str:
    if parts.protocol is Protocol.XML:
        more = in_messages(parts.terms, several=False)
        return fill(document("system/tool_use_xml.md"), catalogue=parts.catalogue, **more)
    more = in_messages(parts.terms, several=parts.parallel)
    return fill(document(f"system/tool_use_native{'' if parts.parallel else '_single'}.md"), **more)


def _phrases() -> dict[str, str]:
    phrases: dict[str, str] = table("system/phrases.toml")["system"]
    return phrases


def _about(kind: str, tools: frozenset[str]) -> list[str]:
    rows: list[dict[str, Any]] = table("system/capabilities.toml")[kind]
    return [f"- {row['text']}" for row in rows if tools.issuperset(row["needs"])]


def _capabilities(tools: frozenset[str]) -> str:
    items = _about("capability", tools)
    return fill(_phrases()["capabilities"], items="\n".join(items)) if items else ""


def _modes(parts: SystemPromptInputs, tools: frozenset[str]) -> str:
    if tools.isdisjoint(_CHANGES_MODE):
        return ""
    items = [
        fill(_phrases()["mode"], name=mode.name, slug=mode.slug, when=mode.when)
        for mode in parts.modes
    ]
    heading = _phrases()["modes"]
    return fill(heading, name=parts.mode.name, slug=parts.mode.slug, items="\n".join(items))


def _skills(skills: tuple[Skill, ...], tools: frozenset[str]) -> str:
    if "fetch_instructions" not in tools:
        return ""
    return _listed("skills", [(one.name, one.description) for one in skills])


def _commands(commands: tuple[SlashCommand, ...], tools: frozenset[str]) -> str:
    if "run_slash_command" not in tools:
        return ""
    said = [(f"/{one.name} {one.hint}".strip(), one.description) for one in commands]
    return _listed("commands", said)


def _listed(heading: str, rows: Sequence[tuple[str, str]]) -> str:
    """Return a section of names and what they are for, of bounded length; empty without any."""
    if not rows:
        return ""
    lines = [
        fill(_phrases()["named"], name=_short(name, LONGEST_NAME), what=_short(what, LONGEST_TEXT))
        for name, what in rows[:MOST_NAMED]
    ]
    if len(rows) > MOST_NAMED:
        lines.append(fill(_phrases()["named_cut"], count=str(len(rows) - MOST_NAMED)))
    return fill(_phrases()[heading], items="\n".join(lines))


def _short(text: str, longest: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _rules(parts: SystemPromptInputs, tools: frozenset[str]) -> str:
    more: Sequence[str] = _about("rule", tools)
    if parts.mode.files is not None:
        more = [*more, fill(_phrases()["files"], files=parts.mode.files)]
    if parts.mode.confines_commands:
        more = [*more, _phrases()["confined"]]
    return fill(document("system/rules.md"), root=parts.facts.root, more="\n".join(more)).rstrip()


def _instructions(text: str) -> str:
    return fill(_phrases()["instructions"], text=text) if text else ""
