"""Rules that the user has answered a question with for good: an allow rule each.

They have a file of their own, which may be edited: every rule is a table, and a new one is
written at the end. They count as rules of the user's own settings.
"""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from agent_cli.settings.rewrite import read_text, rewrite
from agent_cli.types.errors import ConfigurationError

_HEAD = '# Rules of the answer "always". Take one out to be asked again.\n'


class _Rule(Struct, frozen=True, forbid_unknown_fields=True):
    rule: str


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    allow: tuple[_Rule, ...] = ()


def remembered(path: Path) -> tuple[str, ...]:
    """Return the rules in the file; raises ConfigurationError."""
    return _rules(path, read_text(path))


def remember(path: Path, rule: str) -> None:
    """Write the rule down, unless it is there already; raises ConfigurationError."""

    def change(text: str) -> str:
        known = _rules(path, text)
        if rule in known:
            return text
        above = f"{text.rstrip()}\n" if text.strip() else _HEAD
        quoted = msgspec.json.encode(rule).decode().replace("\x7f", "\\u007f")
        made = f"{above}\n[[allow]]\nrule = {quoted}\n"
        if _rules(path, made) != (*known, rule):
            raise ConfigurationError(f"cannot write {rule!r} to {str(path)!r}: edit it by hand")
        return made

    rewrite(path, change)


def _rules(path: Path, text: str) -> tuple[str, ...]:
    try:
        found: Any = tomllib.loads(text)
        return tuple(one.rule for one in msgspec.convert(found, _File).allow)
    except (tomllib.TOMLDecodeError, RecursionError, msgspec.ValidationError) as error:
        raise ConfigurationError(f"{path}: {error}") from error
