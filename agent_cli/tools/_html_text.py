"""The readable text of an HTML page, with headings, links, lists, tables and code as Markdown.

What a reader of the page would not see, scripts and hidden parts, is left out.
"""

import re
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

_SILENT = frozenset(
    {"script", "style", "noscript", "template", "svg", "head", "iframe", "object", "select", "nav"}
)
"""Elements with nothing to read in them."""
_BLOCKS = frozenset(
    {
        "address", "article", "aside", "blockquote", "caption", "dd", "details", "div", "dl", "dt",
        "fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "main", "ol", "p",
        "section", "summary", "table", "tbody", "tfoot", "thead", "title", "tr", "ul",
    }
)  # fmt: skip
_VOID = frozenset(
    {
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
        "source", "track", "wbr",
    }
)  # fmt: skip
_ENDS = {
    "li": {"li"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "option": {"option"},
    "td": {"td", "th"}, "th": {"td", "th"}, "tr": {"td", "th", "tr"},
}  # fmt: skip
"""Which elements end where another begins, without a word of it."""
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")
_DEEPEST = 500
"""Open elements; what is deeper is read as if it were not."""
_FENCE = "```"


class Readable(Struct, frozen=True):
    title: str
    text: str


def readable(page: str, url: str) -> Readable:
    """Return title and text; links are made absolute by the page's URL."""
    reader = _Reader(url)
    reader.feed(page)
    reader.close()
    return Readable(" ".join("".join(reader.title).split()), reader.text())


class _Reader(HTMLParser):
    """Writes while it reads: `_lines` are done, `_line` is the one that is written."""

    def __init__(self, url: str) -> None:
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self._url = url
        self._open: list[str] = []
        self._silent_from: int | None = None
        """How many elements were open outside the outermost silent one."""
        self._lines: list[str] = []
        self._line = ""
        self._lists: list[int | None] = []
        """The open lists: the last number, None for one without numbers."""
        self._links: list[str] = []
        self._preformatted = 0

    def text(self) -> str:
        self._break()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self._lines)).strip("\n")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "base" and given.get("href"):
            self._url = urljoin(self._url, given["href"])
        self._end_implied(tag)
        if tag not in _VOID:
            if len(self._open) >= _DEEPEST:
                return
            self._open.append(tag)
            if self._silent_from is None and (tag in _SILENT or _is_unseen(given)):
                self._silent_from = len(self._open) - 1
        if self._silent_from is None:
            self._begin(tag, given)

    def _end_implied(self, tag: str) -> None:
        ended = set(_ENDS.get(tag, ()))
        if tag in _BLOCKS or tag in _HEADINGS or tag == "pre":
            ended.add("p")
        while self._open and self._open[-1] in ended:
            self.handle_endtag(self._open[-1])

    def handle_endtag(self, tag: str) -> None:
        if tag not in self._open:
            return
        while True:  # what was opened within it ends with it
            last = self._open.pop()
            if self._silent_from is None:
                self._end(last)
            elif len(self._open) <= self._silent_from:
                self._silent_from = None
            if last == tag:
                return

    def handle_data(self, data: str) -> None:
        if "title" in self._open and "svg" not in self._open:
            self.title.append(data)
        elif self._silent_from is not None:
            return
        elif self._preformatted:
            *whole, rest = data.split("\n")
            for line in whole:
                self._lines.append(self._line + line)
                self._line = ""
            self._line += rest
        else:
            words = re.sub(r"\s+", " ", data)
            self._line += words.lstrip() if not self._line or self._line.endswith(" ") else words

    def _begin(self, tag: str, given: dict[str, str]) -> None:
        if tag in _HEADINGS:
            self._paragraph()
            self._line = f"{_HEADINGS[tag]} "
        elif tag == "li":
            self._item()
        elif tag in {"ol", "ul"}:
            self._break()
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "pre":
            self._paragraph()
            self._lines.append(_FENCE)
            self._preformatted += 1
        elif tag in {"td", "th"}:
            self._line += "| "
        elif tag in _BLOCKS:
            self._paragraph() if tag == "p" else self._break()
        else:
            self._inline(tag, given)

    def _inline(self, tag: str, given: dict[str, str]) -> None:
        if tag == "br":
            self._break(keep_blank=True)
        elif tag == "a":
            target = self._absolute(given.get("href", ""))
            self._links.append(target)
            self._line += "[" if target else ""
        elif tag == "img" and given.get("alt", "").strip():
            self._line += f"![{given['alt'].strip()}]"
        elif tag == "code" and not self._preformatted:
            self._line += "`"

    def _end(self, tag: str) -> None:
        if tag in _HEADINGS or tag == "p":
            self._paragraph()
        elif tag in {"ol", "ul"}:
            self._break()
            self._lists.pop()
            if not self._lists:
                self._paragraph()
        elif tag == "pre":
            self._preformatted -= 1
            self._break()
            self._lines += [_FENCE, ""]
        elif tag in {"td", "th"}:
            self._line = self._line.rstrip() + " "
        elif tag == "a":
            target = self._links.pop()
            self._line = f"{self._line.rstrip()}]({target})" if target else self._line
        elif tag == "code" and not self._preformatted:
            self._line += "`"
        elif tag in _BLOCKS or tag == "li":
            self._break()

    def _item(self) -> None:
        self._break()
        mark = "-"
        if self._lists and self._lists[-1] is not None:
            self._lists[-1] += 1
            mark = f"{self._lists[-1]}."
        self._line = f"{'  ' * (len(self._lists) - 1)}{mark} "

    def _paragraph(self) -> None:
        self._break()
        if self._lines and self._lines[-1] and not self._lists:
            self._lines.append("")

    def _break(self, *, keep_blank: bool = False) -> None:
        line = self._line if self._preformatted else self._line.rstrip()
        if line or keep_blank:
            self._lines.append(line)
        self._line = ""

    def _absolute(self, href: str) -> str:
        """Return where the link leads on the web; empty for one within the page, and the like."""
        try:
            target = urljoin(self._url, href.strip())
            leads = urlsplit(target).scheme in {"http", "https"} and not href.startswith("#")
        except ValueError:
            return ""
        return target if href and leads else ""


def _is_unseen(given: dict[str, str]) -> bool:
    return (
        "hidden" in given
        or given.get("aria-hidden") == "true"
        or _UNSEEN.search(given.get("style", "")) is not None
    )
