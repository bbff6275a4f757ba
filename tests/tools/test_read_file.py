"""read_file: numbered text, images, and errors that do not hide the rest."""

import os
from base64 import b64decode
from pathlib import Path

import msgspec
import pytest
from testbed.bench import asked, use

from agent_cli.tools import read_file
from agent_cli.tools.base import Blocks, Failure
from agent_cli.tools.read_file import TOOL
from agent_cli.tools.registry import spec
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import BlockedPathError, ToolError

TEN = "".join(f"line {number}\n" for number in range(1, 11))
PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 2000


def read(root: Path, *files: object):
    named = [file if isinstance(file, dict) else {"path": file} for file in files]
    return use(TOOL, root, files=named)


def ranges(*written: object) -> dict[str, object]:
    return {"path": "ten", "line_ranges": list(written)}


def body(first: int, last: int) -> str:
    width = len(str(last))
    lines = (f"{number:>{width}} | line {number}" for number in range(first, last + 1))
    return "\n".join([f"Lines {first}-{last} of 10:", *lines])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "ten").write_text(TEN)
    (tmp_path / "d").mkdir()
    (tmp_path / ".agentignore").write_text("hidden\n")
    (tmp_path / "hidden").write_text("secret")
    return tmp_path


RANGES = [
    pytest.param([], "1-10", [(1, 10)], id="none is the whole file"),
    pytest.param(["2-4"], "2-4", [(2, 4)], id="text"),
    pytest.param([[2, 4]], "2-4", [(2, 4)], id="pair"),
    pytest.param([{"start": 2, "end": 4}], "2-4", [(2, 4)], id="object"),
    pytest.param([" 2 - 4 "], "2-4", [(2, 4)], id="blanks"),
    pytest.param(["7-8", "1-2"], "1-2", [(1, 2), (7, 8)], id="put in order"),
    pytest.param(["1-5", "3-7"], "1-7", [(1, 7)], id="overlapping are joined"),
    pytest.param(["1-2", "3-4"], "1-4", [(1, 4)], id="adjacent are joined"),
    pytest.param(["8-99"], "8-10", [(8, 10)], id="cut at the end"),
    pytest.param(["3-3"], "3-3", [(3, 3)], id="one line"),
]


@pytest.mark.parametrize(("written", "first", "shown"), RANGES)
def test_line_ranges(root: Path, written, first, shown):
    expected = "\n".join(["File: ten", *(body(*one) for one in shown)])
    assert read(root, ranges(*written)) == expected


WRONG_RANGES = {
    "backwards": "4-2",
    "zero": "0-3",
    "words": "all",
    "one number": "5",
    "past the end": "11-12",
    "huge": "1-" + "9" * 5000,
    "a backwards pair": [4, 2],
    "a negative pair": [-1, 2],
    "a backwards object": {"start": 4, "end": 2},
}


@pytest.mark.parametrize("written", WRONG_RANGES.values(), ids=WRONG_RANGES)
def test_a_wrong_line_range_fails_the_call(root: Path, written):
    output = read(root, ranges(written))
    assert isinstance(output, Failure)
    assert output.text.startswith("File: ten\nError: ")
    assert "line 1\n" not in output.text


def test_the_same_file_twice_is_one_file_with_both_ranges(root: Path):
    output = read(root, ranges("1-2"), {"path": "./ten", "line_ranges": ["5-6"]})
    assert output == f"File: ten\n{body(1, 2)}\n{body(5, 6)}"
    assert read(root, ranges("1-2"), "ten") == f"File: ten\n{body(1, 10)}"
    assert read(root, "ten", ranges("1-2")) == f"File: ten\n{body(1, 10)}"


ERRORS = [
    pytest.param("none", "no such file", id="missing"),
    pytest.param("d", "list_files", id="a directory"),
    pytest.param("binary.xlsx", "binary file (xlsx, 4 bytes)", id="binary"),
    pytest.param("hidden", "agentignore", id="refused"),
    pytest.param("big.png", "more than the limit", id="a large image"),
]


@pytest.mark.trap("T-36")
@pytest.mark.parametrize(("path", "says"), ERRORS)
def test_an_error_of_one_file_is_reported_with_the_others(root: Path, path: str, says: str):
    (root / "binary.xlsx").write_bytes(b"\0\1\2\3")
    (root / "big.png").write_bytes(PNG + b"x" * 5 * 1024 * 1024)
    output = read(root, path, ranges("1-1"))
    assert isinstance(output, Failure)
    first, second = output.text.split("\n\n---\n\n")
    assert first.startswith(f"File: {path}\nError: ")
    assert says in first
    assert second == f"File: ten\n{body(1, 1)}"
    assert "secret" not in output.text


CONTENTS = [
    pytest.param(b"", "Note: the file is empty.", id="empty"),
    pytest.param(b"a", "Lines 1-1 of 1:\n1 | a", id="no final line end"),
    pytest.param(b"a\r\nb\rc\n", "Lines 1-3 of 3:\n1 | a\n2 | b\n3 | c", id="every line end"),
    pytest.param(b"a\x0cb\xe2\x80\xa8c\n", "Lines 1-1 of 1:\n1 | a\x0cb\u2028c", id="no other"),
    pytest.param(b"\xef\xbb\xbfa\n", "Lines 1-1 of 1:\n1 | a", id="mark"),
    pytest.param(b"\xff\xfea\0\n\0", "Lines 1-1 of 1:\n1 | a", id="UTF-16"),
    pytest.param(
        b"caf\xe9\n",
        "Lines 1-1 of 1:\n1 | caf\ufffd\nNote: bytes that are not UTF-8 are shown as \ufffd.",
        id="not UTF-8",
    ),
    pytest.param(b"\n\n", "Lines 1-2 of 2:\n1 | \n2 | ", id="blank lines"),
]


@pytest.mark.parametrize(("data", "shown"), CONTENTS)
def test_contents(root: Path, data: bytes, shown: str):
    (root / "f").write_bytes(data)
    assert read(root, "f") == f"File: f\n{shown}"


def test_images_are_shown(root: Path):
    (root / "a.png").write_bytes(PNG)
    output = read(root, "a.png", ranges("1-1"))
    assert isinstance(output, Blocks)
    assert output.text == f"File: a.png\nImage (image/png, 2 KB)\n\n---\n\nFile: ten\n{body(1, 1)}"
    (image,) = output.images
    assert (image.media_type, b64decode(image.data)) == ("image/png", PNG)


def test_images_are_left_out_when_another_file_failed(root: Path):
    (root / "a.png").write_bytes(PNG)
    output = read(root, "a.png", "none")
    assert isinstance(output, Failure)
    assert output.text.endswith("Images are left out, since another file failed.")


def test_images_of_one_call_have_a_limit_together(root: Path, monkeypatch):
    monkeypatch.setattr(read_file, "IMAGES_LIMIT", 3000)
    for name in ("a.png", "b.png"):
        (root / name).write_bytes(PNG)
    output = read(root, "a.png", "b.png")
    assert isinstance(output, Failure)
    assert "together" in output.text


@pytest.mark.trap("T-36")
def test_too_many_files_are_an_error_that_says_the_limit(root: Path):
    with pytest.raises(ToolError, match="at most 5 files"):
        read(root, *(f"f{number}" for number in range(6)))


def test_long_text_is_cut_and_says_how_to_go_on(root: Path):
    (root / "f").write_text("".join(f"{'é' * 49}\n" for _ in range(2000)))
    output = read(root, "f")
    assert isinstance(output, str)
    assert len(output.encode()) < 101_000
    assert output.splitlines()[-1].startswith("Note: cut before line ")
    stop = int(output.rsplit("cut before line ", 1)[1].split()[0])
    assert f'["{stop}-2000"]' in output
    assert output.splitlines()[1] == f"Lines 1-{stop - 1} of 2000:"
    assert read(root, {"path": "f", "line_ranges": [f"{stop}-2000"]}).count("\n") > 10


def test_a_second_range_may_find_no_room(root: Path):
    (root / "f").write_text(f"{'a' * 99_000}\nb\n{'c' * 5000}\n")
    output = read(root, {"path": "f", "line_ranges": ["1-1", "3-3"]})
    assert isinstance(output, str)
    assert output.endswith('go on with line_ranges ["3-3"].')


@pytest.mark.parametrize(("rest", "says"), [("\nb\n", '["2-2"]'), ("\n", "alone exceeds")])
def test_a_line_that_is_too_long_is_cut_itself(root: Path, rest: str, says: str):
    (root / "f").write_text("é" * 60_000 + rest)
    output = read(root, "f")
    assert isinstance(output, str)
    assert output.splitlines()[1].endswith("its beginning:")
    assert says in output.splitlines()[-1]
    (root / "f").write_text("short\n" + "é" * 60_000 + rest)
    assert "1 | short" in str(read(root, "f"))


def test_effects_name_every_file_once_and_leave_out_the_refused(root: Path):
    files = [{"path": path} for path in ("ten", "./ten", "hidden", "../x")]
    effects = asked(TOOL, root, files=files).effects()
    assert effects == (
        Effect(Kind.READ, "ten"),
        Effect(Kind.READ, str(root.parent / "x"), outside=True),
    )


def test_a_call_for_refused_files_alone_is_refused(root: Path):
    with pytest.raises(BlockedPathError):
        asked(TOOL, root, files=[{"path": "hidden"}, {"path": "hidden"}]).effects()


def test_outside_files_are_read_once_granted(root: Path):
    (root.parent / "outside.txt").write_text("x")
    call = asked(TOOL, root, files=[{"path": "../outside.txt"}])
    assert isinstance(call.run(), Failure)
    assert call.run(approved=True) == "File: ../outside.txt\nLines 1-1 of 1:\n1 | x"


def test_a_pipe_is_refused_at_once(root: Path):
    os.mkfifo(root / "pipe")
    with pytest.raises(BlockedPathError):
        read(root, "pipe")


def test_the_schema_is_plain():
    schema = msgspec.json.decode(spec(TOOL).schema)
    files = schema["properties"]["files"]
    assert files["minItems"] == 1
    assert files["items"]["required"] == ["path"]
    assert "$ref" not in str(schema)
