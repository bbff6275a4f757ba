"""Code with colours: lines, each in parts with the style of what they are.

What cannot be coloured comes as it is: no language was named, or nobody knows it.
"""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Protocol, TypeAlias

from agent_cli.frontends.terminal.theme import Theme

Spans: TypeAlias = list[tuple[str, str]]
"""Texts with the style of each."""


class _Lexer(Protocol):
    def get_tokens(self, text: str) -> Iterable[tuple[object, str]]: ...


def coloured(code: str, language: str, theme: Theme) -> list[Spans]:
    """Return the lines of the code; together their texts are the code's, whatever happens."""
    lexer = _lexer(language) if language and theme.keyword else None
    if lexer is None:
        return _as_it_is(code)
    styles: dict[object, str] = {}
    lines: list[Spans] = [[]]
    for kind, text in lexer.get_tokens(code):
        style = styles.get(kind)
        if style is None:
            style = styles[kind] = _style(str(kind), theme)
        first, *others = text.split("\n")
        line = lines[-1]
        if line and line[-1][1] == style:
            line[-1] = (line[-1][0] + first, style)
        elif first:
            line.append((first, style))
        lines += [[(other, style)] for other in others]
    same = code.split("\n") == ["".join([text for text, _ in line]) for line in lines[:-1]]
    return lines[:-1] if same else _as_it_is(code)


def is_known(language: str) -> bool:
    """Whether code in that language can be coloured."""
    return language.lower() in _lexers()


def _as_it_is(code: str) -> list[Spans]:
    return [[(line, "")] for line in code.split("\n")]


def _style(kind: str, theme: Theme) -> str:
    """Return the style of a kind of token: its own, or that of what it is a kind of."""
    styles = {
        "Token.Keyword": theme.keyword,
        "Token.Keyword.Constant": theme.number,
        "Token.Operator.Word": theme.keyword,
        "Token.Literal.String": theme.string,
        "Token.Literal.Number": theme.number,
        "Token.Comment": theme.comment,
        "Token.Name.Function": theme.definition,
        "Token.Name.Class": theme.definition,
        "Token.Name.Tag": theme.definition,
        "Token.Name.Attribute": theme.builtin,
        "Token.Name.Builtin": theme.builtin,
        "Token.Name.Decorator": theme.builtin,
        "Token.Generic.Heading": theme.heading,
        "Token.Generic.Subheading": theme.heading,
        "Token.Generic.Inserted": theme.added,
        "Token.Generic.Deleted": theme.removed,
        "Token.Generic.Prompt": theme.comment,
    }
    while kind and kind not in styles:
        kind = kind.rpartition(".")[0]
    return styles.get(kind, "")


@cache
def _lexers() -> frozenset[str]:
    """Return the names of languages that are known without looking for plugins."""
    lexers = import_module("pygments.lexers")
    return frozenset(
        alias for _, aliases, _, _ in lexers.get_all_lexers(plugins=False) for alias in aliases
    )


@cache
def _named(language: str) -> _Lexer:
    lexer: _Lexer = import_module("pygments.lexers").get_lexer_by_name(language, stripnl=False)
    return lexer


def _lexer(language: str) -> _Lexer | None:
    return _named(language.lower()) if is_known(language) else None
