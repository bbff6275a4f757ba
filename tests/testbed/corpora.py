"""The corpora: rows of JSON that say what must come out of one input."""

import json
from pathlib import Path
from typing import Any

import pytest

CORPORA = Path(__file__).parents[1] / "corpora"


def rows(name: str) -> list[Any]:
    """Return the rows as parameters of a test, each under its own `id`."""
    lines = (CORPORA / f"{name}.jsonl").read_bytes().splitlines()
    decoded = [json.loads(line) for line in lines]  # not strictly: rows may hold lone surrogates
    return [pytest.param(row, id=row["id"]) for row in decoded]
