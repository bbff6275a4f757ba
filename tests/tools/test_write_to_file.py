"""write_to_file: whole files, written as given."""

from pathlib import Path

import msgspec
import pytest
from testbed.bench import asked, use

from agent_cli.tools.write_to_file import TOOL
from agent_cli.types.approval import Diff, Words
from agent_cli.types.errors import BlockedPathError, ToolError

CONTENTS = [
    pytest.param(None, "a\nb\n", b"a\nb\n", id="new"),
    pytest.param(None, "", b"", id="new and empty"),
    pytest.param(None, "\n", b"\n", id="one line end"),
    pytest.param(None, "```py\nx\n```", b"```py\nx\n```", id="fences stay"),
    pytest.param(None, "1 | a\n2 | b\n", b"1 | a\n2 | b\n", id="numbers stay"),
    pytest.param(None, "&lt;a&gt;", b"&lt;a&gt;", id="entities stay"),
    pytest.param(None, "a\r\nb\n", b"a\r\nb\n", id="line ends as given"),
    pytest.param(None, "é\n", "é\n".encode(), id="UTF-8"),
    pytest.param(b"x\n", "", b"", id="emptied"),
    pytest.param(b"x\r\ny\r\n", "a\nb\n", b"a\r\nb\r\n", id="CR LF is kept"),
    pytest.param(b"x\r\ny\r\n", "a\nb", b"a\r\nb", id="CR LF without a final one"),
    pytest.param(b"x\r\ny\n", "a\nb\n", b"a\nb\n", id="mixed ends are no rule"),
    pytest.param(b"x\n", "a\r\nb\r\n", b"a\r\nb\r\n", id="given CR LF stays"),
    pytest.param(b"\xef\xbb\xbfx\n", "a\n", b"\xef\xbb\xbfa\n", id="mark stays"),
    pytest.param(b"\xef\xbb\xbfx\n", "\ufeffa\n", b"\xef\xbb\xbfa\n", id="mark is not doubled"),
    pytest.param(b"\xff\xfex\0", "é", b"\xff\xfe\xe9\0", id="UTF-16"),
    pytest.param(b"caf\xe9", "ascii", b"ascii", id="ASCII over unknown bytes"),
]


@pytest.mark.parametrize(("before", "content", "after"), CONTENTS)
def test_what_is_written(tmp_path: Path, before, content, after):
    if before is not None:
        (tmp_path / "f").write_bytes(before)
    output = use(TOOL, tmp_path, path="f", content=content)
    assert (tmp_path / "f").read_bytes() == after
    assert str(output).startswith("created f (" if before is None else "modified f (")
    assert "no need to read it again" in str(output)


REFUSED = [
    pytest.param(b"caf\xe9", "é", "not UTF-8", id="more than ASCII over unknown bytes"),
    pytest.param(b"a\0b", "text", "binary", id="over a binary file"),
    pytest.param(None, "a\0b", "NUL", id="NUL"),
]


@pytest.mark.parametrize(("before", "content", "says"), REFUSED)
def test_what_is_refused(tmp_path: Path, before, content, says):
    if before is not None:
        (tmp_path / "f").write_bytes(before)
    with pytest.raises(ToolError, match=says):
        use(TOOL, tmp_path, path="f", content=content)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == ([before] if before else [])


def test_an_absent_content_is_not_an_empty_one(tmp_path: Path):
    with pytest.raises(msgspec.ValidationError, match="content"):
        use(TOOL, tmp_path, path="f", line_count=3)


def test_parents_are_made_and_the_mode_is_kept(tmp_path: Path):
    use(TOOL, tmp_path, path="a/b/f", content="x")
    (tmp_path / "a/b/f").chmod(0o755)
    use(TOOL, tmp_path, path="a/b/f", content="y")
    assert (tmp_path / "a/b/f").stat().st_mode & 0o777 == 0o755


def test_the_same_content_is_not_written_again(tmp_path: Path):
    (tmp_path / "f").write_bytes(b"x")
    before = (tmp_path / "f").stat()
    assert "nothing was written" in str(use(TOOL, tmp_path, path="f", content="x"))
    assert (tmp_path / "f").stat().st_mtime_ns == before.st_mtime_ns


def test_kept_line_ends_are_told(tmp_path: Path):
    (tmp_path / "f").write_bytes(b"x\r\n")
    assert "CR LF" in str(use(TOOL, tmp_path, path="f", content="a\n"))


@pytest.mark.parametrize(("count", "warned"), [(None, 0), (0, 0), (2, 0), (3, 0), (9, 1)])
def test_a_line_count_only_warns(tmp_path: Path, count: int | None, warned: int):
    output = use(TOOL, tmp_path, path="f", content="a\nb\n", line_count=count)
    assert str(output).count("Note:") == warned
    assert (tmp_path / "f").read_text() == "a\nb\n"


def test_the_preview_is_the_change_and_touches_nothing(tmp_path: Path):
    (tmp_path / "f").write_bytes(b"a\nb\n")
    preview = asked(TOOL, tmp_path, path="f", content="a\nc\n").preview()
    assert preview == Diff("f", "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", b"a\nc\n")
    preview = asked(TOOL, tmp_path, path="x/new", content="c").preview()
    assert preview == Diff(
        "x/new", "--- x/new\n+++ x/new\n@@ -0,0 +1 @@\n+c\n\\ No newline at end of file\n", b"c"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_the_preview_of_an_outside_file_does_not_show_what_is_there(tmp_path: Path):
    (tmp_path / "root").mkdir()
    (tmp_path / "f").write_text("secret")
    call = asked(TOOL, tmp_path / "root", path="../f", content="new")
    assert call.preview() == Words("write ../f:\n\nnew")
    with pytest.raises(BlockedPathError):
        call.run()
    assert str(call.run(approved=True)).startswith("modified")
    assert (tmp_path / "f").read_text() == "new"


def test_a_file_that_changed_after_it_was_shown_is_not_overwritten(tmp_path: Path):
    (tmp_path / "f").write_text("a")
    call = asked(TOOL, tmp_path, path="f", content="ours")
    call.effects()
    call.preview()
    (tmp_path / "f").write_text("theirs")
    with pytest.raises(ToolError, match="changed"):
        call.run()
    assert (tmp_path / "f").read_text() == "theirs"


def test_a_file_that_appeared_after_it_was_shown_is_not_overwritten(tmp_path: Path):
    call = asked(TOOL, tmp_path, path="f", content="ours")
    call.effects()
    call.preview()
    (tmp_path / "f").write_text("theirs")
    with pytest.raises(ToolError, match="changed"):
        call.run()
    assert (tmp_path / "f").read_text() == "theirs"
