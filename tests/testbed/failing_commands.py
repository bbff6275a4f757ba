"""How calls of execute_command, and of the tools that ask for nothing but their words, fail."""

from pathlib import Path

from testbed.replies import Call, Say
from testbed.scenario import Scenario, file, patched

from agent_cli.engine.steps import MOST_NUDGES
from agent_cli.types.brought import Brought
from agent_cli.types.outcomes import Code, Outcome

INVALID = Code.INVALID_ARGUMENTS
COMMAND = Brought("commands", "fix.md", "commands/fix.md", "Fix it.")
MISSING = Call("list_files", {"path": "absent"})
NEW = Call("read_file", {"files": [{"path": "new.txt"}]})
STARTED = (Outcome.SKIPPED, Code.SUBTASK_STARTED)

COMMANDS = {
    "which": Scenario({}, "give either command or process_id", INVALID),
    "blocked": Scenario({"command": "cat hidden.txt"}, ".agentignore", Code.BLOCKED_PATH),
    "cwd": Scenario({"command": "pwd", "cwd": "absent"}, "'absent' does not exist"),
    "start": Scenario(
        {"command": "sleep 9", "background": True},
        "run in the background already",
        patch=patched("agent_cli.processes.background.MOST", 0),
    ),
    "timeout": Scenario({"command": "sleep 9", "timeout": 1}, "was killed", Code.TIMED_OUT),
    "process_id": Scenario({"process_id": "1"}, "has the process_id '1'"),
    "protected": Scenario(
        {"command": "mkdir folder/.git"},
        "It made what it may not make",
        settings={"sandbox": {"mode": "workspace"}},
    ),
}


def forbids_once(root: Path) -> None:
    """Make a hook's program that forbids the first completion."""
    file("hook.sh", "test -e asked || { touch asked; echo not yet >&2; exit 2; }\n")(root)


COMPLETING = {
    "no_result": Scenario({"result": " "}, "the result is empty", INVALID),
    "failed_earlier": Scenario(
        {"result": "Done."},
        "",
        Code.FAILED_EARLIER,
        together=(MISSING,),
        completion=(Outcome.SKIPPED, Code.FAILED_EARLIER),
        xml="",
    ),
    "open_todos": Scenario(
        {"result": "Done."},
        "- one",
        Code.OPEN_TODOS,
        settings={"completion": {"open_todos": "block"}},
        before=(Call("update_todo_list", {"todos": "[ ] one"}),),
        later=(Call("update_todo_list", {"todos": "[x] one"}),),
    ),
    "unresolved": Scenario(
        {"result": "Done."},
        "- read_file new.txt",
        Code.UNRESOLVED,
        settings={"completion": {"scope": "resolved"}},
        before=(NEW,),
        later=(Call("write_to_file", {"path": "new.txt", "content": "x"}), NEW),
    ),
    "check": Scenario(
        {"result": "Done."},
        "test -e new.txt",
        Code.CHECK_FAILED,
        settings={"completion": {"verify": ["test -e new.txt"]}},
        later=(Call("write_to_file", {"path": "new.txt", "content": "x"}),),
    ),
    "hook": Scenario(
        {"result": "Done."},
        "not yet",
        Code.HOOK,
        prepare=forbids_once,
        settings={"hooks": {"PreCompletion": [{"command": "sh hook.sh"}]}},
    ),
}
ASKING = {
    "no_question": Scenario({"question": " "}, "the question is empty", INVALID),
    "nobody": Scenario({"question": "Which?"}, "", Code.NOBODY_TO_ASK),
}
DELEGATING = {
    "unknown_mode": Scenario({"mode": "no", "message": "Go."}, "no mode 'no'", INVALID),
    "no_message": Scenario({"mode": "code", "message": " "}, "the message is empty", INVALID),
    "no_list": Scenario(
        {"mode": "code", "message": "Go.", "todos": "all"}, "item of a checklist", INVALID
    ),
    "too_many": Scenario(
        {"mode": "code", "message": "Go."},
        "",
        Code.TOO_MANY_SUBTASKS,
        patch=patched("agent_cli.engine.steps.MOST_TASKS", 1),
    ),
    "unfinished": Scenario(
        {"mode": "code", "message": "Go."},
        "I do not know.",
        Code.SUBTASK_FAILED,
        then=(Say("I do not know."),) * (MOST_NUDGES + 1),
        completion=STARTED,
    ),
    "cancelled": Scenario(
        {"mode": "code", "message": "Go."},
        "What do you mean?",
        Code.SUBTASK_CANCELLED,
        then=(Say("What do you mean?"),),
        gives_up=True,
        completion=STARTED,
    ),
}
SCENARIOS: dict[str, dict[str, Scenario]] = {
    "execute_command": COMMANDS,
    "attempt_completion": COMPLETING,
    "ask_followup_question": ASKING,
    "update_todo_list": {"no_list": Scenario({"todos": "all"}, "item of a checklist", INVALID)},
    "switch_mode": {"unknown_mode": Scenario({"mode_slug": "no"}, "no mode 'no'", INVALID)},
    "fetch_instructions": {
        "unknown_task": Scenario({"task": "no"}, "no instructions for 'no'", INVALID)
    },
    "run_slash_command": {
        "unknown_command": Scenario(
            {"command": "no"}, "no command 'no'", INVALID, brought=(COMMAND,)
        )
    },
    "new_task": DELEGATING,
}
