"""Ids and names of calls: legal on every wire, whatever the model sent; ids unique in the session.

Providers repeat ids, leave them empty, or use characters that another provider refuses. Models make
up names. A call goes back with every later request, so that one illegal character would end the
session. The result depends on nothing but the arguments, so a replay gives the same again.
"""

import re
from collections.abc import Container, Sequence
from hashlib import sha256

LONGEST = 64
LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ILLEGAL_CHARACTER = re.compile(r"[^a-zA-Z0-9_-]")


def call_ids(given: Sequence[str], taken: Container[str]) -> list[str]:
    """Return one id per given id, in order, none equal to another or in `taken`.

    Legal ids that nobody else has stay as they are, even if an illegal one before them would have
    become the same.
    """
    used: set[str] = set()
    kept: list[bool] = []
    for id_ in given:
        keep = bool(LEGAL.fullmatch(id_)) and id_ not in used and id_ not in taken
        kept.append(keep)
        if keep:
            used.add(id_)
    ids: list[str] = []
    for position, (id_, keep) in enumerate(zip(given, kept, strict=True), start=1):
        ids.append(id_ if keep else _unused(_legal(id_, position), used, taken))
        used.add(ids[-1])
    return ids


def legal_name(given: str) -> str:
    """Return the name that the call has from here on; a legal one stays as it is."""
    return ILLEGAL_CHARACTER.sub("_", given)[:LONGEST] or "unnamed"


def _legal(id_: str, position: int) -> str:
    if not id_:
        return f"call_{position}"
    if len(id_) <= LONGEST:
        return ILLEGAL_CHARACTER.sub("_", id_)
    digest = sha256(id_.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{ILLEGAL_CHARACTER.sub('_', id_[: LONGEST - 17])}_{digest}"


def _unused(id_: str, used: set[str], taken: Container[str]) -> str:
    candidate = id_
    number = 1
    while candidate in used or candidate in taken:
        number += 1
        suffix = f"_{number}"
        candidate = id_[: LONGEST - len(suffix)] + suffix
    return candidate
