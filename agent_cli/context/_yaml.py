"""As much YAML as people write by hand: maps, lists, texts. Every scalar is a text.

What is not read raises ValueError with its line: anchors, tags, several documents, and whatever
is not understood. A wrong reading would be worse than none.
"""

import json
import re
from typing import Any

_KEY = re.compile(
    r"(\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^\s#\-&*!|>'\"%@`{\[,?:][^#]*?|-[^\s#]*?):(?=\s|$)"
)
_BLOCK = re.compile(r"([|>])([+-]?)\s*(?:#.*)?")
_REFUSED = ("&", "*", "!", "%", "? ", "@", "`", "]", "}", ",")
_FLOW = re.compile(
    r"\s*(\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[\[\]{},]|:(?=\s)|[^\s\[\]{},][^\[\]{},]*?(?=\s*(?:[\[\]{},]|:\s|$)))"
)
_DEEPEST = 20


def read_yaml(text: str) -> Any:
    """Return maps, lists and texts; raises ValueError."""
    reader = _Reader(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\u00a0", " "))
    return reader.document()


class _Reader:
    """A place in a text. The lines are parted as they are read: `- a: b` is a list of a map."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._at = 0
        self._depth = 0

    def document(self) -> Any:
        if self._next() == "---":
            self._at += 1
        value = self._value(0) if self._next() is not None else ""
        if self._next() is not None:
            raise self._fault()
        return value

    def _next(self) -> str | None:
        """Go to the next line that says something; return it."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip() and not line.lstrip().startswith("#"):
                if "\t" in line[: len(line) - len(line.lstrip())]:
                    raise self._fault()
                return line
            self._at += 1
        return None

    def _value(self, least: int) -> Any:
        """Read what begins at the next line, which is indented at least so far."""
        line = self._next()
        if line is None or _indent(line) < least:
            return ""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._fault()
        try:
            indent = _indent(line)
            if _is_item(line):
                return self._list(indent)
            if _KEY.match(line, indent):
                return self._map(indent)
            self._at += 1
            return self._scalar(line.strip(), indent)
        finally:
            self._depth -= 1

    def _list(self, indent: int) -> list[Any]:
        items: list[Any] = []
        while (line := self._next()) is not None and _indent(line) == indent and _is_item(line):
            rest = line[indent + 1 :]
            if rest.strip() and not rest.lstrip().startswith("#"):
                self._lines[self._at] = " " * (indent + 1) + rest
            else:
                self._at += 1
            items.append(self._value(indent + 1))
        self._ended(indent)
        return items

    def _map(self, indent: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while (line := self._next()) is not None and _indent(line) == indent:
            found = _KEY.match(line, indent)
            if found is None:
                raise self._fault()
            key = _unquoted(found[1])
            if key in members:
                raise self._fault()
            self._at += 1
            rest = line[found.end() :].strip()
            if rest and not rest.startswith("#"):
                members[key] = self._scalar(rest, indent + 1)
            else:
                below = self._next()
                as_deep = below is not None and _is_item(below) and _indent(below) == indent
                members[key] = self._value(indent if as_deep else indent + 1)
        self._ended(indent)
        return members

    def _ended(self, indent: int) -> None:
        line = self._next()
        if line is not None and _indent(line) > indent:
            raise self._fault()

    def _scalar(self, first: str, least: int) -> Any:
        """Read a value whose first line is given; the lines after it belong to it if deeper."""
        if first.startswith(_REFUSED):
            raise self._fault(-1)
        block = _BLOCK.fullmatch(first)
        if block is not None:
            return self._block(least, folded=block[1] == ">")
        quote = first[0] if first[0] in "'\"" else ""
        text = first
        while (line := self._next()) is not None and not _is_whole(text, quote):
            self._at += 1
            text += " " + line.strip()
        if not _is_whole(text, quote):
            raise self._fault(-1)
        if quote or text[0] in "[{":
            return _flow(_without_remark(text, quote), self._fault(-1))
        return self._plain(_without_remark(text, ""), least)

    def _plain(self, text: str, least: int) -> str:
        while (line := self._next()) is not None and _indent(line) >= max(least, 1):
            if _KEY.match(line, _indent(line)):
                raise self._fault()
            self._at += 1
            text += " " + _without_remark(line.strip(), "")
        return text

    def _block(self, least: int, *, folded: bool) -> str:
        taken: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip() and _indent(line) < max(least, 1):
                break
            taken.append(line)
            self._at += 1
        depth = min((_indent(line) for line in taken if line.strip()), default=0)
        lines = [line[depth:].rstrip() for line in taken]
        return _folded(lines) if folded else "\n".join(lines).strip("\n")

    def _fault(self, back: int = 0) -> ValueError:
        return ValueError(f"line {self._at + 1 + back} is not understood")


def _folded(lines: list[str]) -> str:
    """Join lines by blanks; blank lines part paragraphs, and deeper lines stay as they are."""
    text = last = ""
    blanks = 0
    for line in lines:
        if not line:
            blanks += 1
            continue
        if text and (line[0] == " " or last[0] == " "):
            text += "\n" * (blanks + 1)
        elif text:
            text += "\n" * blanks or " "
        text, last, blanks = text + line, line, 0
    return text


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _is_item(line: str) -> bool:
    stripped = line.lstrip()
    return stripped == "-" or stripped.startswith("- ")


def _is_whole(text: str, quote: str) -> bool:
    """Whether a quoted or bracketed value has its end; a plain one always has."""
    if quote == "'":
        return re.match(r"'(?:[^']|'')*'", text) is not None
    if quote:
        return re.match(r"\"(?:[^\"\\]|\\.)*\"", text) is not None
    if text[0] in "[{":
        bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'", "", text)
        return sum(bare.count(one) for one in "[{") <= sum(bare.count(one) for one in "]}")
    return True


def _without_remark(text: str, quote: str) -> str:
    if quote:
        found = re.match(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'", text)
        rest = text[found.end() :].strip() if found else ""
        return found[0] if found and (not rest or rest.startswith("#")) else text
    return re.split(r"\s#", text, maxsplit=1)[0].strip()


def _unquoted(text: str) -> str:
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if text.startswith('"'):
        return str(json.loads(text))  # the escapes that people use are those of JSON
    return text.strip()


def _flow(text: str, fault: ValueError) -> Any:
    """Read `[a, {b: c}]` or a quoted text, which is all there is of it."""
    words: list[str] = []
    end = 0
    while end < len(text.rstrip()):
        found = _FLOW.match(text, end)
        if found is None:
            raise fault
        words.append(found[1])
        end = found.end()
    words.reverse()
    value = _flow_value(words, fault, 0)
    if words:
        raise fault
    return value


def _flow_value(words: list[str], fault: ValueError, depth: int) -> Any:
    word = words.pop() if words else ""
    if depth > _DEEPEST or word in ("", ",", ":", "]", "}") or word.startswith(_REFUSED):
        raise fault
    if word not in ("[", "{"):
        return _unquoted(word)
    items: list[Any] = []
    members: dict[str, Any] = {}
    end = "]" if word == "[" else "}"
    while words and words[-1] != end:
        value = _flow_value(words, fault, depth + 1)
        if word == "[":
            items.append(value)
        elif words and words.pop() == ":" and isinstance(value, str):
            members[value] = _flow_value(words, fault, depth + 1)
        else:
            raise fault
        if words and words[-1] == ",":
            words.pop()
    if not words:
        raise fault
    words.pop()
    return items if word == "[" else members
