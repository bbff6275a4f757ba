"""Modes: who the model is, and what kinds of tools it has. One file in prompts/modes each.

A mode file opens with front matter between two lines of `---`: `name`, `kinds` (comma-separated),
`when`, and `files` where writing is restricted. The role follows.

Rule 1: what a mode may do is judged by the effects of a call, whatever tool has them.
Rule 2: a mode runs commands only if its file names `execute`. If it may not write, or only some
files, its commands run where nothing can be written: a command does not say what it will write.
"""

import functools
import re

from msgspec import Struct

from agent_cli.context._front_matter import parted
from agent_cli.i18n.catalog import say
from agent_cli.resources.prompts import prompts
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ConfigurationError

DEFAULT_MODE = "code"

_ALWAYS = frozenset({Kind.ALWAYS, Kind.ASK})
GRANTED = frozenset(Kind) - _ALWAYS
_FIELDS = frozenset({"name", "kinds", "files", "when"})
_EFFECTFUL = frozenset({Kind.WRITE, Kind.EXECUTE, Kind.NETWORK, Kind.MCP})
_SLUG = re.compile(r"[A-Za-z0-9-]+")


class Mode(Struct, frozen=True):
    slug: str
    name: str
    kinds: frozenset[Kind]
    """Kinds of tools it has besides those that every mode has."""
    when: str
    """For which work it is the right one; read by the model."""
    role: str
    files: str | None = None
    """Regular expression; only files whose path it matches may be written."""

    def permits(self, effect: Effect) -> bool:
        """Whether a call may have this effect; its tool's kind is judged by `allows`."""
        if effect.kind in _EFFECTFUL and effect.kind not in self.kinds:
            return False
        if effect.kind is not Kind.WRITE or self.files is None:
            return True
        return re.search(self.files, effect.target) is not None

    @property
    def confines_commands(self) -> bool:
        """Whether its commands may change nothing; see rule 2."""
        writes_all = Kind.WRITE in self.kinds and self.files is None
        return Kind.EXECUTE in self.kinds and not writes_all


class Modes(Struct, frozen=True):
    """The modes of one session."""

    known: tuple[Mode, ...]

    def find(self, slug: str) -> Mode:
        for mode in self.known:
            if mode.slug == slug:
                return mode
        slugs = ", ".join(mode.slug for mode in self.known)
        raise ConfigurationError(
            say("unknown mode {slug!r}; choose one of: {slugs}", slug=slug, slugs=slugs)
        )

    def has(self, slug: str) -> bool:
        return any(mode.slug == slug for mode in self.known)

    def adding(self, mode: Mode) -> "Modes":
        """Return these with one more, in the place of the one that has its slug."""
        others = (known for known in self.known if known.slug != mode.slug)
        return Modes(tuple(sorted((*others, mode), key=lambda known: known.slug)))


@functools.cache
def modes() -> tuple[Mode, ...]:
    """Return the built-in modes in alphabetical order of their slugs."""
    found = [entry for entry in prompts().joinpath("modes").iterdir() if entry.name.endswith(".md")]
    return tuple(
        read_mode(entry.name.removesuffix(".md"), entry.read_text(encoding="utf-8"))
        for entry in sorted(found, key=lambda entry: entry.name)
    )


def allows(mode: Mode, tool_kind: Kind) -> bool:
    """Whether the mode has tools of this kind."""
    return tool_kind in _ALWAYS or tool_kind in mode.kinds


def read_mode(slug: str, text: str) -> Mode:
    """Read a mode file; raises ConfigurationError saying what is wrong with it."""
    if not _SLUG.fullmatch(slug):
        raise _fault(slug, "its name may hold only letters, digits and hyphens")
    try:
        fields, role = parted(text)
    except ValueError as error:
        raise _fault(slug, str(error)) from error
    if fields is None:
        raise _fault(slug, "it must open with front matter between two lines of ---")
    unknown = sorted(fields.keys() - _FIELDS)
    if unknown:
        raise _fault(slug, f"unknown fields {', '.join(unknown)}; known: name, kinds, files, when")
    for field in ("name", "when"):
        if not fields.get(field):
            raise _fault(slug, f"{field!r} is missing")
    if not role:
        raise _fault(slug, "the role after the front matter is missing")
    return Mode(
        slug=slug,
        name=fields["name"],
        kinds=_kinds(slug, fields.get("kinds", "")),
        when=fields["when"],
        role=role,
        files=_pattern(slug, fields.get("files", "")),
    )


def _fault(slug: str, problem: str) -> ConfigurationError:
    return ConfigurationError(
        say("mode {slug!r} cannot be used: {problem}", slug=slug, problem=problem)
    )


def _kinds(slug: str, text: str) -> frozenset[Kind]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    unknown = sorted(set(words) - GRANTED)
    if unknown:
        known = ", ".join(sorted(GRANTED))
        raise _fault(slug, f"unknown kinds {', '.join(unknown)}; known: {known}")
    return frozenset(Kind(word) for word in words)


def _pattern(slug: str, text: str) -> str | None:
    if not text:
        return None
    try:
        re.compile(text)
    except re.error as error:
        raise _fault(slug, f"{text!r} is not a regular expression: {error}") from error
    return text
