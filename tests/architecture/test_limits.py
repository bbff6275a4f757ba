"""The limits of style: small files, classes and functions, and no drawers."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = [
    path
    for top in ("agent_cli", "tests")
    for path in sorted((ROOT / top).rglob("*.py"))
    if "demo/project" not in path.as_posix()
]
DRAWERS = {"utils", "helpers", "common", "misc"}


def lines(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_holds_one_idea(path: Path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    assert path.stem.strip("_") not in DRAWERS
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            assert lines(node) <= 150, f"class {node.name}"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert lines(node) <= 40, f"function {node.name}"
