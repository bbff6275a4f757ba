"""Each trap and each invariant of the specification has a test that is marked with its number.

    python -m pytest -m trap
    python -m pytest -m invariant

run them all; `@pytest.mark.trap("T-05")` and `@pytest.mark.invariant("I1")` mark one, and
`pytestmark` marks all tests of a file.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
LESSONS = {"T-07": "ship behind a switch", "T-35": "do not judge good output by its length"}
"""Traps that are lessons for people; no test can show them."""
TRAPS = [f"T-{number:02}" for number in range(1, 42) if f"T-{number:02}" not in LESSONS]
ROWS = {"I": 16, "L": 3}
"""How many invariants of a turn with its history, and of liveness, there are."""
INVARIANTS = [f"{row}{number + 1}" for row, count in ROWS.items() for number in range(count)]
OTHERS = {"C": 6, "R": 5, "F": 11, "U": 4, "S": 2}
"""Invariants of commands, processes, files, terminal and secrets: marked where one is shown."""
KNOWN = {*INVARIANTS, *(f"{row}{at + 1}" for row, count in OTHERS.items() for at in range(count))}
DEMANDED = {"trap": TRAPS, "invariant": INVARIANTS}


def marks(tree: ast.Module, kind: str) -> Iterator[str]:
    """Yield the numbers on decorators of tests, and of a whole file."""
    places: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found = [one for one in node.decorator_list if ast.unparse(one).startswith(_of(kind))]
            assert not found or node.name.startswith("test_"), f"{node.name} is no test"
            places += found
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            places.append(node.value)
    for call in (node for place in places for node in ast.walk(place)):
        if isinstance(call, ast.Call) and f"{ast.unparse(call.func)}(" == _of(kind):
            yield from (ast.literal_eval(argument) for argument in call.args)


def _of(kind: str) -> str:
    return f"pytest.mark.{kind}("


def marked() -> dict[str, dict[str, list[str]]]:
    """Return the files with tests by what they are marked with."""
    found: dict[str, dict[str, list[str]]] = {kind: defaultdict(list) for kind in DEMANDED}
    for path in sorted(TESTS.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for kind, files in found.items():
            for number in marks(tree, kind):
                files[number].append(str(path.relative_to(TESTS)))
    return found


SHOWN = marked()
NUMBERS = [(kind, number) for kind, numbers in DEMANDED.items() for number in numbers]


@pytest.mark.parametrize(("kind", "number"), NUMBERS, ids=[number for _, number in NUMBERS])
def test_there_is_a_test_of(kind: str, number: str):
    assert SHOWN[kind][number], f"mark the test that shows it with {_of(kind)}{number!r})"


@pytest.mark.parametrize("kind", DEMANDED)
def test_no_test_is_marked_with_what_is_none(kind: str):
    assert {*SHOWN[kind]} <= {*DEMANDED[kind]}.union(KNOWN)
