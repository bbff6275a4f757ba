"""The bash grammar: a second opinion on what was read, and the commands within anything else."""

import functools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from agent_cli.approval._reader import Script
from agent_cli.approval._structure import reserved
from agent_cli.approval._words import vocabulary

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query, Tree

LONGEST = 4_096
"""Bytes of a text in which commands are looked for; hostile ones take a time that is quadratic."""

_ORDINARY = vocabulary(
    """
    program list pipeline redirected_statement negated_command subshell compound_statement
    if_statement elif_clause else_clause while_statement for_statement do_group
    function_definition command command_name variable_assignment variable_name
    command_substitution process_substitution string string_content raw_string word number
    concatenation simple_expansion special_variable_name file_redirect file_descriptor
    heredoc_redirect heredoc_start heredoc_body heredoc_end heredoc_content herestring_redirect
    comment test_operator unary_expression binary_expression
    """
)
"""Kinds of which it is known what they hold; all others are looked at as broadly as can be."""
_DYNAMIC = frozenset(
    {"command_substitution", "process_substitution", "simple_expansion", "expansion"}
)
_LINE_ENDS = frozenset({b"", b"\n"})
_HERE_EXPANDS = re.compile(r"<<-?[ \t]*[A-Za-z0-9_]")
_HERE = re.compile(r"(['\"]?)[A-Za-z0-9_]+\1")


class Command(Struct, frozen=True):
    """A simple command somewhere in a text; its words are as written."""

    words: tuple[str, ...]
    text: str


def agrees(script: Script) -> bool:
    """Whether the grammar sees the same commands begin in the text as were read."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - 10 ms, and not every run needs it

    tree = _parse(_CONTINUED.sub("  ", script.text).rstrip(" \t"))
    if tree is None or tree.root_node.has_error:
        return False
    captures = QueryCursor(_query()).captures(tree.root_node).get("command", [])
    return sorted(node.start_byte for node in captures) == _byte_places(script)


def commands(text: str) -> tuple[Command, ...] | None:
    """Return every simple command in the text, however deep; None where that is not certain."""
    if len(text) > LONGEST or _MISREAD.search(text):
        return None
    tree = _parse(text)
    if tree is None or tree.root_node.has_error:
        return None
    data = text.encode("utf-8", "surrogateescape")
    found: list[Command] = []
    left = [tree.root_node]
    while left:
        node = left.pop()
        if node.is_named and not _is_ordinary(node):
            return None
        if node.type == "`" or (node.type == "file_redirect" and _swallows(node)):
            return None
        if node.type.startswith("heredoc_") and not _is_plain_here(node, data, text):
            return None
        if node.type == "command":
            command = _command(node)
            if command is None:
                return None
            found.append(command)
        left.extend(node.children)
    return tuple(found)


def _is_plain_here(node: "Node", data: bytes, text: str) -> bool:
    """Whether the part of a here-document is one that the grammar reads as a shell does."""
    if node.type == "heredoc_start":
        return _HERE.fullmatch(_text(node)) is not None
    if node.type == "heredoc_end":
        return data[node.end_byte : node.end_byte + 1] in _LINE_ENDS
    return node.type != "heredoc_body" or "`" not in _text(node) or not _HERE_EXPANDS.search(text)


def _is_ordinary(node: "Node") -> bool:
    if node.type == "expansion":
        return _SIMPLE.fullmatch(_text(node)) is not None
    if node.type in {"test_command", "compound_statement"}:  # to dash `((` is two subshells
        return not _text(node).startswith(("[[", "(("))
    return node.type in _ORDINARY


_SIMPLE = re.compile(r"\$\{\w+\}")
_CONTINUED = re.compile(r"\\\n(?=[ \t])|(?<=[ \t\n;&|])\\\n")
"""Lines continued between words, which the grammar does not know in all places."""
_MISREAD = re.compile(r"[<>&|\[({`$\"]{24} | [^ \t\n;&|]\\\n[^ \t\n]", re.VERBOSE)
"""What takes the grammar long, and a word continued on the next line, which it takes for two."""


def _command(node: "Node") -> Command | None:
    name = node.child_by_field_name("name")
    if name is None or _is_dynamic(name) or (_text(name) != "time" and reserved(_text(name))):
        return None
    arguments = node.children_by_field_name("argument")
    return Command(tuple(_text(one) for one in (name, *arguments)), _text(node))


def _is_dynamic(node: "Node") -> bool:
    left = [node]
    while left:
        one = left.pop()
        if one.type in _DYNAMIC:
            return True
        left.extend(one.children)
    return False


def _swallows(redirect: "Node") -> bool:
    """Whether the grammar took words that follow a redirection for more of its target."""
    return len(redirect.children_by_field_name("destination")) != 1


def _text(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape")


def _byte_places(script: Script) -> Sequence[int]:
    starts = [command.start for command in script.commands]
    if script.text.isascii():
        return starts
    places: list[int] = []
    bytes_before, before = 0, 0
    for start in starts:
        bytes_before += len(script.text[before:start].encode())
        before = start
        places.append(bytes_before)
    return places


def _parse(text: str) -> "Tree | None":
    from tree_sitter import Parser  # noqa: PLC0415 - as above

    return Parser(_language()).parse(text.encode("utf-8", "surrogateescape"))


@functools.lru_cache(maxsize=1)
def _query() -> "Query":
    from tree_sitter import Query  # noqa: PLC0415 - as above

    return Query(_language(), "[(command) (test_command)] @command")


@functools.lru_cache(maxsize=1)
def _language() -> "Language":
    import tree_sitter_bash  # noqa: PLC0415 - as above
    from tree_sitter import Language  # noqa: PLC0415 - as above

    return Language(tree_sitter_bash.language())
