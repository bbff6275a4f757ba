"""Modes: who the model is, and what kinds of tools it has. One file in prompts/modes each.

A mode file opens with front matter between two lines of `---`: `name`, `kinds` (comma-separated),
`when`, and `files` where writing is restricted. The role follows.
"""

import functools
import re

from msgspec import Struct

from agent_cli.resources.prompts import prompts
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ConfigurationError

DEFAULT_MODE = "code"

_ALWAYS = frozenset({Kind.ALWAYS, Kind.ASK})
_GRANTED = frozenset(Kind) - _ALWAYS
_FIELDS = frozenset({"name", "kinds", "files", "when"})
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
        if effect.kind is not Kind.WRITE:
            return True
        if Kind.WRITE not in self.kinds:
            return False
        return self.files is None or re.search(self.files, effect.target) is not None


@functools.cache
def modes() -> tuple[Mode, ...]:
    """Return the built-in modes in alphabetical order of their slugs."""
    found = [entry for entry in prompts().joinpath("modes").iterdir() if entry.name.endswith(".md")]
    return tuple(
        read_mode(entry.name.removesuffix(".md"), entry.read_text(encoding="utf-8"))
        for entry in sorted(found, key=lambda entry: entry.name)
    )


def mode(slug: str) -> Mode:
    """Return a built-in mode."""
    for known in modes():
        if known.slug == slug:
            return known
    slugs = ", ".join(known.slug for known in modes())
    raise ConfigurationError(f"unknown mode {slug!r}; choose one of: {slugs}")


def allows(mode: Mode, tool_kind: Kind) -> bool:
    """Whether the mode has tools of this kind."""
    return tool_kind in _ALWAYS or tool_kind in mode.kinds


def read_mode(slug: str, text: str) -> Mode:
    """Read a mode file; raises ConfigurationError saying what is wrong with it."""
    if not _SLUG.fullmatch(slug):
        raise _fault(slug, "its name may hold only letters, digits and hyphens")
    fields, role = _parted(slug, text.replace("\r\n", "\n"))
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
    return ConfigurationError(f"mode {slug!r} cannot be used: {problem}")


def _parted(slug: str, text: str) -> tuple[dict[str, str], str]:
    opening, _, rest = text.partition("\n")
    front, closing, role = rest.partition("\n---\n")
    if opening.strip() != "---" or not closing:
        raise _fault(slug, "it must open with front matter between two lines of ---")
    fields: dict[str, str] = {}
    for line in filter(str.strip, front.split("\n")):
        key, colon, value = line.partition(":")
        if not colon:
            raise _fault(slug, f"{line!r} is not of the form `field: value`")
        if key.strip() in fields:
            raise _fault(slug, f"{key.strip()!r} is given twice")
        fields[key.strip()] = value.strip()
    return fields, role.strip()


def _kinds(slug: str, text: str) -> frozenset[Kind]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    unknown = sorted(set(words) - _GRANTED)
    if unknown:
        known = ", ".join(sorted(_GRANTED))
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
