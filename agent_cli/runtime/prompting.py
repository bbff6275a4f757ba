"""The system prompts of one session, each made once.

A later request extends the bytes of the one before, whatever has happened to the files since.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from agent_cli.context.environment import facts
from agent_cli.context.request import catalogue
from agent_cli.context.rules_files import (
    RulesFile,
    brought_rules,
    instructions,
    project_rules,
    user_rules,
)
from agent_cli.context.system_prompt import SystemPromptInputs, render
from agent_cli.context.terms import Terms
from agent_cli.runtime.prepare import Toolbox
from agent_cli.settings.places import config_directory
from agent_cli.types.errors import ToolError
from agent_cli.types.requests import Protocol, ToolSpec
from agent_cli.workspace.gate import Workspace


class Prompts:
    """What the model is told first, by mode and parallel calls."""

    def __init__(self, toolbox: Toolbox, environ: Mapping[str, str], terms: Terms) -> None:
        self._toolbox = toolbox
        self._environ = environ
        self._terms = terms
        self._made: dict[tuple[str, bool], str] = {}
        self._files: dict[str, tuple[RulesFile, ...]] = {}

    def system(
        self, slug: str, protocol: Protocol, tools: tuple[ToolSpec, ...], *, parallel: bool
    ) -> str:
        """Return the prompt of a mode; the protocol is the same for the whole session."""
        kept = self._made.get((slug, parallel))
        if kept is not None:
            return kept
        customs, root = self._toolbox.customs, self._toolbox.workspace.root
        made = render(
            SystemPromptInputs(
                mode=customs.modes.find(slug),
                protocol=protocol,
                parallel=parallel,
                tools=tools,
                facts=facts(root, self._environ),
                catalogue=catalogue(protocol, tools),
                instructions=instructions(self.files(slug)),
                modes=customs.modes.known,
                skills=customs.skills,
                commands=customs.commands,
                terms=self._terms,
            )
        )
        self._made[slug, parallel] = made
        return made

    def files(self, slug: str) -> tuple[RulesFile, ...]:
        """Return the files with instructions for a mode, as they were when first asked for."""
        if slug not in self._files:
            self._files[slug] = tuple(self._rules(slug))
        return self._files[slug]

    def _rules(self, slug: str) -> Iterable[RulesFile]:
        customs, root = self._toolbox.customs, self._toolbox.workspace.root
        yield from user_rules(config_directory(self._environ), _read)
        yield from brought_rules(customs.rules_for(slug, project=False))
        yield from project_rules(root, _read)
        yield from brought_rules(customs.rules_for(slug, project=True))


def _read(path: Path) -> str | None:
    try:
        return Workspace(path.parent).read_text(path.name).body
    except ToolError:
        return None
