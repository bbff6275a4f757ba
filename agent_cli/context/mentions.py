r"""Mentions in what the user says: `@file`, `@dir/`, `@https://...`, `@git-changes`, `@<commit>`.

A mention begins at the start or after a blank, a quote or an opening bracket; `\@` is none, and a
blank within a path is written `\ `. Punctuation at its end belongs to the sentence, unless it is
written like that too. The text stays as it was typed: what is mentioned is attached below it.
"""

import re
from enum import StrEnum

from msgspec import Struct

from agent_cli.context._texts import fill, table

MOST = 20
"""Mentions of one message that are looked at."""

_AT = r"(?<![^\s(\[{\"'`])@"
_MENTION = re.compile(_AT + r"((?:\\.|[^\s\\])+)", re.DOTALL)
_BEGUN = re.compile(_AT + r"((?:\\.|[^\s\\])*)\Z", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PART = re.compile(r"\\.|.", re.DOTALL)
_ESCAPED = re.compile(r"[\s\\]")
_AFTER = ".,;:!?)]}>\"'`"
_COMMIT = re.compile(r"[0-9a-f]{7,40}")


class What(StrEnum):
    """What is mentioned; the names of the blocks in system/phrases.toml."""

    PATH = "path"
    URL = "url"
    CHANGES = "changes"
    COMMIT = "commit"


class Mention(Struct, frozen=True):
    what: What
    target: str


def mentions(text: str) -> tuple[Mention, ...]:
    """Return what is mentioned, each once, in order; whether it exists is another question."""
    found: dict[Mention, None] = {}
    for typed in _MENTION.findall(text):
        target = unescaped(_without_punctuation(typed))
        if target:
            found[_mention(target)] = None
    return tuple(found)[:MOST]


def begun(text: str) -> str | None:
    """Return what stands behind the `@` of a mention that the text ends with, as it was typed."""
    match = _BEGUN.search(text)
    return None if match is None else match[1]


def unescaped(typed: str) -> str:
    """Return the path that is meant."""
    return _ESCAPE.sub(r"\1", typed)


def written(path: str) -> str:
    """Return how a path is typed behind the `@`."""
    if path == "git-changes":  # which means something else
        return f"./{path}"
    most, last = path[:-1], path[-1]
    end = f"\\{last}" if last in _AFTER else _ESCAPED.sub(r"\\\g<0>", last)
    return _ESCAPED.sub(r"\\\g<0>", most) + end


def _without_punctuation(typed: str) -> str:
    """Leave out what belongs to the sentence; what is escaped belongs to the name."""
    parts = _PART.findall(typed)
    while parts and parts[-1] in _AFTER:
        parts.pop()
    return "".join(parts)


def _mention(target: str) -> Mention:
    if target == "git-changes":
        return Mention(What.CHANGES, target)
    if re.match(r"https?://.", target):
        return Mention(What.URL, target)
    if _COMMIT.fullmatch(target):
        return Mention(What.COMMIT, target)
    return Mention(What.PATH, target)


def block(kind: str, name: str, text: str) -> str:
    """Return an attachment; neither its name nor its text can end it.

    `kind` is `file`, `folder`, `command`, or one of the words of `What`.
    """
    tag, closing = _tag(kind), f"</{_tag(kind)}"
    safe = text.replace(closing, closing.replace("</", "<\\/"))
    shown = "".join(one if one.isprintable() and one not in '"<>' else "?" for one in name)
    return fill(_texts()["block"], tag=tag, name=shown, text=safe)


def pictured(name: str) -> str:
    """Return what stands in the text where an image was put."""
    return fill(_texts()["image"], name=name)


def refused(why: str) -> str:
    """Return the text of an attachment that could not be made."""
    return fill(_texts()["refused"], why=why)


def _tag(kind: str) -> str:
    return _texts()[f"tag_{kind}"]


def _texts() -> dict[str, str]:
    texts: dict[str, str] = table("system/phrases.toml")["mentions"]
    return texts
