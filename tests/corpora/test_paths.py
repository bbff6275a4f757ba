"""Every row of paths.jsonl: what becomes of an operation on a path, and what it never shows.

A row builds a tree around a root, and makes one call with every tool that can do the operation,
writing being auto-approved unless it says otherwise. `ok` runs unasked; `ask` is asked, and the
answer is no; `refuse` and `error` are never asked, and a refusal is one of the gate or the policy.
Whatever is not `ok` changes nothing anywhere, and nothing marked CANARY is ever told, by which
files outside the roots, ignored ones and keys are known.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from testbed.corpora import rows
from testbed.dispatched import Dispatched, dispatch
from testbed.ordinary_user import NOBODY, as_ordinary_user, open_the_way
from testbed.trees import build, spelled, state

from agent_cli.approval.policy import Policy
from agent_cli.types.approval import Decision
from agent_cli.types.outcomes import Code, Outcome

ROWS = rows("paths")
WRITES = {"write", "change", "edit"}
DIFF = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"


def calls(row: Any, path: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield a call of every tool that does the row's operation."""
    match row["op"]:
        case "read":
            yield "read_file", {"files": [{"path": path}]}
        case "list":
            yield "list_files", {"path": path}
            yield "list_files", {"path": path, "recursive": True}
        case "search":
            yield "search_files", {"path": path, "regex": "."}
        case "write":
            yield "write_to_file", {"path": path, "content": "new\n"}
        case "change" | "edit" as op:
            operation = {"search": "x", "replace": "y", "all": True}
            yield "search_and_replace", {"path": path, "operations": [operation]}
            yield "apply_diff", {"path": path, "diff": DIFF}
            if op == "edit":
                yield "insert_content", {"path": path, "line": 1, "content": "y"}


@pytest.mark.invariant("F1", "F2", "F4")
@pytest.mark.parametrize("row", ROWS)
def test_a_path(tmp_path: Path, row: Any):
    for number, _ in enumerate(calls(row, "")):
        place = tmp_path / str(number)
        place.mkdir()
        root = build(place, row)
        check(row, root, [*calls(row, spelled(row["path"], root))][number])


@pytest.mark.parametrize("row", [row for row in ROWS if row.values[0]["op"] == "search"])
def test_a_path_searched_without_ripgrep(tmp_path: Path, monkeypatch, row: Any):
    monkeypatch.setattr("agent_cli.tools._search_engine.ripgrep", lambda: None)
    test_a_path(tmp_path, row)


def check(row: Any, root: Path, call: tuple[str, dict[str, object]]) -> None:
    place = root.parent
    bound = row.get("user") == "ordinary"
    if bound:
        give_away(place)
    before = state(place)
    if bound:
        as_ordinary_user(lambda: judge(row, root, call))
    else:
        judge(row, root, call)
    after = state(place)
    changed = {path for path in before | after if before.get(path) != after.get(path)}
    assert bool(changed) == (row["verdict"] == "ok" and row["op"] in WRITES), changed
    if bound:
        open_again(place)


def give_away(place: Path) -> None:
    """Make everything nobody's own, so that the modes of the row are what binds."""
    open_the_way(place)
    for folder, folders, files in os.walk(place):
        for name in (".", *folders, *files):
            os.chown(Path(folder, name), NOBODY, NOBODY, follow_symlinks=False)


def open_again(place: Path) -> None:
    """Let pytest's own tidying pass."""
    for folder in [place, *(path for path in place.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)


def judge(row: Any, root: Path, call: tuple[str, dict[str, object]]) -> None:
    """Make the call, and compare what becomes of it and what is told with the row."""
    said = {"write": "allow"} | row.get("policy", {})
    policy = Policy(**{kind: Decision(decision) for kind, decision in said.items()})
    extra = tuple(root.parent / name for name in row.get("add", ()))
    done = dispatch(root, call, policy, yes=row.get("answer") == "yes", extra=extra)
    assert verdict(row, done) in row["verdict"].split("|"), done.told
    assert row.get("holds", "") in done.told
    assert "CANARY" not in done.told or row.get("holds") == "CANARY"


def verdict(row: Any, done: Dispatched) -> str:
    outcome, code = done.result.outcome, done.result.code
    if outcome is Outcome.OK and done.asked == row.get("asked", False):
        return "ok"
    if outcome is Outcome.REJECTED:
        return "ask"
    if done.asked:
        return "asked in vain"
    if code in {Code.BLOCKED_PATH, Code.POLICY} or "lies outside" in done.result.content:
        return "refuse"
    return "refuse" if refused_in_part(done) else "error"


def refused_in_part(done: Dispatched) -> bool:
    """Whether read_file said so of its one file: it reports each file for itself."""
    return any(
        words in done.result.content for words in ("such files are never opened", ".agentignore")
    )


def test_there_are_enough_rows():
    assert len(ROWS) >= 300
