"""The names under which managed tools are offered: legal for every model, and never a client's.

A name depends on nothing but the tools themselves, so it is the same after a restart.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

from msgspec import Struct

LONGEST = 64
_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")
_DIGITS = 6


class Presented(Struct, frozen=True):
    """Which names the model gets to see, in the order of the tools' own names."""

    names: Mapping[str, str]
    """Own names by presented ones."""
    dropped: tuple[str, ...] = ()
    """Tools for which there is no name that is not taken."""


def presented(own: Iterable[str], taken: Iterable[str]) -> Presented:
    """Return a name for each tool; `taken` are the names of the client's tools."""
    tools = sorted(set(own))
    given = [plain(tool) for tool in tools]
    used = set(taken)
    names: dict[str, str] = {}
    dropped: list[str] = []
    for tool, name in zip(tools, given, strict=True):
        for candidate in _candidates(tool, name, given):
            if candidate not in used:
                used.add(candidate)
                names[candidate] = tool
                break
        else:
            dropped.append(tool)
    return Presented(names, tuple(dropped))


def plain(own: str) -> str:
    """Return the name with nothing in it that a provider refuses."""
    return _ILLEGAL.sub("_", own).strip("_")[:LONGEST] or "tool"


def with_digest(own: str) -> str:
    """Return the name that stays when another tool's would be the same."""
    digest = sha256(own.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{plain(own)[: LONGEST - _DIGITS - 1]}_{digest}"


def _candidates(own: str, name: str, given: Sequence[str]) -> Iterator[str]:
    if given.count(name) == 1 and len(_ILLEGAL.sub("_", own).strip("_")) <= LONGEST:
        yield name
    yield with_digest(own)
