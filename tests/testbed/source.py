"""The product's source as syntax trees, for tests of how it is built and what it says."""

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

_FROM_ELSEWHERE = ("command.help", "command.hint", "part.help")
ROOT = Path(__file__).parents[2]


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of ours by its path below `agent_cli`; the demo's project is data."""
    root = ROOT / "agent_cli"
    found = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*.py"))}
    return {
        name: ast.parse(path.read_text(encoding="utf-8"))
        for name, path in found.items()
        if "demo/project" not in name
    }


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Every call, with what is called as it is written: `os.open`, `path.read_text`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def imports(tree: ast.AST) -> Iterator[str]:
    """Every imported name in full: `os`, `asyncio.subprocess`, `asyncio.subprocess.Process`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


Message: TypeAlias = str | tuple[str, str]
"""A message as gettext knows it; one that goes with a count has two forms in English."""


def said(tree: ast.Module) -> Iterator[Message]:
    """Every message that the module passes to `say` or `say_many`.

    A message that `say` gets from a variable comes from the module's table of commands, or from a
    slash command, which says in its own module what it does.
    """
    from_table = False
    for called, node in calls(tree):
        if called == "Command":
            yield from _of_slash_command(node)
        if called == "say_many":
            one, many = (ast.literal_eval(argument) for argument in node.args[:2])
            yield (one, many)
        if called != "say":
            continue
        for message in branches(node.args[0]):
            if isinstance(message, ast.Constant) and isinstance(message.value, str):
                yield message.value
            elif ast.unparse(message) not in _FROM_ELSEWHERE:
                from_table = True
    if from_table:
        yield from _command_table(tree)


def _of_slash_command(node: ast.Call) -> Iterator[str]:
    for keyword in node.keywords:
        if f"command.{keyword.arg}" in _FROM_ELSEWHERE:
            assert isinstance(keyword.value, ast.Constant), "a slash command is a table"
            yield str(keyword.value.value)


def branches(node: ast.expr) -> Sequence[ast.expr]:
    """What a conditional expression can be; anything else is only itself."""
    if isinstance(node, ast.IfExp):
        return (*branches(node.body), *branches(node.orelse))
    return (node,)


def _command_table(tree: ast.Module) -> Iterator[str]:
    tables = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and "COMMANDS" in ast.unparse(node).split("=")[0]
    ]
    assert tables, "say() gets a message that is neither written there nor in COMMANDS"
    for table in tables:
        assert isinstance(table, ast.Dict)
        for value in table.values:
            words = [node.value for node in ast.walk(value) if isinstance(node, ast.Constant)]
            yield from (word for word in words if isinstance(word, str))
