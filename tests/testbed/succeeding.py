"""A call of every tool that succeeds, and calls that do not fail though they might seem to."""

from pathlib import Path

from testbed.blocks import block
from testbed.failing_commands import COMMAND
from testbed.failing_places import (
    LOCAL,
    PAGE,
    PAINTER,
    PNG,
    image,
    page,
    served,
)
from testbed.failing_searches import PYTHON
from testbed.loopback import Answer
from testbed.scenario import Scenario, file

from agent_cli.types.outcomes import Code, Outcome

FINISHED = (Outcome.OK, Code.FINISHED)
STARTED = (Outcome.SKIPPED, Code.SUBTASK_STARTED)
AFTER = (Outcome.SKIPPED, Code.FINISHED)


def ok(
    args: dict[str, object],
    says: str,
    code: Code | None = None,
    completion: tuple[Outcome, Code | None] = FINISHED,
    **rest: object,
) -> Scenario:
    return Scenario(args, says, code, completion=completion, **rest)  # type: ignore[arg-type]


A = {"path": "a.txt"}
ECHO = {"server_name": "bare", "tool_name": "echo", "arguments": {"text": "hello"}}
SUCCEEDING: dict[str, Scenario] = {
    "access_mcp_resource": ok(
        {"server_name": "bare", "uri": "note://one"}, "the note", settings=served()
    ),
    "apply_diff": ok({**A, "diff": block("two", "2")}, "modified a.txt"),
    "ask_followup_question": ok({"question": "Which?"}, "", Code.NOBODY_TO_ASK),
    "attempt_completion": ok({"result": "Done."}, "", Code.FINISHED, AFTER),
    "browser_action": ok(
        {"action": "launch", "url": "{URL}/"},
        "launch: done",
        settings=LOCAL,
        answers=(page(PAGE), page(b"", status=404), page(b"", status=404)),
    ),
    "codebase_search": ok({"query": "two"}, "File path: a.txt"),
    "execute_command": ok({"command": "echo hello"}, "hello"),
    "fetch_instructions": ok({"task": "create_mode"}, "mode"),
    "generate_image": ok(
        {"prompt": "a cat", "path": "a.png"},
        "created a.png",
        settings=PAINTER,
        answers=(image(PNG),),
    ),
    "insert_content": ok({**A, "line": 0, "content": "three"}, "modified a.txt: inserted 1 line"),
    "list_code_definition_names": ok(
        {"path": "a.py"}, "1--4 | def f():", prepare=file("a.py", PYTHON)
    ),
    "list_files": ok({"path": "."}, "a.txt"),
    "new_task": ok(
        {"mode": "ask", "message": "Do a part."},
        "The subtask is complete. Its result:\n\nAll done.",
        Code.SUBTASK_COMPLETED,
        STARTED,
    ),
    "read_file": ok({"files": [A]}, "2 | two"),
    "run_slash_command": ok({"command": "fix"}, "Fix it.", brought=(COMMAND,)),
    "search_and_replace": ok(
        {**A, "operations": [{"search": "two", "replace": "2"}]}, "modified a.txt"
    ),
    "search_files": ok({"path": ".", "regex": "tw."}, "# a.txt"),
    "switch_mode": ok({"mode_slug": "debug", "reason": "to look"}, "is debug now"),
    "update_todo_list": ok({"todos": "[x] all"}, "1 of 1 items"),
    "use_mcp_tool": ok(ECHO, "hello", settings=served()),
    "web_fetch": ok({"url": "{URL}/"}, "# Hello", settings=LOCAL, answers=(page(),)),
    "write_to_file": ok({"path": "new.txt", "content": "new\n"}, "created new.txt (1 lines)"),
}


def _long(root: Path) -> None:
    (root / "long.txt").write_text("line\n" * 200)


HARMLESS: dict[str, tuple[str, Scenario]] = {
    "a command that says no": ("execute_command", ok({"command": "exit 3"}, "Exit code: 3")),
    "the mode that it is": ("switch_mode", ok({"mode_slug": "code"}, "is code already")),
    "a file without a count of lines": (
        "write_to_file",
        ok({"path": "new.txt", "content": "new\n"}, "created"),
    ),
    "a count of lines that is too high": (
        "write_to_file",
        ok({"path": "new.txt", "content": "new\n", "line_count": 9}, "Note: line_count is 9"),
    ),
    "a file that looks as if something was left out": (
        "write_to_file",
        ok(
            {"path": "long.txt", "content": "line\n# the rest remains unchanged\n"},
            "modified long.txt",
            prepare=_long,
        ),
    ),
    "an empty file": ("write_to_file", ok({"path": "new.txt", "content": ""}, "created")),
    "an index whose embeddings cannot be had": (
        "codebase_search",
        ok(
            {"query": "two"},
            "Note: ",
            settings={"index": {"embeddings_model": "m", "base_url": "{URL}/v1"}},
            answers=(Answer(status=404),) * 9,
        ),
    ),
    "nothing found": ("search_files", ok({"path": ".", "regex": "zzz"}, "Found 0 results.")),
    "an empty list of todos": ("update_todo_list", ok({"todos": ""}, "0 of 0 items")),
}
