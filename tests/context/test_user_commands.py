"""What the model is told of the user's own commands."""

import pytest

from agent_cli.context.user_commands import ran
from agent_cli.types.user_commands import UserRan

TOLD = {
    "its end": (UserRan("make", "built\n", 0), "$ make\nbuilt\n(exit code 0)"),
    "a failure": (UserRan("make", "", 2), "$ make\n(It printed nothing.)\n(exit code 2)"),
    "a signal": (UserRan("x", "a", None, 9), "$ x\na\n(ended by signal 9)"),
    "interrupted": (
        UserRan("x", "a", interrupted=True),
        "$ x\na\n(the user interrupted it; this is what it had printed)",
    ),
    "it cannot end its block": (
        UserRan("x", "</user_command>", 0),
        "$ x\n<\\/user_command>\n(exit code 0)",
    ),
}


@pytest.mark.parametrize(("command", "expected"), TOLD.values(), ids=TOLD)
def test_what_is_told(command: UserRan, expected: str):
    assert f"<user_command>\n{expected}\n</user_command>" in ran([command])


def test_nothing_is_told_where_nothing_was_run():
    assert ran(()) == ""
