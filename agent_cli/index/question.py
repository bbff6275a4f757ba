"""What is asked of an index, what it answers, and who helps it to understand."""

from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

LIMIT = 20
"""Chunks in one answer."""


class Hit(Struct, frozen=True):
    path: str
    score: float
    """1 is the best of its search."""
    first: int
    last: int
    text: str


class Found(Struct, frozen=True):
    hits: tuple[Hit, ...]
    files: int
    """That are in the index."""
    notes: tuple[str, ...] = ()


class Question(Struct, frozen=True):
    words: str
    below: str = ""
    """A file, or a directory with a slash at its end; relative to the first root, or absolute."""


class Embedder(Struct, frozen=True):
    """Who makes vectors of texts, so that they can be found by what they mean."""

    name: str
    """Of service and model: vectors of another cannot be compared."""
    embed: Callable[[Sequence[str]], Awaitable[list[list[float]]]]
    """Returns one vector a text, in their order, all of one length; raises ProviderError."""
