"""Exported documents hold together whatever a session says."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from markdown_it import MarkdownIt
from msgspec.structs import replace
from testbed.any_journal import JOURNALS
from testbed.journals import SESSION, journal_of
from testbed.reading import reading
from testbed.story import BEGINNING, Told, asked, entries_of, ran
from testbed.story import SESSION as SESSION_STARTED

from agent_cli.frontends.exports.formats import format_of, rendered
from agent_cli.frontends.exports.markdown import code, fenced, markdown
from agent_cli.frontends.exports.page import page
from agent_cli.frontends.sanitiser import visible
from agent_cli.sessions.export import exported
from agent_cli.sessions.told import Export
from agent_cli.types.entries import AssistantSaid, CallFinished, Entry, UserSaid
from agent_cli.types.errors import ConfigurationError
from agent_cli.types.messages import AssistantMessage, Image, Text, ToolCall, ToolResult
from agent_cli.types.outcomes import Outcome

EMPTY = {"meta", "!DOCTYPE"}
OURS = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "h3", "h4"),
    *("dl", "div", "dt", "dd", "section", "article", "details", "summary", "b", "i", "p"),
    *("pre", "code"),
}
ATTRIBUTES = {"charset", "http-equiv", "content", "name", "class", "open"}


class Page(HTMLParser):
    """Every element closed in its turn, and none that is not ours."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in OURS
        assert {name for name, _ in attrs} <= ATTRIBUTES
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)


def read(document: str) -> Page:
    parsed = Page()
    parsed.feed(document)
    parsed.close()
    assert parsed.open == []
    return parsed


def export_of(*told: Told) -> Export:
    return exported(reading(journal_of(entries_of([*BEGINNING, *told]))))


@given(JOURNALS)
def test_a_page_is_well_formed_and_ours_alone(told: list[Entry]):
    document = page(exported(reading(journal_of(told))))
    read(document)
    assert "<script" not in document.lower()
    assert visible(document) == document


def test_a_page_shows_what_was_said_and_done():
    document = page(exported(reading(journal_of(SESSION))))
    text = read(document).text
    for shown in (
        "a name",
        "do it",
        "größer — 你好",
        "line two",
        "it is done",
        "look at it",
        "unsaid",
    ):
        assert shown in text
    assert "well &lt;script&gt;alert(1)&lt;/script&gt;" in document
    assert not re.search(r"https?:|url\(|@import|src=|href=", document)


SHOWN: dict[str, tuple[list[Told], str]] = {
    "the origin": ([], "forked from"),
    "damage": ([], "the file is damaged: the last line is incomplete"),
    "an exit status": (
        [asked("a"), *ran("a")[:-1], CallFinished(ToolResult("a", Outcome.OK, exit_code=7))],
        "exit 7",
    ),
    "no result": ([asked("a")], "no result"),
    "images": (
        [
            asked("a"),
            *ran("a")[:-1],
            CallFinished(ToolResult("a", Outcome.OK, images=(Image("image/png", ""),))),
        ],
        "images: 1",
    ),
}


@pytest.mark.parametrize(("told", "shown"), SHOWN.values(), ids=SHOWN)
@pytest.mark.parametrize("render", [markdown, page], ids=["md", "html"])
def test_it_is_told(render: Callable[[Export], str], told: list[Told], shown: str):
    forked = replace(SESSION_STARTED, forked_from="another")
    journal = journal_of([forked, *entries_of([*BEGINNING[1:], *told])])
    assert shown in render(exported(reading(journal + b"torn")))


def test_code_in_prose_is_code_in_a_page():
    said = AssistantSaid(AssistantMessage((Text("Use `<a>`:\n```python\nx < 1\n```\nthen"),)))
    document = page(export_of(said))
    assert "Use <code>&lt;a&gt;</code>:" in document
    assert "<pre>x &lt; 1</pre>" in document


@given(JOURNALS)
def test_markdown_of_any_session_is_safe_to_print(told: list[Entry]):
    document = markdown(exported(reading(journal_of(told))))
    assert visible(document) == document
    assert document.endswith("\n")


def fences(document: str) -> list[str]:
    tokens = MarkdownIt().parse(document)
    assert not [token for token in tokens if token.type == "html_block" and token.level == 0]
    return [token.content for token in tokens if token.type == "fence"]


@given(JOURNALS)
def test_nothing_ends_a_fence_or_a_quote_but_we(told: list[Entry]):
    call = ToolCall("last", "read_file", '{"path":"the last path"}')
    end = entries_of([UserSaid("x"), asked(call), ran("last", content="the last content")])
    document = markdown(exported(reading(journal_of([*told, *end]))))
    assert "h2" in [token.tag for token in MarkdownIt().parse(document)]
    found = fences(document)
    assert ("the last path\n", "the last content\n") in pairwise(found)


@pytest.mark.parametrize("text", ["", "a", "```", "a\n````\n~~~", "`" * 9, "\n\n", " x "])
def test_a_fence_holds_any_text(text: str):
    (found,) = fences("\n".join(fenced(text)))
    assert found.rstrip("\n") == text.rstrip("\n")


@pytest.mark.parametrize("text", ["a", "`", "``a`", " `a` ", "*a*", "<b>"])
def test_code_in_a_line_holds_any_text(text: str):
    (paragraph,) = [one for one in MarkdownIt().parse(code(text)) if one.type == "inline"]
    assert [(one.type, one.content.strip()) for one in paragraph.children or []] == [
        ("code_inline", text.strip())
    ]


@pytest.mark.parametrize(
    ("path", "said", "named"),
    [
        ("a.md", "", "md"),
        ("a.HTML", "", "html"),
        ("a.htm", "", "html"),
        ("a.json", "", "json"),
        ("a.json", "md", "md"),
        ("a", "", "md"),
        (None, "", "md"),
        (None, "html", "html"),
    ],
)
def test_the_format_is_that_of_the_name(path: str | None, said: str, named: str):
    assert format_of(Path(path) if path else None, said) == named


@pytest.mark.parametrize(("path", "said"), [("a.pdf", ""), (None, "xml")])
def test_another_format_is_refused(path: str | None, said: str):
    with pytest.raises(ConfigurationError, match="is no format; use one of md, json, html"):
        format_of(Path(path) if path else None, said)


PARTS: dict[str, Callable[[str], bool]] = {
    "md": lambda text: text.startswith("# a name\n"),
    "json": lambda text: text.startswith('{\n "export_format": 1,'),
    "html": lambda text: text.startswith("<!DOCTYPE html>"),
}


@pytest.mark.parametrize("format_", PARTS)
def test_a_file_is_rendered(format_: str):
    assert PARTS[format_](rendered(exported(reading(journal_of(SESSION))), format_).decode())
