"""The grammars there are: which language a file is in, and what counts as a definition there.

Each comes in a package of its own, with the extra `code`; the shell's is always there. Nothing is
ever downloaded: a grammar that is not installed is not there.
"""

import functools
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePath
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from tree_sitter import Language, Query

EXTRA = "agent-cli[code]"
"""What brings the grammars."""


class Grammar(Struct, frozen=True):
    module: str
    definitions: tuple[str, ...]
    """Patterns of a tree-sitter query: the nodes that define something."""
    function: str = "language"


class Loaded(Struct, frozen=True):
    language: "Language"
    query: "Query"
    """Captures every definition as `definition`."""


_FUNCTION_VALUES = (
    "(lexical_declaration (variable_declarator"
    " value: [(arrow_function) (function_expression) (generator_function)]))",
    "(variable_declaration (variable_declarator"
    " value: [(arrow_function) (function_expression) (generator_function)]))",
)
_JAVASCRIPT = (
    "(function_declaration)",
    "(generator_function_declaration)",
    "(class_declaration)",
    "(method_definition)",
    *_FUNCTION_VALUES,
)
_TYPESCRIPT = (
    *_JAVASCRIPT,
    "(abstract_class_declaration)",
    "(interface_declaration)",
    "(type_alias_declaration)",
    "(enum_declaration)",
    "(internal_module)",
    "(module)",
)
BODIED = frozenset({"struct_specifier", "union_specifier", "enum_specifier", "class_specifier"})
"""Nodes that only name something where they have no body. Not said in the query: with it C++'s
takes twice as long to be made, and nothing else runs meanwhile."""
_C = (
    "(function_definition)",
    "(struct_specifier)",
    "(union_specifier)",
    "(enum_specifier)",
    "(type_definition)",
)

GRAMMARS = {
    "bash": Grammar("tree_sitter_bash", ("(function_definition)",)),
    "c": Grammar("tree_sitter_c", _C),
    "cpp": Grammar("tree_sitter_cpp", (*_C, "(class_specifier)", "(namespace_definition)")),
    "go": Grammar(
        "tree_sitter_go",
        ("(function_declaration)", "(method_declaration)", "(type_declaration)"),
    ),
    "java": Grammar(
        "tree_sitter_java",
        (
            "(class_declaration)",
            "(interface_declaration)",
            "(enum_declaration)",
            "(record_declaration)",
            "(annotation_type_declaration)",
            "(method_declaration)",
            "(constructor_declaration)",
        ),
    ),
    "javascript": Grammar("tree_sitter_javascript", _JAVASCRIPT),
    "python": Grammar("tree_sitter_python", ("(function_definition)", "(class_definition)")),
    "rust": Grammar(
        "tree_sitter_rust",
        (
            "(function_item)",
            "(struct_item)",
            "(enum_item)",
            "(union_item)",
            "(trait_item)",
            "(impl_item)",
            "(mod_item)",
            "(macro_definition)",
        ),
    ),
    "tsx": Grammar("tree_sitter_typescript", _TYPESCRIPT, "language_tsx"),
    "typescript": Grammar("tree_sitter_typescript", _TYPESCRIPT, "language_typescript"),
}
MARKDOWN = "markdown"
"""Needs no grammar: its headings are read line by line."""

ENDINGS = {
    ".bash": "bash", ".sh": "bash",
    ".c": "c", ".h": "c",
    ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp",
    ".go": "go",
    ".java": "java",
    ".cjs": "javascript", ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript",
    ".markdown": MARKDOWN, ".md": MARKDOWN,
    ".py": "python", ".pyi": "python",
    ".rs": "rust",
    ".tsx": "tsx",
    ".cts": "typescript", ".mts": "typescript", ".ts": "typescript",
}  # fmt: skip


def language_of(path: str) -> str | None:
    """Return the language of a file by its name's ending; None for one that is not known."""
    return ENDINGS.get(PurePath(path).suffix.lower())


@functools.cache
def load(language: str) -> Loaded | None:
    """Return the grammar, ready for use; None if its package is not installed."""
    from tree_sitter import Language, Query  # noqa: PLC0415 - 10 ms, and not every run needs it

    grammar = GRAMMARS[language]
    try:
        module = import_module(grammar.module)
    except ImportError:
        return None
    pointer: object = getattr(module, grammar.function)()
    loaded = Language(pointer)
    return Loaded(loaded, Query(loaded, f"[{' '.join(grammar.definitions)}] @definition"))


def installed() -> tuple[str, ...]:
    """Return the languages whose grammars are there, in alphabetical order; loads none."""
    return tuple(name for name in sorted(GRAMMARS) if find_spec(GRAMMARS[name].module))
