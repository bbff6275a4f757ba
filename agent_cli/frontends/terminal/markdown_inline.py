"""What is inside a paragraph: emphasis, code and links, as texts with styles.

Nothing of the text is left out but marks: where a link leads is shown behind it, raw HTML and
entities stay what they are. Taking marks away brings signs together that were apart, so what is
left is made visible once more.
"""

import re
from functools import cache
from typing import TYPE_CHECKING

from agent_cli.frontends.sanitiser import Sanitiser
from agent_cli.frontends.terminal.highlight import Spans
from agent_cli.frontends.terminal.theme import Theme

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_MARKS = re.compile(r"[*_`\[<\\~]")
_MOST_BRACKETS = 50
"""In a paragraph with more, links stay as they are written: each may be looked for to the end."""
_BLANKS = re.compile(r"[ \t]*\n[ \t]*")
_BREAK = re.compile(r"(?: {2,}|\\)\n")


def inline(text: str, theme: Theme, style: str = "") -> Spans:
    """Return the text in parts; all of them have the style, and that of what they are."""
    if not _MARKS.search(text):
        hard = [_BLANKS.sub(" ", part.strip(" ")) for part in _BREAK.split(text)]
        return [("\n".join(hard), style)]
    few = text.count("[") <= _MOST_BRACKETS
    (root,) = _parser(links=few).parseInline(text.strip(" "))
    spans = _Spans(theme, style)
    for token in root.children or ():
        spans.take(token)
    return spans.visible()


@cache
def _parser(*, links: bool) -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 30 ms, for who has something to show

    parser = MarkdownIt("commonmark").enable("strikethrough").disable(["html_inline", "entity"])
    return parser if links else parser.disable(["link", "image"])


class _Spans:
    """Collects the parts of one text."""

    def __init__(self, theme: Theme, style: str) -> None:
        self._spans: Spans = []
        self._theme = theme
        self._styles = [style]
        self._links: list[tuple[int, str]] = []
        """Where each link that is open begins, and what to show behind it."""

    def take(self, token: "Token") -> None:
        theme = self._theme
        match token.type:
            case "text" | "text_special":
                self._add(token.content)
            case "code_inline":
                self._add(token.content, theme.inline_code)
            case "softbreak" | "hardbreak":
                self._add(" " if token.type == "softbreak" else "\n")
            case "link_open":
                self._links.append((len(self._spans), _address(token, "href")))
                self._begin(theme.link)
            case "link_close":
                self._styles.pop()
                self._close_link()
            case "image":
                self._add(token.content, theme.link)
                self._add(f" ({_address(token, 'src')})", theme.address)
            case "strong_close" | "em_close" | "s_close":
                self._styles.pop()
            case opens:
                styles = {"strong_open": theme.strong, "em_open": theme.emphasis}
                self._begin(styles.get(opens, theme.struck))

    def visible(self) -> Spans:
        """Return what was collected, safe to show."""
        if all(text.isascii() for text, _ in self._spans):
            return self._spans
        sanitiser = Sanitiser()
        return [(sanitiser.feed(text), style) for text, style in self._spans]

    def _add(self, text: str, style: str = "") -> None:
        if text:
            self._spans.append((text, f"{self._styles[-1]} {style}".strip()))

    def _begin(self, style: str) -> None:
        self._styles.append(f"{self._styles[-1]} {style}".strip())

    def _close_link(self) -> None:
        start, address = self._links.pop()
        shown = "".join([text for text, _ in self._spans[start:]])
        if shown not in (address, address.removeprefix("mailto:")):
            self._add(f" ({address})", self._theme.address)


def _address(token: "Token", name: str) -> str:
    title = token.attrGet("title")
    address = str(token.attrGet(name) or "")
    return f'{address} "{title}"' if title else address
