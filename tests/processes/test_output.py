import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.processes import _spill
from agent_cli.processes._output import LIMIT, Output
from agent_cli.processes._spill import Spill, Spills
from agent_cli.types.redaction import Redactor


def shown(*chunks: bytes, spill: Spill | None = None) -> str:
    output = Output(spill, redactor=Redactor())
    for chunk in chunks:
        output.feed(chunk)
    output.feed(b"", final=True)
    return output.text


SCREENS = [
    pytest.param(b"a\nb\n", "a\nb\n", id="lines"),
    pytest.param(b"no end", "no end", id="a last line without an end"),
    pytest.param(b"10%\r20%\r100%\n", "100%\n", id="a progress bar is its last state"),
    pytest.param(b"hello\rHE", "HEllo", id="what is not overwritten stays"),
    pytest.param(b"one\r\ntwo\r\n", "one\ntwo\n", id="CR LF"),
    pytest.param(b"50%\r", "50%", id="a return at the end"),
    pytest.param(b"abc\b\bX", "aXc", id="backspace"),
    pytest.param(b"\b\ba", "a", id="backspace at the margin"),
    pytest.param(b"ab\rc\nd\re\n", "cb\ne\n", id="the next line begins afresh"),
    pytest.param(b"caf\xc3\xa9 \xff", "café �", id="bytes that are not UTF-8"),
    pytest.param(b"\xe2\x82", "�", id="a character cut off at the end"),
]


@pytest.mark.parametrize(("printed", "expected"), SCREENS)
def test_output_is_what_a_terminal_would_show(printed: bytes, expected: str):
    assert shown(printed) == expected


@given(st.text(alphabet="ab é\r\b\n", max_size=40).map(str.encode), st.data())
def test_output_does_not_depend_on_how_it_was_cut(printed: bytes, data: st.DataObject):
    cut = data.draw(st.integers(0, len(printed)))
    assert shown(printed[:cut], printed[cut:]) == shown(printed)


def test_output_at_the_limit_is_whole():
    assert shown(b"x" * LIMIT) == "x" * LIMIT


def test_long_output_keeps_the_first_fifth_and_the_last_four():
    text = shown(b"a" * 10_000, b"b" * 5, b"c" * 40_000)
    assert text == f"{'a' * 10_000}\n[... 5 characters omitted ...]\n{'c' * 40_000}"


@given(st.lists(st.integers(0, 30_000), max_size=8))
def test_every_character_is_kept_or_counted(lengths: list[int]):
    text = shown(*(b"x" * length for length in lengths))
    total = sum(lengths)
    if total <= LIMIT:
        assert text == "x" * total
    else:
        assert text.count("x") == LIMIT
        assert f"[... {total - LIMIT} characters omitted ...]" in text


def test_a_line_without_an_end_does_not_grow_for_ever():
    output = Output(redactor=Redactor())
    for _ in range(10):
        output.feed(b"x" * 65_536)
    assert len(output._screen._line) <= 65_536
    output.feed(b"", final=True)
    assert "605360 characters omitted" in output.text


def test_output_that_is_too_long_is_kept_in_a_private_file(tmp_path: Path):
    spill = Spill(Spills(tmp_path / "new"))
    chunks = [b"first\n", b"x" * LIMIT, b"\nlast\n", b"\nvery last\n"]
    shown(*chunks, spill=spill)
    spill.close()
    assert spill.path is not None
    kept = Path(spill.path)
    assert kept.read_bytes() == b"".join(chunks)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700


def test_output_that_fits_leaves_no_file(tmp_path: Path):
    spill = Spill(Spills(tmp_path))
    shown(b"x" * LIMIT, spill=spill)
    spill.close()
    assert spill.path is None
    assert not list(tmp_path.iterdir())


def test_the_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_spill, "_LIMIT", 5)
    spill = Spill(Spills(tmp_path))
    spill.write("1234")
    spill.write("5678")
    spill.write("9")
    spill.close()
    assert spill.path is not None
    assert Path(spill.path).read_text() == "12345"


def test_a_folder_that_cannot_be_made_costs_only_the_file(tmp_path: Path):
    (tmp_path / "file").write_text("")
    spill = Spill(Spills(tmp_path / "file" / "folder"))
    assert "omitted" in shown(b"x" * (LIMIT + 1), b"y", spill=spill)
    spill.close()
    assert spill.path is None


def test_old_files_and_too_many_bytes_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_spill, "_MOST", _spill._LIMIT + 10)
    ages = {"output-new.txt": 1, "output-older.txt": 2, "output-too-much.txt": 3, "other.txt": 99}
    for name, days in ages.items():
        (tmp_path / name).write_text("12345")
        then = time.time() - days * 86_400
        os.utime(tmp_path / name, (then, then))
    (tmp_path / "output-old.txt").touch()
    os.utime(tmp_path / "output-old.txt", (0, 0))
    spill = Spill(Spills(tmp_path))
    spill.write("now")
    spill.close()
    left = {path.name for path in tmp_path.iterdir()} - {Path(spill.path or "").name}
    assert left == {"output-new.txt", "output-older.txt", "other.txt"}


def test_a_temporary_folder_goes_with_its_session(tmp_path: Path):
    spills = Spills(tmp_path / "gone", temporary=True)
    spills.close()
    spill = spills.file()
    spill.write("x")
    spill.close()
    assert list((tmp_path / "gone").iterdir())
    spills.close()
    assert not (tmp_path / "gone").exists()


def test_what_was_taken_is_not_told_again_but_stays_in_the_file(tmp_path: Path):
    spill = Spill(Spills(tmp_path))
    output = Output(spill, spill_all=True, redactor=Redactor())
    output.feed(b"one\ntw")
    assert output.take() == "one\ntw"
    output.feed(b"o\n", final=True)
    assert output.take() == "o\n"
    assert output.text == ""
    spill.close()
    assert Path(spill.path or "").read_text() == "one\ntwo\n"
