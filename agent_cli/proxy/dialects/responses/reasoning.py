"""Reasoning items in the Responses dialect: encrypted, or kept by the upstream under an id."""

from collections.abc import Container, Sequence

from msgspec import Raw

from agent_cli.proxy.dialects.base import Fields, encoded, table
from agent_cli.proxy.dialects.canonical import digest


def seals(message: Raw) -> list[str]:
    """Return the fingerprints of what only its maker can read."""
    seal = _seal(message)
    return [seal] if seal else []


def _seal(raw: Raw) -> str:
    item = table(raw)
    if item.get("type") != "reasoning":
        return ""
    return digest(item.get("encrypted_content") or item.get("id"))


def without(history: Sequence[Raw], foreign: Container[str]) -> list[Raw]:
    """Return the history without the reasoning of others.

    What follows it goes without the id by which an upstream would demand the two together.
    """
    made: list[Raw] = []
    bereft = False
    for raw in history:
        item = table(raw)
        if _seal(raw) in foreign:
            bereft = True
        elif bereft and "id" in item and item.get("role") != "user" and not _seal(raw):
            made.append(encoded({name: value for name, value in item.items() if name != "id"}))
        else:
            bereft = False
            made.append(raw)
    return made


def settled(fields: Fields) -> tuple[Fields, bool]:
    return fields, False
