"""Each row of the proxy's acceptance matrix has tests in every cell that applies to it.

A test says its rows in its name, `test_a25_…` or `test_a29_a30_…`, and its cells by the decorators
of testbed/proxy_cells.py. `python -m pytest tests/proxy -k a25_` runs a row.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from testbed import proxy_cells
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.proxy_cells import ALL, Cell

PROXY = Path(__file__).parents[1] / "proxy"
ROWS = [f"a{number}" for number in range(1, 76)]
_NAME = re.compile(r"test_((?:a\d+_)+)")
STREAMED = {cell for cell in ALL if cell.stream}
WHOLE = {cell for cell in ALL if not cell.stream}
OF_CHAT = {cell for cell in ALL if cell.wire == OPENAI_CHAT}
OF_RESPONSES = {cell for cell in ALL if cell.wire == OPENAI_RESPONSES}
FEWER: dict[str, tuple[set[Cell], str]] = {
    "a2": (STREAMED, "it is about when words come"),
    "a58": (OF_CHAT, "only Chat Completions has several choices"),
    "a59": (STREAMED, "nothing can be said before a whole answer"),
    "a63": (
        {*ALL} - {Cell(ANTHROPIC_MESSAGES, stream=False)},
        "a whole message cannot hold arguments that are no JSON",
    ),
    "a70": (WHOLE, "lists and counts are never streamed"),
    "a75": (OF_RESPONSES, "only Responses has chains"),
}
"""Rows with fewer cells than all, and why."""


def shown() -> dict[str, set[Cell]]:
    """Return the cells in which each row has a test."""
    found: dict[str, set[Cell]] = defaultdict(set)
    for path in sorted(PROXY.glob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and (named := _NAME.match(node.name)):
                for row in named[1].strip("_").split("_"):
                    found[row].update(_cells(node))
    return found


def _cells(function: ast.FunctionDef) -> Iterator[Cell]:
    for decorator in function.decorator_list:
        mark = getattr(proxy_cells, ast.unparse(decorator), None)
        if not isinstance(mark, pytest.MarkDecorator):
            continue
        kind, values = mark.args
        if kind == "cell":
            yield from (one.values[0] for one in values)
        else:
            yield from (Cell(wire, stream) for wire in values for stream in (False, True))


SHOWN = shown()


@pytest.mark.parametrize("row", ROWS)
def test_there_is_a_test_in_each_cell_of(row: str):
    wanted, _ = FEWER.get(row, (set(ALL), ""))
    missing = sorted(cell.id for cell in wanted - SHOWN[row])
    assert not missing, f"{row} has no test in {missing}"


def test_no_test_is_named_after_a_row_that_is_none():
    assert {*SHOWN} <= {*ROWS, "a76"}
