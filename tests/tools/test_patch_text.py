"""The text of a diff: what is a block, what is refused, and what no edit may touch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.blocks import block

from agent_cli.tools._apply import apply
from agent_cli.tools._patch import Block, parse
from agent_cli.tools._text import diff
from agent_cli.types.errors import ToolError
from agent_cli.workspace.editor import decode, split_lines

MALFORMED = {
    "nothing": ("", "no block"),
    "no markers": ("just words", "no block"),
    "unended search": ("<<<<<<< SEARCH\na\n", "`=======` is missing"),
    "unended head": ("<<<<<<< SEARCH\n", "`=======` is missing"),
    "unended replacement": ("<<<<<<< SEARCH\na\n=======\nb\n", "`>>>>>>> REPLACE` is missing"),
    "divider first": ("=======\n", "line 1 of the diff"),
    "end first": (">>>>>>> REPLACE\n", "line 1 of the diff"),
    "search twice": ("<<<<<<< SEARCH\na\n<<<<<<< SEARCH\n", "line 3 of the diff"),
    "divider twice": ("<<<<<<< SEARCH\na\n=======\nb\n=======\n", "line 5 of the diff"),
    "end without divider": ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "where `=======`"),
    "conflict in the search": ("<<<<<<< SEARCH\n<<<<<<< HEAD\n", "merge conflict"),
    "conflict in the replacement": ("<<<<<<< SEARCH\na\n=======\n>>>>>>> main\n", "merge conflict"),
    "conflict outside": ("<<<<<<< HEAD\n", "merge conflict"),
    "a start line with words": (block("a", "b", "2 or so"), "no line number"),
    "a start line without number": (block("a", "b", " "), "no line number"),
    "a negative start line": (block("a", "b", -1), "no line number"),
    "a start line in the replacement": (block("a", ":start_line:3\nb"), "in the replacement"),
    "one bad block of two": (block("a", "b") + "<<<<<<< SEARCH\n", "is missing"),
}


@pytest.mark.parametrize(("text", "says"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_diff_is_refused_whole(text: str, says: str):
    with pytest.raises(ToolError, match=says):
        parse(text)


def test_blocks_keep_their_lines():
    text = "<<<<<<< SEARCH\n\n:start_line:7\n-------\n\na\n=======\n\nb\n\n>>>>>>> REPLACE"
    assert parse(text) == (Block(("", "a"), ("", "b", ""), 7, 1),)


LINES = st.lists(
    st.tuples(st.sampled_from(["", "a", "b", "  a", "a ", "c\x0c", "é"]), st.sampled_from("\n\r"))
    | st.tuples(st.sampled_from(["x", "y"]), st.just("\r\n")),
    max_size=12,
)
UNIQUE = "the one line that is searched for"


@given(before=LINES, after=LINES, replace=st.lists(st.text("ab é\t", max_size=5), max_size=4))
def test_bytes_around_the_matched_lines_stay(before, after, replace):
    head = "".join(text + end for text, end in before)
    tail = "".join(text + end for text, end in after)
    applied = apply(f"{head}{UNIQUE}\r\n{tail}", (Block((UNIQUE,), tuple(replace)),))
    assert applied.body == head + "".join(f"{text}\r\n" for text in replace) + tail


@given(
    data=st.binary(max_size=30).filter(
        lambda data: not data.startswith((b"\xff\xfe", b"\xfe\xff"))
    ),
    rest=st.binary(max_size=30),
)
def test_bytes_of_any_encoding_around_the_matched_line_stay(data: bytes, rest: bytes):
    text = decode(data + b"\n" + UNIQUE.encode() + b"\n" + rest)
    applied = apply(text.body, (Block((UNIQUE,), ("new",)),))
    changed = text.with_body(applied.body, added=applied.added)
    assert changed.encode() == data + b"\nnew\n" + rest


@given(
    lines=st.lists(st.sampled_from("abc"), min_size=1, max_size=10),
    picks=st.sets(st.integers(0, 9)),
    sizes=st.lists(st.integers(0, 3), min_size=10, max_size=10),
)
def test_start_lines_are_those_of_the_file_as_it_was(lines, picks, sizes):
    picked = sorted(pick for pick in picks if pick < len(lines))
    new = {pick: [f"new {pick}.{number}" for number in range(sizes[pick])] for pick in picked}
    blocks = tuple(Block((lines[pick],), tuple(new[pick]), pick + 1) for pick in picked)
    expected = [text for place, line in enumerate(lines) for text in new.get(place, [line])]
    applied = apply("".join(f"{line}\n" for line in lines), blocks)
    assert applied.body == "".join(f"{text}\n" for text in expected)


@given(before=st.text("ab\n\r"), after=st.text("ab\n\r"))
def test_a_shown_diff_leads_from_the_old_lines_to_the_new(before: str, after: str):
    shown = [line for line in diff("f", before, after).unified.splitlines()[2:] if line[0] != "\\"]
    removed = sum(line.startswith("-") for line in shown)
    added = sum(line.startswith("+") for line in shown)
    assert len(split_lines(before)) - removed == len(split_lines(after)) - added
    assert bool(shown) == (before != after)


def test_a_shown_diff_parts_changes_that_lie_apart():
    old = [str(number) for number in range(20)]
    new = ["A", *old[1:19], "Z"]
    shown = diff("f", "\n".join(old) + "\n", "\n".join(new) + "\n").unified
    assert shown == (
        "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-0\n+A\n 1\n 2\n 3\n"
        "@@ -17,4 +17,4 @@\n 16\n 17\n 18\n-19\n+Z\n"
    )


def test_a_large_change_is_shown_without_comparing_every_line():
    old = "".join(f"a{number}\n" for number in range(1500))
    shown = diff("f", f"same\n{old}end\n", f"same\n{old.replace('a', 'b')}end\n").unified
    assert shown.startswith("--- f\n+++ f\n@@ -1,1502 +1,1502 @@\n same\n-a0\n-a1\n")


def test_large_blocks_are_applied_without_comparing_every_line():
    old = tuple(f"a{number}" for number in range(1100))
    new = tuple(f"b{number}" for number in range(1100))
    applied = apply("\n".join(old) + "\n", (Block(old, new),))
    assert applied.body == "\n".join(new) + "\n"
    with pytest.raises(ToolError, match="nothing similar"):
        apply("\n".join(old) + "\n", (Block(new, old),))
