"""search_and_replace and insert_content: what is said of them; the corpus has what they write."""

from pathlib import Path

import msgspec
import pytest
from testbed.bench import asked, use

from agent_cli.tools import insert_content, search_and_replace
from agent_cli.tools.registry import spec
from agent_cli.types.approval import Diff, Words
from agent_cli.types.errors import BlockedPathError, ToolError
from agent_cli.wire.xml_tools.parameters import arguments, parameters

REPLACE, INSERT = search_and_replace.TOOL, insert_content.TOOL
TO_B = [{"search": "a", "replace": "b"}]
CALLS = [
    pytest.param(REPLACE, {"operations": TO_B}, id="search_and_replace"),
    pytest.param(INSERT, {"line": 1, "content": "b"}, id="insert_content"),
]


def test_a_replacement_says_how_often(tmp_path: Path):
    (tmp_path / "f").write_text("a c c\n")
    operations = [*TO_B, {"search": "c", "replace": "d", "all": True}]
    output = str(use(REPLACE, tmp_path, path="f", operations=operations))
    assert output.startswith("modified f; there is no need to read it again.")
    assert output.endswith("operation 1: 1 place\noperation 2: 2 places")


@pytest.mark.parametrize(
    ("before", "line", "says"),
    [
        ("x\n", 1, "modified f: inserted 2 lines, from line 1;"),
        ("x\ny\n", 0, "modified f: inserted 2 lines, from line 3;"),
        ("x", 0, "modified f: inserted 2 lines, from line 2;"),
        (None, 0, "created f: inserted 2 lines, from line 1;"),
    ],
)
def test_an_insertion_says_where(tmp_path: Path, before, line, says):
    if before is not None:
        (tmp_path / "f").write_text(before)
    assert str(use(INSERT, tmp_path, path="f", line=line, content="a\nb")).startswith(says)


def test_an_ambiguous_text_is_told_with_its_lines(tmp_path: Path):
    (tmp_path / "f").write_text("a\n" * 7)
    with pytest.raises(ToolError, match="occurs 7 times, at lines 1, 2, 3, 4, 5 and others"):
        use(REPLACE, tmp_path, path="f", operations=TO_B)


def test_a_flood_of_places_is_counted_up_to_a_limit(tmp_path: Path):
    (tmp_path / "f").write_text("a" * 5000)
    with pytest.raises(ToolError, match="occurs 1000 or more times, at lines 1, 1, 1, 1, 1 and"):
        use(REPLACE, tmp_path, path="f", operations=TO_B)


def test_a_long_line_is_looked_through_once(tmp_path: Path):
    (tmp_path / "f").write_text("a" * 200_000)
    operations = [{"search": "a", "replace": "b\n", "all": True}]
    assert str(use(REPLACE, tmp_path, path="f", operations=operations)).endswith("200000 places")
    assert (tmp_path / "f").read_text() == "b\n" * 200_000


def test_a_long_text_is_cut_in_the_message(tmp_path: Path):
    (tmp_path / "f").write_text("a\n")
    with pytest.raises(ToolError) as caught:
        use(REPLACE, tmp_path, path="f", operations=[{"search": "x" * 5000, "replace": ""}])
    assert len(str(caught.value)) < 500


def test_the_previews_are_the_changes_and_touch_nothing(tmp_path: Path):
    (tmp_path / "f").write_text("a\n")
    replaced = asked(REPLACE, tmp_path, path="f", operations=TO_B)
    assert replaced.preview() == Diff("f", "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", b"b\n")
    inserted = asked(INSERT, tmp_path, path="f", line=0, content="b")
    assert inserted.preview() == Diff("f", "--- f\n+++ f\n@@ -1 +1,2 @@\n a\n+b\n", b"a\nb\n")
    new = asked(INSERT, tmp_path, path="new", line=0, content="b")
    assert new.preview() == Diff("new", "--- new\n+++ new\n@@ -0,0 +1 @@\n+b\n", b"b\n")
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    assert (tmp_path / "f").read_text() == "a\n"


@pytest.mark.parametrize(("tool", "given"), CALLS)
def test_the_preview_of_an_outside_file_does_not_show_what_is_there(tmp_path, tool, given):
    (tmp_path / "root").mkdir()
    (tmp_path / "f").write_text("a secret\n")
    call = asked(tool, tmp_path / "root", path="../f", **given)
    preview = call.preview()
    assert isinstance(preview, Words)
    assert "secret" not in preview.text
    assert "b" in preview.text
    with pytest.raises(BlockedPathError):
        call.run()
    assert str(call.run(approved=True)).startswith("modified")


@pytest.mark.parametrize(("tool", "given"), CALLS)
def test_a_file_that_changed_after_it_was_shown_is_not_overwritten(tmp_path, tool, given):
    (tmp_path / "f").write_text("a\n")
    call = asked(tool, tmp_path, path="f", **given)
    call.effects()
    call.preview()
    (tmp_path / "f").write_text("a theirs\n")
    with pytest.raises(ToolError, match="changed"):
        call.run()
    assert (tmp_path / "f").read_text() == "a theirs\n"


def test_an_outside_insertion_at_the_end_says_so(tmp_path: Path):
    (tmp_path / "root").mkdir()
    call = asked(INSERT, tmp_path / "root", path="../f", line=0, content="b")
    assert call.preview() == Words("insert into ../f, at the end:\n\nb")


def test_tags_hold_operations_as_json_and_content_as_it_stands():
    operations = '\n[{"search": "a\\n", "replace": ""}]\n'
    made = arguments(parameters(spec(REPLACE)), {"path": " f ", "operations": operations})
    decoded = msgspec.json.decode(made, type=search_and_replace.Arguments)
    assert decoded.operations == (search_and_replace.Operation("a\n", ""),)
    made = arguments(parameters(spec(INSERT)), {"path": "f", "line": " 2 ", "content": "\n  x\n\n"})
    decoded_insert = msgspec.json.decode(made, type=insert_content.Arguments)
    assert decoded_insert == insert_content.Arguments("f", 2, "  x\n")
