"""apply_diff as a table: file, diff, and the bytes that come out."""

from pathlib import Path

import pytest
from testbed.bench import asked, use
from testbed.blocks import block

from agent_cli.tools.apply_diff import TOOL
from agent_cli.types.approval import Diff, Words
from agent_cli.types.errors import BlockedPathError, ToolError

ABC = b"a\nb\nc\n"
TWICE = b"x\na\ny\na\nz\n"
FAR = b"".join(b"n%d\n" % number for number in range(1, 101))

EDITS = {
    "one line": (ABC, block("b", "B"), b"a\nB\nc\n"),
    "first line": (ABC, block("a", "A"), b"A\nb\nc\n"),
    "last line": (ABC, block("c", "C"), b"a\nb\nC\n"),
    "all lines": (ABC, block("a\nb\nc", "x"), b"x\n"),
    "deletion": (ABC, block("b", ""), b"a\nc\n"),
    "deletion of everything": (ABC, block("a\nb\nc", ""), b""),
    "insertion": (ABC, block("b", "b\nnew"), b"a\nb\nnew\nc\n"),
    "a blank line is a line": (ABC, block("b", "\n"), b"a\n\n\nc\n"),
    "leading blank lines stay": (ABC, block("b", "\n\nB"), b"a\n\n\nB\nc\n"),
    "trailing blank lines stay": (ABC, block("b", "B\n\n"), b"a\nB\n\n\nc\n"),
    "leading blank search lines count": (b"a\n\nb\n", block("\nb", "B"), b"a\nB\n"),
    "trailing blanks of new lines stay": (ABC, block("b", "B  "), b"a\nB  \nc\n"),
    "indentation as given": (b"  a\n", block("  a", "    a"), b"    a\n"),
    "no rule": (ABC, block("b", "B", 2, rule=False), b"a\nB\nc\n"),
    "no start line": (ABC, block("b", "B"), b"a\nB\nc\n"),
    "start line with a blank": (ABC, block("b", "B", " 2"), b"a\nB\nc\n"),
    "end line is ignored": (ABC, block("b", "B", "2\n:end_line:9"), b"a\nB\nc\n"),
    "start line 0 is unknown": (ABC, block("b", "B", 0), b"a\nB\nc\n"),
    "start line far past the end": (ABC, block("b", "B", 30), b"a\nB\nc\n"),
    "a further bracket": (ABC, block("b", "B").replace("SEARCH", "SEARCH>"), b"a\nB\nc\n"),
    "words around blocks": (ABC, f"Here:\n{block('b', 'B')}done\n", b"a\nB\nc\n"),
    "CR LF in the diff": (ABC, block("b", "B\nD").replace("\n", "\r\n"), b"a\nB\nD\nc\n"),
    "indented markers": (ABC, "  <<<<<<< SEARCH\nb\n  =======\nB\n  >>>>>>> REPLACE", b"a\nB\nc\n"),
    "no final line end": (b"a\nb", block("b", "B"), b"a\nB"),
    "append without a final line end": (b"a\nb", block("b", "b\nc"), b"a\nb\nc"),
    "delete the last line, unended": (b"a\nb", block("b", ""), b"a\n"),
    "one unended line": (b"a", block("a", "b\nc"), b"b\nc"),
    "CR LF": (b"a\r\nb\r\n", block("a", "A\nB"), b"A\r\nB\r\nb\r\n"),
    "CR": (b"a\rb\r", block("a", "A\nB"), b"A\rB\rb\r"),
    "mixed, first matched line decides": (b"a\nb\r\nc\n", block("b\nc", "B\nC"), b"a\nB\r\nC\r\n"),
    "mixed, others keep theirs": (b"a\r\nb\nc\r\n", block("b", "B"), b"a\r\nB\nc\r\n"),
    "mixed, shared lines keep theirs": (
        b"a\r\nb\nc\r\n", block("a\nb\nc", "a\nb\nC"), b"a\r\nb\nC\r\n",
    ),
    "unended line gets the nearest end": (b"a\r\nb", block("b", "b\nc"), b"a\r\nb\r\nc"),
    "form feed ends no line": (b"a\x0cb\nc\n", block("a\x0cb", "B"), b"B\nc\n"),
    "mark stays": (b"\xef\xbb\xbfa\n", block("a", "A"), b"\xef\xbb\xbfA\n"),
    "UTF-16": (b"\xff\xfea\0\n\0", block("a", "é"), b"\xff\xfe\xe9\0\n\0"),
    "bytes that are no text pass": (b"caf\xe9\na\n", block("a", "b"), b"caf\xe9\nb\n"),
    "nearest to the start line": (TWICE, block("a", "A", 4), b"x\na\ny\nA\nz\n"),
    "nearest, not exact": (TWICE, block("a", "A", 5), b"x\na\ny\nA\nz\n"),
    "nearest, before": (TWICE, block("a", "A", 1), b"x\nA\ny\na\nz\n"),
    "two blocks": (ABC, block("a", "A") + block("c", "C"), b"A\nb\nC\n"),
    "blocks in any order": (ABC, block("c", "C", 3) + block("a", "A\nA", 1), b"A\nA\nb\nC\n"),
    "edits in front move later places": (
        TWICE, block("x", "1\n2\n3\n4", 1) + block("a", "A", 4), b"1\n2\n3\n4\na\ny\nA\nz\n",
    ),
    "edits behind move nothing": (
        b"a\nq\na\nz\n", block("z", "1\n2\n3\n4\n5") + block("a", "A", 1),
        b"A\nq\na\n1\n2\n3\n4\n5\n",
    ),
    "a later block sees the earlier one": (ABC, block("a", "q") + block("q", "r"), b"r\nb\nc\n"),
    "escaped markers": (
        b"<<<<<<< HEAD\n=======\n>>>>>>> x\n-------\n:start_line:1\n",
        block(
            "\\<<<<<<< HEAD\n\\=======\n\\>>>>>>> x\n\\-------\n\\:start_line:1",
            "\\=======\n\\:end_line:3\n\\\\keep\n\\keep",
        ),
        b"=======\n:end_line:3\n\\\\keep\n\\keep\n",
    ),
    "indented rules are content": (
        b"def f():\n    Seven\n    =======\n    -------\n",
        block("    =======\n    -------", "    ~~~~~~~"), b"def f():\n    Seven\n    ~~~~~~~\n",
    ),
    "longer rules are content": (b"a\n========\n", block("a\n========", "b"), b"b\n"),
    "literal numbers win": (b"1 | a\n2 | b\n", block("2 | b", "2 | B"), b"1 | a\n2 | B\n"),
    "literal table": (b"| a | b |\n", block("| a | b |", "| a | B |"), b"| a | B |\n"),
    "dollar and backslash are literal": (ABC, block("b", r"\1 $& \g<0>"), b"a\n\\1 $& \\g<0>\nc\n"),
    "far but unique without a start line": (FAR, block("n90", "N"), FAR.replace(b"n90\n", b"N\n")),
    "forty lines off": (FAR, block("n50", "N", 10), FAR.replace(b"n50\n", b"N\n")),
}  # fmt: skip


@pytest.mark.trap("T-37")
@pytest.mark.parametrize(("before", "diff", "after"), EDITS.values(), ids=EDITS)
def test_an_exact_edit(tmp_path: Path, before: bytes, diff: str, after: bytes):
    (tmp_path / "f").write_bytes(before)
    output = use(TOOL, tmp_path, path="f", diff=diff)
    assert (tmp_path / "f").read_bytes() == after
    assert "modified f" in str(output)
    assert "matched" not in str(output)


TOLERANT = {
    "trailing blanks in the file": (b"a  \nb\n", block("a\nb", "A\nb"), b"A\nb\n", "trailing"),
    "trailing blanks in the search": (b"a\n", block("a \t", "A"), b"A\n", "trailing blanks"),
    "indentation": (b"    a\n    b\n", block("a\nb", "A\n  b"), b"    A\n      b\n", "in blanks"),
    "too much indentation": (b"a\nb\n", block("  a\n  b", "  A\n    B"), b"A\n  B\n", "in blanks"),
    "less than the first line": (
        b"    a\n  b\n", block("  a\nb", "  A\nB"), b"    A\n  B\n", "in blanks",
    ),
    "tabs": (b"\ta\n", block("    a", "    a\n        b"), b"\ta\n\t    b\n", "in blanks"),
    "shared lines keep their bytes": (
        b"\ta  =  1\n\tb\n", block("a = 1\nb", "a = 1\nB"), b"\ta  =  1\n\tB\n", "in blanks",
    ),
    "blank new lines stay blank": (b"  a\n", block("a", "A\n\nB"), b"  A\n\n  B\n", "in blanks"),
    "quotation marks": (
        "say \u201chi\u201d\u2026\n".encode(), block('say "hi"...', "bye"), b"bye\n", "quotation",
    ),
    "line numbers": (ABC, block("2 | b\n3 | c", "2 | B\n3 | c"), b"a\nB\nc\n", "line numbers"),
    "numbers tell the place": (TWICE, block("4 | a", "4 | A"), b"x\na\ny\nA\nz\n", "line numbers"),
    "numbers, deletion": (ABC, block("2 | b", ""), b"a\nc\n", "line numbers"),
    "numbers, padded": (b"a\n\nb\n", block(" 1 | a\n 2 | ", " 1 | A"), b"A\nb\n", "line numbers"),
    "some numbers": (ABC, block("1 | a\nb", "1 | A\nb"), b"A\nb\nc\n", "numbers and bars"),
    "bars": (ABC, block("| a\n| b", "| A\n| b"), b"A\nb\nc\n", "numbers and bars"),
}  # fmt: skip


@pytest.mark.parametrize(("before", "diff", "after", "says"), TOLERANT.values(), ids=TOLERANT)
def test_a_tolerant_match_says_what_it_ignored(tmp_path: Path, before, diff, after, says):
    (tmp_path / "f").write_bytes(before)
    output = use(TOOL, tmp_path, path="f", diff=diff)
    assert (tmp_path / "f").read_bytes() == after
    assert says in str(output)


def test_exact_lines_go_before_similar_ones(tmp_path: Path):
    (tmp_path / "f").write_bytes(b"  a\nb\na\n")
    use(TOOL, tmp_path, path="f", diff=block("a", "A", 1))
    assert (tmp_path / "f").read_bytes() == b"  a\nb\nA\n"


FAILURES = {
    "nothing like it": (ABC, block("zzz", "B"), "nothing similar"),
    "close": (ABC, block("a\nB\nc", "x"), "2 of 3 agree"),
    "other layout: a blank line": (b"a\nb\n", block("a\n\nb", "x"), "no lines match"),
    "other layout: joined lines": (b"foo bar\n", block("foo\nbar", "x"), "no lines match"),
    "other case": (ABC, block("B", "x"), "no lines match"),
    "ambiguous": (TWICE, block("a", "A"), "2 places alike"),
    "equally near": (TWICE, block("a", "A", 3), "2 places alike"),
    "more than forty lines off": (FAR, block("n60", "N", 10), "near line 10"),
    "past the end of the search": (ABC, block("c\nd", "x"), "no lines match"),
    "identical": (ABC, block("b", "b"), "identical"),
    "identical but for an escape": (b"=======\n", block("\\=======", "\\======="), "identical"),
    "identical but for numbers": (ABC, block("2 | b", "3 | b"), "identical"),
    "empty search": (ABC, block("", "x"), "search text is empty"),
    "no change": (ABC, block("a", "q") + block("q", "a"), "changes nothing"),
    "empty file": (b"", block("a", "b"), "no lines match"),
    "binary": (b"a\0\n", block("a", "b"), "binary"),
    "more than ASCII into unknown bytes": (b"caf\xe9\na\n", block("a", "é"), "not UTF-8"),
    "NUL": (ABC, block("a", "\0"), "NUL"),
    "one of two": (ABC, block("a", "A") + block("zzz", "B"), "1 of 2 blocks"),
}


@pytest.mark.invariant("F5")
@pytest.mark.trap("T-37")
@pytest.mark.parametrize(("before", "diff", "says"), FAILURES.values(), ids=FAILURES)
def test_a_failed_edit_writes_nothing(tmp_path: Path, before: bytes, diff: str, says: str):
    (tmp_path / "f").write_bytes(before)
    found = (tmp_path / "f").stat()
    with pytest.raises(ToolError, match=says):
        use(TOOL, tmp_path, path="f", diff=diff)
    assert (tmp_path / "f").read_bytes() == before
    now = (tmp_path / "f").stat()
    assert (now.st_mtime_ns, now.st_mode, now.st_ino) == (
        found.st_mtime_ns, found.st_mode, found.st_ino,
    )  # fmt: skip


@pytest.mark.trap("T-37")
def test_every_failing_block_is_named(tmp_path: Path):
    (tmp_path / "f").write_bytes(TWICE)
    diff = block("zzz", "1") + block("x", "X") + block("a", "2")
    with pytest.raises(ToolError) as caught:
        use(TOOL, tmp_path, path="f", diff=diff)
    message = str(caught.value)
    assert "2 of 3 blocks" in message
    assert "Block 1 (line 1 of the diff)" in message
    assert "Block 3 (line 13 of the diff)" in message
    assert "Block 2" not in message


def test_a_missing_file_points_to_the_tool_that_makes_it(tmp_path: Path):
    with pytest.raises(ToolError, match="write_to_file"):
        use(TOOL, tmp_path, path="none", diff=block("a", "b"))


def test_the_preview_is_what_will_be_written(tmp_path: Path):
    (tmp_path / "f").write_bytes(ABC)
    preview = asked(TOOL, tmp_path, path="f", diff=block("b", "B")).preview()
    assert preview == Diff("f", "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", b"a\nB\nc\n")
    assert (tmp_path / "f").read_bytes() == ABC


def test_the_preview_of_an_outside_file_does_not_show_what_is_there(tmp_path: Path):
    (tmp_path / "root").mkdir()
    (tmp_path / "f").write_bytes(ABC)
    call = asked(TOOL, tmp_path / "root", path="../f", diff=block("b", "B"))
    assert call.preview() == Words(f"change ../f:\n\n{block('b', 'B')}")
    with pytest.raises(BlockedPathError):
        call.run()
    call.run(approved=True)
    assert (tmp_path / "f").read_bytes() == b"a\nB\nc\n"


def test_what_changed_since_the_preview_is_not_edited(tmp_path: Path):
    (tmp_path / "f").write_bytes(ABC)
    call = asked(TOOL, tmp_path, path="f", diff=block("b", "B"))
    call.effects()
    call.preview()
    (tmp_path / "f").write_bytes(b"b\n")
    with pytest.raises(ToolError, match="changed"):
        call.run()
    assert (tmp_path / "f").read_bytes() == b"b\n"
