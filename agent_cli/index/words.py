"""The words of names and questions: `readFile` is found by `read`, and questions need no syntax."""

import re
from collections.abc import Iterable

MOST = 32
"""Words of a question that are looked for."""
_COMPOUND = re.compile(r"\b[A-Za-z]\w*?[a-z0-9][A-Z]\w*|\b[A-Z]{2,}[a-z]\w*")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")
_WORD = re.compile(r"\w+")
_EMPTY = frozenset(
    {
        "a", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "does", "for",
        "from", "has", "have", "how", "i", "in", "into", "is", "it", "its", "of", "on", "or", "so",
        "that", "the", "their", "there", "these", "this", "to", "used", "using", "was", "we",
        "what", "when", "where", "which", "who", "why", "will", "with", "you",
    }
)  # fmt: skip
"""Words of a question that say nothing of what is looked for."""


def humps(text: str) -> str:
    """Return the parts of the text's compound names, each once."""
    parts = {part.lower() for name in _COMPOUND.findall(text) for part in _HUMPS.split(name)}
    return " ".join(sorted(parts - {""}))


def expression(query: str) -> str:
    """Return the full-text expression for a question: any of its words; empty if it has none."""
    words = _WORD.findall(query)
    telling = [word for word in words if word.lower() not in _EMPTY] or words
    parts = (part for word in telling for part in (word, *humps(word).split()))
    return " OR ".join(_quoted(parts))


def _quoted(words: Iterable[str]) -> list[str]:
    # Quoted, a word is no operator; and one that is two tokens, as `a_b`, becomes a phrase.
    found = dict.fromkeys(word.lower().strip("_") for word in words)
    return [f'"{word}"' for word in found if word][:MOST]
