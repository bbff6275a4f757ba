"""The readable text of pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.tools._html_text import readable

URL = "https://example.com/a/b?c"

PAGES = {
    "plain": ("hello", "hello"),
    "blanks": ("<p> a \n  b </p>", "a b"),
    "paragraphs": ("<p>a</p><p>b</p>", "a\n\nb"),
    "paragraphs without ends": ("<p>a<p>b<div>c</div>", "a\n\nb\n\nc"),
    "headings": ("<h1>A</h1>b<h3>C</h3>d", "# A\n\nb\n\n### C\n\nd"),
    "a link": ('see <a href="x.html">this</a>.', "see [this](https://example.com/a/x.html)."),
    "a link within": ('<a href="#top">up</a>', "up"),
    "a script link": ('<a href="javascript:x()">go</a>', "go"),
    "a broken link": ('<a href="http://[x">go</a>', "go"),
    "a base": ('<base href="/z/"><a href="x">y</a>', "[y](https://example.com/z/x)"),
    "lists": (
        "<ul><li>a<li>b<ol><li>c</li><li>d</li></ol></li></ul>e",
        "- a\n- b\n  1. c\n  2. d\n\ne",
    ),
    "a table": (
        "<table><tr><th>a<th>b<tr><td>1</td><td>2</td></tr></table>",
        "| a | b\n| 1 | 2",
    ),
    "code": ("<p>run <code>ls -l</code></p>", "run `ls -l`"),
    "a program": ("<p>a<pre>b\n  <code>c</code>\n</pre>d", "a\n\n```\nb\n  c\n```\n\nd"),
    "a line break": ("a<br>b<br><br>c", "a\nb\n\nc"),
    "an image": ('<img src="x" alt=" a cat "><img src="y">', "![a cat]"),
    "scripts": ("a<script>var b = '<p>';</script><style>c</style><noscript>d</noscript>e", "ae"),
    "the head": ("<head><title>T</title><meta></head><body>a", "a"),
    "hidden": ('a<div hidden>b<p>c</div><i style="display: none">d</i>e', "ae"),
    "hidden in a link": ('<a href="/x">y<span aria-hidden="true">z</a>', "[y](https://example.com/x)"),
    "entities": ("&lt;b&gt; &amp;&nbsp;c", "<b> & c"),
    "stray ends": ("</p></ul></a>a</li>", "a"),
    "nothing": ("", ""),
}  # fmt: skip


@pytest.mark.parametrize(("page", "text"), PAGES.values(), ids=PAGES)
def test_pages_become_text(page: str, text: str):
    assert readable(page, URL).text == text


def test_the_title_is_apart():
    page = "<head><title> A\n page </title></head><body><svg><title>no</title></svg>x"
    assert readable(page, URL).title == "A page"


def test_elements_without_end_are_read_to_a_depth():
    page = "<div>" * 2000 + "deep" + "<pre><ol><li>" * 10 + "x"
    assert readable(page, URL).text == "deepx"


TAGS = ["p", "ul", "ol", "li", "a href=x", "pre", "code", "td", "tr", "div hidden", "h1", "script"]
PIECES = st.sampled_from(
    [f"<{tag}>" for tag in TAGS] + [f"</{tag.split()[0]}>" for tag in TAGS] + ["text", "\n", "<br>"]
)


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=50))
def test_no_page_breaks_the_reader(page: str):
    text = readable(page, URL).text
    assert not text.startswith("\n")
    assert "\n\n\n" not in text
