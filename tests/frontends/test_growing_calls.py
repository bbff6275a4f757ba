"""What a person sees of a call while the model still writes it."""

import msgspec
import pytest
from testbed.sinks import terminal

from agent_cli.types.entries import AssistantSaid
from agent_cli.types.events import Appended, TextDelta, ToolCallBegin, ToolCallDelta
from agent_cli.types.messages import AssistantMessage, ToolCall

WRITE = ToolCallBegin(0, "c", "write_to_file")


def drawn(*events):
    """Return the lines in the order in which they were drawn over one another."""
    return [line.strip() for line in terminal(*events).split("\r") if line.strip()]


def pieces(arguments, size, index=0):
    starts = range(0, len(arguments), size)
    return [ToolCallDelta(index, arguments[start : start + size]) for start in starts]


def test_a_long_call_is_seen_growing_with_its_target():
    arguments = msgspec.json.encode({"path": "src/app.py", "content": "x" * 5000}).decode()
    lines = drawn(WRITE, *pieces(arguments, 10))
    assert lines[0] == "writing write_to_file: 0 characters"
    assert lines[1] == "writing write_to_file: 30 characters  src/app.py"
    assert lines[2] == "writing write_to_file: 130 characters  src/app.py"
    assert lines[-1].endswith("characters  src/app.py")
    assert len(lines) < 60


@pytest.mark.trap("T-23")
@pytest.mark.parametrize("written", ['{"path":"src/ap', '{"path":"src/app.py"'])
def test_a_path_that_may_still_grow_is_not_shown(written):
    assert "src" not in str(drawn(WRITE, *pieces(written, 1)))


@pytest.mark.parametrize(
    ("arguments", "target"),
    [
        ('{"command":"ls -l"}', "ls -l"),
        ('{"files":[{"path":"a b.py"}]}', "a b.py"),
        ('{"path":"a\\tb\\n","content":""}', "a␉b␊"),
        ('{"content":"{\\"path\\":\\"no\\",","path":"yes"}', "yes"),
        ('{"path":"\\x","content":""}', ""),
        ('{"path":7,"content":""}', ""),
    ],
)
def test_the_target_is_the_value_that_says_where(arguments, target):
    (*_, last) = drawn(WRITE, ToolCallDelta(0, arguments))
    shown = f"{len(arguments)} characters  {target}" if target else "0 characters"
    assert last == f"writing write_to_file: {shown}"


def test_a_target_is_looked_for_at_the_beginning_only():
    far = '{"content":"' + "x" * 3000 + '","path":"late.py"}'
    assert "late.py" not in str(drawn(WRITE, *pieces(far, 100)))


def test_of_several_calls_the_one_that_grows_is_shown():
    other = ToolCallBegin(1, "d", "read_file")
    first, second = ToolCallDelta(0, '{"path":"a",'), ToolCallDelta(1, '{"path":"b",')
    lines = drawn(WRITE, other, first, second)
    assert lines[2:] == [
        "writing write_to_file: 12 characters  a",
        "writing read_file: 12 characters  b",
    ]


def test_a_piece_of_no_call_shows_nothing():
    assert drawn(ToolCallDelta(3, '{"path":"a",')) == []


def test_the_line_ends_with_the_message_and_text_begins_at_a_line_of_its_own():
    said = Appended(0, "", AssistantSaid(AssistantMessage((ToolCall("c", "t", "{}"),))))
    shown = terminal(TextDelta("Now."), WRITE, said, TextDelta("Next."))
    assert shown.startswith("Now.\nwriting write_to_file")
    assert shown.split("\r")[1:] == [" " * 1999, "Next.\n"]


def test_a_name_cannot_move_the_cursor():
    assert "\x1b" not in terminal(ToolCallBegin(0, "c", "a\x1b[2Jb"), ToolCallDelta(0, "{" * 200))
