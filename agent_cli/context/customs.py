"""What a session has beyond what comes with the product: modes, skills, commands and rules.

Rule 1: whether a project's files are here at all (trust) is decided by the caller.
Rule 2: a later file takes the place of an earlier one of its name; the user's come first.
Rule 3: against a mode that is there, a project's mode can only tighten: it has no kind more, and
keeps its pattern of files.
Rule 4: a file that cannot be used is a fault, and nothing else is lost by it.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from msgspec import Struct

from agent_cli.context.commands import read_command
from agent_cli.context.modes import Mode, Modes, modes, read_mode
from agent_cli.context.skills import is_skill, read_skill
from agent_cli.types.brought import Brought, Skill, SlashCommand
from agent_cli.types.effects import Kind
from agent_cli.types.errors import ConfigurationError

T = TypeVar("T", Skill, SlashCommand)


class Fault(Struct, frozen=True):
    """A file that has no effect."""

    path: str
    problem: str


class Customs(Struct, frozen=True):
    modes: Modes
    skills: tuple[Skill, ...] = ()
    commands: tuple[SlashCommand, ...] = ()
    rules: tuple[Brought, ...] = ()
    """In the order in which they are read."""
    faults: tuple[Fault, ...] = ()

    def rules_for(self, slug: str, *, project: bool) -> tuple[Brought, ...]:
        """Return the rules that hold in a mode: those for every mode, then its own."""
        folders = ("rules", f"rules-{slug}")
        return tuple(
            rule
            for folder in folders
            for rule in self.rules
            if rule.folder == folder and rule.project is project
        )


def customs(files: Iterable[Brought]) -> Customs:
    """Read what was brought; raises nothing for what is wrong with it."""
    files = tuple(files)
    faults: list[Fault] = []
    found = _modes((one for one in files if one.folder == "modes"), faults)
    skills = (one for one in files if one.folder == "skills" and is_skill(one))
    commands = (one for one in files if one.folder == "commands")
    return Customs(
        modes=found,
        skills=_read(skills, read_skill, faults),
        commands=_read(commands, lambda file: _in_a_mode(read_command(file), found), faults),
        rules=tuple(one for one in files if one.folder.startswith("rules") and one.text.strip()),
        faults=tuple(faults),
    )


def _modes(files: Iterable[Brought], faults: list[Fault]) -> Modes:
    found = Modes(modes())
    for file in files:
        try:
            read = read_mode(file.name.removesuffix(".md"), file.text)
        except ConfigurationError as error:
            faults.append(Fault(file.path, str(error)))
            continue
        if file.project and found.has(read.slug) and not _tightens(read, found.find(read.slug)):
            problem = f"a project's {read.slug!r} may not do more than the mode that it replaces"
            faults.append(Fault(file.path, problem))
            continue
        found = found.adding(read)
    return found


def _tightens(mode: Mode, over: Mode) -> bool:
    keeps_files = over.files is None or Kind.WRITE not in mode.kinds or mode.files == over.files
    return mode.kinds <= over.kinds and keeps_files


def _in_a_mode(command: SlashCommand, found: Modes) -> SlashCommand:
    if command.mode and not found.has(command.mode):
        raise ValueError(f"its mode {command.mode!r} is unknown")
    return command


def _read(
    files: Iterable[Brought], read: Callable[[Brought], T], faults: list[Fault]
) -> tuple[T, ...]:
    found: dict[str, T] = {}
    for file in files:
        try:
            one = read(file)
        except ValueError as error:
            faults.append(Fault(file.path, str(error)))
        else:
            found[one.name] = one
    return tuple(found[name] for name in sorted(found))
