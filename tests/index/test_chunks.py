from hypothesis import given
from hypothesis import strategies as st

from agent_cli.index.chunks import LONGEST, WANTED, chunks
from agent_cli.index.words import expression, humps

FUNCTION = "@decorated\n# what it is\ndef f{0}():\n" + "    call_something(1)\n" * 12 + "\n\n"


@given(st.text("ab \n", max_size=400).map(lambda text: text * 9))
def test_the_parts_are_the_text(body: str):
    lines = body.split("\n")
    parts = chunks("x.txt", body)
    for part in parts:
        assert len(part.text) <= LONGEST + 1
        assert part.text in "\n".join(lines[part.first - 1 : part.last])
    covered = {line for part in parts for line in range(part.first, part.last + 1)}
    assert {n for n, line in enumerate(lines, 1) if line.strip()} <= covered


def test_a_definition_begins_a_part_with_what_stands_above_it():
    body = "".join(FUNCTION.format(number) for number in range(3))
    parts = chunks("x.py", body)
    assert [part.text.split("\n")[0] for part in parts] == ["@decorated"] * 3
    assert [part.heads for part in parts] == ["def f0():", "def f1():", "def f2():"]


def test_short_definitions_share_a_part():
    body = "".join(f"def f{number}():\n    pass\n\n\n" for number in range(4))
    assert len(chunks("x.py", body)) == 1


def test_a_line_that_is_too_long_is_parted():
    parts = chunks("x.js", f"a\n{'b' * 2500}\nc")
    assert [(part.first, part.last, len(part.text)) for part in parts] == [
        (1, 1, 1), (2, 2, WANTED), (2, 2, WANTED), (2, 2, 500), (3, 3, 1),
    ]  # fmt: skip


def test_a_text_can_begin_with_a_line_that_is_too_long():
    assert [part.first for part in chunks("x.js", f"{'b' * 1200}\nc")] == [1, 1, 2]


def test_white_space_is_no_part():
    assert chunks("x.txt", "\n \n\t\n") == []


def test_compound_names_are_parted_into_words():
    assert humps("readFile = HTTPServer + snake_case + Plain + getJSON2Value") == (
        "file get http json2 read server value"
    )


def test_a_question_becomes_any_of_its_telling_words():
    assert expression("Where is the readFile of my_thing?") == (
        '"readfile" OR "file" OR "read" OR "my_thing"'
    )


def test_a_question_is_no_syntax():
    assert expression('a" NEAR(x) AND NOT body:* ^"') == '"near" OR "x" OR "not" OR "body"'
    assert expression("to be or") == '"to" OR "be" OR "or"'
    assert expression("?!") == ""
    assert expression("_ __") == ""
    assert len(expression(" ".join(f"w{n}" for n in range(99))).split(" OR ")) == 32
