"""Each trap of the specification that concerns code has a test that is marked with its number.

    python -m pytest -m trap

runs them all; `@pytest.mark.trap("T-05")` marks one.
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


def marks(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for decorator in test.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else None
        if called is not None and ast.unparse(called) == "pytest.mark.trap":
            assert isinstance(decorator, ast.Call)
            yield from (ast.literal_eval(argument) for argument in decorator.args)


def marked() -> dict[str, list[str]]:
    """Return the tests by the traps that they are marked with."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for trap in marks(node):
                    assert node.name.startswith("test_"), f"{node.name} is no test"
                    found[trap].append(f"{path.relative_to(TESTS)}::{node.name}")
    return found


SHOWN = marked()


@pytest.mark.parametrize("trap", TRAPS)
def test_every_trap_has_a_test(trap: str):
    assert SHOWN[trap], f"mark the test that shows {trap} with @pytest.mark.trap({trap!r})"


def test_no_test_is_marked_with_a_trap_that_is_none():
    assert {*SHOWN} <= {*TRAPS}
