"""Which text is a call, and where it and its parameters end."""

import pytest
from testbed.xml_calls import READ_CALL as READ
from testbed.xml_calls import TEXT, TOOLS, decode, said, tool, written

from agent_cli.types.events import TextDelta, ToolCallBegin, ToolCallDelta, ToolCallEnd
from agent_cli.wire.xml_tools.decode import Decoder

READ_A = ("read_file", {"path": "a.py"})


def wrote(content: str) -> list[object]:
    return [("write_to_file", {"path": "x", "content": content})]


OUTSIDE = [
    pytest.param("just text", ["just text"], id="text"),
    pytest.param("", [], id="nothing"),
    pytest.param(f"On it.\n{READ}", ["On it.\n", READ_A], id="a call after text"),
    pytest.param(f"{READ}\nand {READ}", [READ_A], id="the first call ends the message"),
    pytest.param("<check></check>", [("check", {})], id="a tool without parameters"),
    pytest.param("<check/> <foo>x</foo>", ["<check/> <foo>x</foo>"], id="unknown tags"),
    pytest.param("<Read_file> <read_file > <read_file a='1'>",
                 ["<Read_file> <read_file > <read_file a='1'>"], id="not the exact tag"),
    pytest.param("Use `<read_file>` now", ["Use `<read_file>` now"], id="inline code"),
    pytest.param("a < b <read", ["a < b <read"], id="an unfinished tag is text"),
    pytest.param(f"<thinking>{READ}</thinking>ok", [f"<thinking>{READ}</thinking>ok"],
                 id="thinking is text"),
    pytest.param(f"<think>\n{READ}\n</think>{READ}", [f"<think>\n{READ}\n</think>", READ_A],
                 id="a call after thinking"),
    pytest.param(f"<think>{READ}", [f"<think>{READ}"], id="thinking that does not end"),
    pytest.param(f"<think></thinking>{READ}", [f"<think></thinking>{READ}"],
                 id="thinking ends with its own tag"),
    pytest.param('{"name": "read_file", "arguments": {"path": "a.py"}}',
                 ['{"name": "read_file", "arguments": {"path": "a.py"}}'], id="native-looking"),
    pytest.param("<tool_call>{}</tool_call>", ["<tool_call>{}</tool_call>"],
                 id="tags of other protocols"),
    pytest.param("<read_file>\n<path>a.py</path>", ["read_file"], id="an unclosed tool"),
    pytest.param("<read_file>\n<path>a.py\n</read_file>", ["read_file"],
                 id="an unclosed parameter"),
    pytest.param("<read_file>", ["read_file"], id="an opening tag only"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), OUTSIDE)
def test_text_outside_calls(text, expected):
    assert said(text) == expected
    assert said(*text) == expected


FENCES = [
    pytest.param(f"```xml\n{READ}\n```", [READ_A], id="a call alone"),
    pytest.param(f"```\n\n  {READ}\n\n ``` \nmore", [READ_A], id="white space around it"),
    pytest.param(f"~~~~\n{READ}\n~~~~~\n", [READ_A], id="tildes, closed by more"),
    pytest.param(f"Now:\n```\r\n{READ}\r\n```\r\n", ["Now:\n", READ_A], id="CRLF"),
    pytest.param(f"```\n{READ}", [READ_A], id="the end of the message closes it"),
    pytest.param(f"```\n{READ}\n``", [f"```\n{READ}\n``"], id="half a closing line"),
    pytest.param(f"```\nFirst {READ}\n```\n", [f"```\nFirst {READ}\n```\n"], id="prose before"),
    pytest.param(f"```\n{READ} then\n```\n", [f"```\n{READ} then\n```\n"], id="prose after"),
    pytest.param(f"```\n{READ}\n{READ}\n```", [f"```\n{READ}\n{READ}\n```"], id="two calls"),
    pytest.param(f"```\nls\n```\n{READ}", ["```\nls\n```\n", READ_A], id="a call after a fence"),
    pytest.param(f"```\n```\n{READ}", ["```\n```\n", READ_A], id="a call after an empty fence"),
    pytest.param(f"````\n```\n{READ}\n````\n", [f"````\n```\n{READ}\n````\n"],
                 id="a shorter mark does not close it"),
    pytest.param(f"```\n{READ} x\n```\n{READ}", [f"```\n{READ} x\n```\n", READ_A],
                 id="a call after a fence with more than a call"),
    pytest.param(f"```\n{READ} x\n```\n```\n{READ}\n```", [f"```\n{READ} x\n```\n", READ_A],
                 id="one fence with more, one without"),
    pytest.param(f"```x`\n{READ}", ["```x`\n", READ_A], id="a line that only looks like a fence"),
    pytest.param(f"a ```\n{READ}", ["a ```\n", READ_A], id="a mark in the middle of a line"),
    pytest.param("```\n<read_file>\n...\n```\n" + READ,
                 ["```\n<read_file>\n...\n```\n", READ_A], id="closed before the first parameter"),
    pytest.param("```\n<read_file>\n<path>a</path>\n```\n" + READ,
                 ["```\n<read_file>\n<path>a</path>\n```\n", READ_A], id="closed before the call"),
    pytest.param("```\n<read_file>\n<path>a</path> ```\n",
                 ["```\n<read_file>\n<path>a</path> ```\n"],
                 id="a mark after a closing tag, but not on a line"),
    pytest.param("```\n<read_file>\n<path>a", ["```\n<read_file>\n<path>a"], id="an unclosed call"),
    pytest.param(f"```\n{written('```sh' + chr(10) + 'ls' + chr(10) + '```')}\n```\n",
                 wrote("```sh\nls\n```"), id="a fence in the content"),
    pytest.param(f"```\n{written('<write_to_file>')}\n```\n", wrote("<write_to_file>"),
                 id="an opening tag in the content"),
    pytest.param("```\n<read_", ["```\n<read_"], id="half a tag"),
    pytest.param("```xml", ["```xml"], id="half an opening line"),
    pytest.param("```\n" + " " * 1001 + READ, ["```\n" + " " * 1001 + READ],
                 id="too much white space"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FENCES)
def test_a_call_in_a_fence_runs_only_if_it_is_alone(text, expected):
    assert said(text) == expected
    assert said(*text) == expected


CONTENT = [
    "</content>",
    "a </content> b",
    "</content>\n<div>",
    "</content>\n<path>y</path>",
    "</content>\n<content>again",
    "</content>\n</write_to_files>",
    "</write_to_file>",
    "</path>\n</write_to_file>",
    "<read_file><path>a</path></read_file>",
    written("inner"),
    written(written("innermost")),
    f"Write with {written('this')} or with {written('that')}.",
    "<write_to_file>",
    "grep '<write_to_file>' and </content>",
    "  indented\n    more",
    "\nblank lines around\n",
    "&lt;kept&amp;",
    "<![CDATA[x]]>",
    "",
    "one\r\ntwo",
    "</content></content></content>",
    "</content> <b",
    "</content><i>" + "x" * 300,
    "</content>" + " " * 1001 + "</write_to_file>",
]


@pytest.mark.parametrize("content", CONTENT, ids=lambda content: repr(content)[:50])
def test_content_may_hold_anything(content):
    assert said(written(content)) == wrote(content)
    assert said(*written(content)) == wrote(content)


INSIDE = [
    pytest.param("<read_file><path>\n a \n</path></read_file>", {"path": "a"}, id="trimmed"),
    pytest.param("<read_file><path>a</path><path>b</path></read_file>", {"path": "b"},
                 id="given twice: the last one"),
    pytest.param("<read_file><path></path></read_file>", {"path": ""}, id="empty"),
    pytest.param("<read_file>so\n<path>a</path></read_file>", {"path": "a"},
                 id="text before the first parameter"),
    pytest.param("<read_file><path>a</path>\n<line_count>3</line_count>\n</read_file>",
                 {"path": "a"}, id="a parameter of another tool"),
    pytest.param("<read_file><path>a</path><x>1</x><y>2</y><lines>3</lines></read_file>",
                 {"path": "a", "lines": 3}, id="several of them"),
    pytest.param("<read_file><path>a</path> b</path></read_file>", {"path": "a</path> b"},
                 id="a closing tag that does not count"),
    pytest.param("<read_file><path>a</path><read_file></path></read_file>",
                 {"path": "a</path><read_file>"}, id="the tool's own tag"),
    pytest.param("<read_file>\r\n<path>a</path>\r\n<lines>4</lines>\r\n</read_file>",
                 {"path": "a", "lines": 4}, id="CRLF"),
    pytest.param("<read_file><path>a</path><lines></lines></read_file>",
                 {"path": "a"}, id="an empty number is none"),
    pytest.param("<write_to_file><content>\r\nx\r\n\r\n</content><path>a</path></write_to_file>",
                 {"content": "x\r\n", "path": "a"}, id="one line end at each end, CRLF"),
    pytest.param("<write_to_file><content>1</content><path>no</path> 2</content>"
                 "<path>yes</path></write_to_file>",
                 {"content": "1</content><path>no</path> 2", "path": "yes"},
                 id="the last end of the content that counts"),
    pytest.param("<write_to_file><content>1</content><path>a</path><content>2</content>"
                 "</write_to_file>",
                 {"content": "1</content><path>a</path><content>2"},
                 id="content that looks as if it were given twice"),
    pytest.param("<attempt_completion><result>Use </result>\n<command>x</command> here</result>"
                 "\n</attempt_completion>",
                 {"result": "Use </result>\n<command>x</command> here"},
                 id="a parameter that turns out to be text"),
    pytest.param("<attempt_completion><result>ok</result><command>echo '</result>'</command>"
                 "</attempt_completion>",
                 {"result": "ok", "command": "echo '</result>'"},
                 id="a closing tag of an earlier parameter"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), INSIDE)
def test_parameters(text, expected):
    name = text[1 : text.index(">")]
    assert said(text) == [(name, expected)]
    assert said(*text) == [(name, expected)]


def test_a_parameter_may_be_called_like_its_tool():
    search = tool("search", "search", search=TEXT)
    assert said("<search><search>x</search></search>", tools=(search,)) == [
        ("search", {"search": "x"})
    ]


def test_a_call_is_told_with_its_own_text():
    assert decode(f"Hi\n{READ} bye") == [
        TextDelta("Hi\n"),
        ToolCallBegin(0, "", "read_file"),
        ToolCallDelta(0, '{"path":"a.py"}'),
        ToolCallEnd(0, READ),
    ]


def test_a_message_that_was_cut_off_ends_no_call_by_guessing():
    mention = written("the tag <write_to_file>")
    assert said(mention) == wrote("the tag <write_to_file>")
    assert said(mention, cut=True) == ["write_to_file"]
    assert said(f"{mention}\nand more") == ["write_to_file"]


def test_a_fence_that_was_cut_off_is_text():
    assert said(f"```\n{READ}\n", cut=True) == [f"```\n{READ}\n"]


def test_without_tools_everything_is_text():
    assert said(f"```\n{READ}\n```", READ, tools=()) == [f"```\n{READ}\n```{READ}"]


def test_nothing_is_read_after_the_end():
    decoder = Decoder(TOOLS)
    decoder.feed(READ)
    assert decoder.finished
    assert decoder.called
    assert not decoder.cut_off
    assert decoder.feed(f"more {READ}") == ()
    assert decoder.finish() == ()
