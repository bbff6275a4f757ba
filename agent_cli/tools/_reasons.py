"""For what reasons calls fail, where several tools share one: one name, one sentence, one code.

The names are stable: documentation and tests go by them.
"""

from agent_cli.tools.base import Reason
from agent_cli.types.outcomes import Code
from agent_cli.workspace.files import READ_LIMIT
from agent_cli.workspace.ignore import IGNORE_FILE

_UNITS = ((1024 * 1024, "MiB"), (1024, "KiB"))


def size(count: int) -> str:
    """Return a number of bytes as people write it, exactly."""
    for unit, name in _UNITS:
        if count % unit == 0:
            return f"{count // unit} {name}"
    return f"{count:,} bytes"


OF_EVERY_TOOL = (
    Reason(
        "unknown_tool",
        "The session has no tool of this name: there is none, it cannot work here, or the user "
        "has taken it out.",
        Code.UNKNOWN_TOOL,
    ),
    Reason(
        "forbidden",
        "The mode does not have tools of this kind, or may not touch what the call names.",
        Code.FORBIDDEN,
    ),
    Reason(
        "arguments",
        "The arguments are no JSON object, or one of them is missing, unknown, given twice or of "
        "the wrong type.",
        Code.INVALID_ARGUMENTS,
    ),
    Reason("cut_off", "The model's message ended before the call did.", Code.CUT_OFF),
    Reason(
        "repeated",
        "The same call had the same result several times in a row, and the user does not let it "
        "go on.",
        Code.REPEATED,
    ),
    Reason("changing", "What the call would do changes whenever the user is shown it."),
    Reason("bug", "The tool itself breaks: an error of this program."),
)
"""Whatever a tool is; in the order in which a call is checked."""

BLOCKED = Reason(
    "blocked",
    f"The path is empty or malformed, {IGNORE_FILE} covers it, it is a place of keys or "
    "passwords, or it is a device, pipe or socket.",
    Code.BLOCKED_PATH,
)
UNREADABLE = Reason(
    "unreadable", "There is nothing at the path, nothing of the right sort, or it may not be read."
)
NO_FILE = Reason("no_file", "There is no file at the path.")
BINARY = Reason("binary", "The file is no text: it holds NUL characters.")
TOO_LARGE = Reason("too_large", f"The file has more than {size(READ_LIMIT)}.")
UNWRITABLE = Reason(
    "unwritable",
    "The path is a directory or leads through a file; or the file is read-only, has further names "
    "outside the workspace, or the system or another program does not let it be written.",
)
UNENCODABLE = Reason(
    "unencodable", "The new text holds NUL, or characters that the file's encoding does not have."
)
CHANGED = Reason("changed", "The file has changed since the edit was shown, or since it was read.")

EDITING = (BLOCKED, BINARY, TOO_LARGE, UNENCODABLE, UNWRITABLE, CHANGED)
"""Of a tool that changes text."""
EDITED_SIZE = f"{size(READ_LIMIT)} of the file that is changed."
