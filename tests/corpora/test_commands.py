"""The judge of commands against the corpora: none let through, hardly any asked for nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent_cli.approval.shell import judge

STRICTNESS = ["allow", "ask", "deny"]
ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for path in sorted(Path(__file__).parent.glob("commands*.jsonl"))
    for line in path.read_text().splitlines()
]
NEEDLESS = 0.02


def got(row: dict[str, Any]) -> str:
    return judge(row["cmd"], allow=row["allow"], deny=row["deny"]).decision.value


def test_there_are_hundreds_of_commands():
    assert len(ROWS) >= 300


@pytest.mark.invariant("C1")
@pytest.mark.trap("T-30")
@pytest.mark.parametrize("verdict", ["ask", "deny"])
def test_nothing_unsafe_is_let_through(verdict: str):
    rows = [row for row in ROWS if row["verdict"] == verdict]
    assert rows
    assert not [row for row in rows if STRICTNESS.index(got(row)) < STRICTNESS.index(verdict)]


def test_hardly_anything_is_asked_for_nothing():
    rows = [row for row in ROWS if row["verdict"] == "allow"]
    needless = [row for row in rows if got(row) != "allow"]
    assert len(needless) <= NEEDLESS * len(ROWS), needless


def test_what_is_only_doubtful_is_not_denied():
    rows = [row for row in ROWS if row["verdict"] == "ask"]
    assert not [row for row in rows if got(row) == "deny"]
