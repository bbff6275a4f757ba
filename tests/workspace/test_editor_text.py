"""Text of files: what is not edited comes back byte for byte."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_cli.types.errors import ToolError
from agent_cli.workspace.editor import decode, join_lines, printable, split_lines
from agent_cli.workspace.files import image_type, is_binary

pytestmark = pytest.mark.parametrize("way_down", ["step by step"], indirect=True)
"""Which it is makes no difference here."""

MARKS = [b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"]


@given(mark=st.sampled_from(MARKS), data=st.binary())
@example(mark=b"\xff\xfe", data=b"\x00\xd8")
@example(mark=b"", data=b"\xed\xa0\x80")
def test_decoding_and_encoding_is_nothing(mark: bytes, data: bytes):
    assert decode(mark + data).encode() == mark + data


@given(text=st.text(alphabet=st.sampled_from("ab\r\n\x0b\x0c\x1c\x85\u2028\udcff")))
def test_lines_joined_are_the_body_and_end_nowhere_else(text: str):
    lines = split_lines(text)
    assert join_lines(lines) == text
    assert all(line.end in {"\n", "\r\n", "\r"} for line in lines[:-1])
    assert not any(set(line.text) & set("\r\n") for line in lines)


@pytest.mark.parametrize(
    ("data", "body", "encoding"),
    [
        pytest.param(b"abc", "abc", "utf-8", id="ascii"),
        pytest.param(b"\xef\xbb\xbfabc", "abc", "utf-8", id="mark"),
        pytest.param("aé".encode("utf-16-le").join([b"\xff\xfe", b""]), "aé", "utf-16-le", id="le"),
        pytest.param("aé".encode("utf-16-be").join([b"\xfe\xff", b""]), "aé", "utf-16-be", id="be"),
        pytest.param(b"caf\xe9", "caf\udce9", "utf-8", id="latin-1"),
        pytest.param(b"\xff\xfea", "\udcff\udcfea", "utf-8", id="half a UTF-16 character"),
        pytest.param(b"", "", "utf-8", id="empty"),
    ],
)
def test_decode(data: bytes, body: str, encoding: str):
    text = decode(data)
    assert (text.body, text.encoding) == (body, encoding)


@pytest.mark.parametrize(
    ("data", "added", "refused"),
    [
        pytest.param(b"caf\xe9", "ascii", False, id="ASCII into unknown bytes"),
        pytest.param(b"caf\xe9", "é", True, id="more than ASCII into unknown bytes"),
        pytest.param("café".encode(), "é", False, id="UTF-8"),
        pytest.param(b"\xff\xfea\0", "é\N{GRINNING FACE}", False, id="UTF-16"),
        pytest.param(b"\xff\xfea\0", "\ud800", True, id="surrogate into UTF-16"),
        pytest.param(b"a", "\0", True, id="NUL"),
    ],
)
def test_what_may_be_added_to_a_file(data: bytes, added: str, *, refused: bool):
    text = decode(data)
    if refused:
        with pytest.raises(ToolError):
            text.with_body(text.body + added, added=added)
    else:
        assert text.with_body(text.body + added, added=added).encode().startswith(data)


@pytest.mark.parametrize(
    ("data", "binary"),
    [(b"a\0", True), (b"\xff\xfea\0", False), (b"\xff\xfe\0\0a\0\0\0", True), (b"\xff", False)],
)
def test_nul_characters_mean_binary(data: bytes, *, binary: bool):
    assert is_binary(data) is binary


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\nrest", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\1\2\3\4WEBP", "image/webp"),
        (b"RIFF\1\2\3\4WAVE", None),
        (b"text", None),
        (b"", None),
    ],
)
def test_images_are_told_by_their_first_bytes(data: bytes, kind: str | None):
    assert image_type(data) == kind


def test_text_for_a_model_is_valid_unicode():
    assert printable("a\udcff") == "a\N{REPLACEMENT CHARACTER}"
