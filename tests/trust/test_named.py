"""Which words of a settings file may be files of its folder."""

import pytest

from agent_cli.trust.named import names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("command = './run.sh'", "run.sh"),
        ('command = "./a/../run.sh --all"', "run.sh"),
        ('{"command":"./run.sh"}', "run.sh"),
        ('{"args": [".\\/tools\\/run.sh"]}', "tools/run.sh"),
        ('command = "\\u002e/r\\U00000075n.sh"', "run.sh"),
        ('command = "\\x72un.sh"', "run.sh"),
        ("sh -c 'true;tools/run.sh|cat'", "tools/run.sh"),
        ("x=$(tools/run.sh)", "tools/run.sh"),
        ("args = ['my script.sh']", "my script.sh"),
        ("# see run.sh", "run.sh"),
        ("größe.sh", "größe.sh"),
    ],
)
def test_a_name_is_found_however_it_is_written(text: str, expected: str):
    assert expected in names([text.encode()])


@pytest.mark.parametrize(
    "text", ["/etc/passwd", "../up", "..", ".", "./", "a/../..", "x" * 2000, "", "\\u0000"]
)
def test_what_lies_elsewhere_is_not_the_folders(text: str):
    assert names([text.encode()]) == ()


def test_an_escape_beyond_all_characters_is_left_alone():
    assert names([b'"\\UFFFFFFFF/x"'])


def test_bytes_that_are_no_text_still_name_files():
    assert names([b"'\xff.sh'"]) == ("\udcff.sh",)
