"""The tags that matter outside calls, and in a call of one tool."""

import re

from agent_cli.types.requests import ToolSpec
from agent_cli.wire.xml_tools.parameters import Parameter, parameters, with_aliases

_GAP = 1000
"""White space between two tags may be this long."""
SPACE = rf"[ \t\r\n]{{0,{_GAP}}}+"
_LONGEST_NAME = 64
_LONGEST_FOREIGN = 200
_INDENT = r"[ \t]{0,12}"


class Catalogue:
    """The tools that can be called."""

    def __init__(self, specs: tuple[ToolSpec, ...]) -> None:
        self._known = {spec.name: with_aliases(parameters(spec)) for spec in specs}
        self._grammars: dict[tuple[str, str], Grammar] = {}
        self.names = tuple(self._known)
        self.tags = tuple(f"<{name}>" for name in self.names)

    def grammar(self, name: str, mark: str = "") -> "Grammar":
        grammar = self._grammars.get((name, mark))
        if grammar is None:
            grammar = self._grammars[name, mark] = Grammar(name, self._known[name], mark)
        return grammar


class Grammar:
    """The tags of one tool as regular expressions; every repetition in them is bounded."""

    def __init__(self, tool: str, known: tuple[Parameter, ...], mark: str) -> None:
        """`mark` is what closes the Markdown fence around the call, if there is one."""
        self.tool = tool
        self.known = known
        self._tool = re.escape(tool)
        names = frozenset(parameter.name for parameter in known)
        self.longest_tag = max(_LONGEST_NAME + 16, *map(len, (*names, tool))) + len("</>")
        opening = f"<(?P<open>{_any_of(names)})>"
        end = f"(?P<end></{self._tool}>)"
        fence = re.escape(mark) if mark else "(?!)"
        word = rf"[\w.-]{{0,{_LONGEST_NAME}}}"
        text = rf"[^<]{{0,{_LONGEST_FOREIGN}}}"
        foreign = rf"<(?!{self._tool}>)(?P<foreign>\w{word})>{text}</(?P=foreign)>"
        self.beginning = re.compile(rf"{opening}|{end}|\n{_INDENT}(?P<fence>{fence})")
        self.after = re.compile(rf"{SPACE}(?:{opening}|{end}|(?P<fence>{fence})|{foreign})")
        longest = rf"[^<>]{{0,{self.longest_tag}}}"
        started = rf"</?{longest}|<\w{word}>{text}(?:</?{word})?"
        marked = f"(?:{re.escape(mark[:1])}){{0,{len(mark)}}}"
        self.could_follow = re.compile(rf"{SPACE}(?:{started}|{marked})?")

    def inside(self, closable: tuple[str, ...]) -> re.Pattern[str]:
        """Match what matters in the text of a parameter."""
        return re.compile(f"</(?P<close>{_any_of(frozenset(closable))})>|<{self._tool}>")


def _any_of(names: frozenset[str]) -> str:
    return "|".join(map(re.escape, sorted(names))) or "(?!)"
