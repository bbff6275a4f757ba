"""A text file as text, such that what is not edited comes back byte for byte.

Lines end at LF, CR LF and CR, nowhere else, and each keeps its own end. Bytes that are not UTF-8
pass through as surrogates. A leading mark stays; with one, UTF-16 is decoded and encoded back.
"""

import re
from io import StringIO

from msgspec import Struct, structs

from agent_cli.types.errors import ToolError

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_SURROGATE = re.compile("[\ud800-\udfff]")


class Line(Struct, frozen=True):
    text: str
    end: str
    """LF, CR LF, CR, or nothing on a last line without an end."""


class Text(Struct, frozen=True):
    body: str
    encoding: str = "utf-8"
    mark: bytes = b""

    @property
    def is_binary(self) -> bool:
        return "\0" in self.body

    @property
    def is_unicode(self) -> bool:
        """Whether every byte was part of a character."""
        return self.body.isascii() or _SURROGATE.search(self.body) is None

    def encode(self) -> bytes:
        errors = "surrogateescape" if self.encoding == "utf-8" else "strict"
        return self.mark + self.body.encode(self.encoding, errors)

    def with_body(self, body: str, *, added: str) -> "Text":
        """Return the text with another body, in which `added` is what the file did not hold.

        ToolError if that is not ASCII and the file not UTF-8: its encoding is not known.
        """
        if not added.isascii() and not self.is_unicode:
            raise ToolError(
                "the file is not UTF-8 and its encoding is unknown: only ASCII text can be added"
            )
        if "\0" in added:
            raise ToolError("the new text contains a NUL character, which no text file holds")
        if not self.encoding == "utf-8" and _SURROGATE.search(added):
            raise ToolError("the new text contains characters that cannot be encoded")
        return structs.replace(self, body=body)


def decode(data: bytes) -> Text:
    """Return the file's text; `decode(data).encode() == data` for all data."""
    for mark, encoding in _UTF16_MARKS:
        if data.startswith(mark):
            try:
                return Text(data[2:].decode(encoding), encoding, mark)
            except UnicodeDecodeError:
                break
    mark = _UTF8_MARK if data.startswith(_UTF8_MARK) else b""
    return Text(data[len(mark) :].decode("utf-8", "surrogateescape"), mark=mark)


def as_utf8(data: bytes) -> bytes:
    """Return a file's content in UTF-8 and without a mark; bytes that are no text stay."""
    return decode(data).body.encode("utf-8", "surrogateescape")


def split_lines(body: str) -> list[Line]:
    """Part a body into lines; joined again they are the body."""
    return list(map(Line, *texts_and_ends(body)))


def texts_and_ends(body: str) -> tuple[list[str], list[str]]:
    """Part a body into the texts of its lines and their ends: much faster than lines one by one."""
    if "\r" in body:
        lines = list(StringIO(body, newline=""))
        texts = [line.rstrip("\r\n") for line in lines]
        return texts, [line[len(text) :] for line, text in zip(lines, texts, strict=True)]
    texts = body.split("\n")
    ends = ["\n"] * len(texts)
    ends[-1] = ""
    return (texts, ends) if texts[-1] else (texts[:-1], ends[:-1])


def join_lines(lines: list[Line]) -> str:
    return "".join(line.text + line.end for line in lines)


def printable(text: str) -> str:
    """Return text that is valid Unicode: bytes that were not UTF-8 become replacement marks."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
