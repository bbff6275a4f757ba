import asyncio
import os
import re
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from testbed.bench import Bench, said

from agent_cli.processes.run import Finished
from agent_cli.tools import _told, execute_command
from agent_cli.types.approval import CommandLine, Words
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import BlockedPathError, ToolError
from agent_cli.types.outcomes import Code


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root = (tmp_path / "root").resolve()
    root.mkdir()
    return Bench(execute_command.TOOL, root)


def test_the_result_says_where_how_and_what(bench: Bench):
    text = bench.text(command="echo out; echo err >&2")
    assert text == f"The command ran in {str(bench.root)!r}.\nExit code: 0\nOutput:\nout\nerr\n"


def test_another_exit_code_is_no_failure(bench: Bench):
    text = bench.text(command="exit 3")
    assert "Exit code: 3 (not successful)\nThere was no output." in text


def test_a_signal_is_named(bench: Bench):
    assert "ended by signal 9 (SIGKILL)" in bench.text(command="kill -9 $$")


def test_a_signal_without_a_name_is_told_by_number():
    assert "signal 40, not" in _told.status(Finished(None, 40, ""))


def test_output_is_shown_while_it_comes(bench: Bench):
    bench.text(command="echo one; echo two")
    assert "".join(bench.progress) == "one\ntwo\n"


def test_long_output_says_where_all_of_it_is(bench: Bench):
    text = bench.text(command="seq 100000")
    kept = text.rpartition("The whole output is in '")[2].removesuffix("'.")
    assert Path(kept).read_text().count("\n") == 100_000
    assert "characters omitted" in text


def test_a_directory_of_the_workspace_can_be_chosen(bench: Bench):
    (bench.root / "sub").mkdir()
    assert "sub\n" in bench.text(command="pwd", cwd="sub")
    assert bench.effects(command="pwd", cwd="sub") == (Effect(Kind.EXECUTE, "pwd"),)
    assert bench.preview(command="pwd", cwd="sub") == CommandLine("pwd", str(bench.root / "sub"))


def test_a_directory_outside_is_an_effect_of_its_own(bench: Bench):
    outside = str(bench.root.parent)
    effects = bench.effects(command="pwd", cwd="..")
    assert effects == (Effect(Kind.EXECUTE, "pwd"), Effect(Kind.READ, outside, outside=True))
    assert f"{outside}\n" in bench.text(command="pwd", cwd="..")


@pytest.mark.parametrize("cwd", ["gone", "file"])
def test_a_directory_that_is_none_is_an_error(bench: Bench, cwd: str):
    (bench.root / "file").write_text("")
    with pytest.raises(ToolError, match="does not exist"):
        bench.run(command="true", cwd=cwd)


def test_a_command_that_takes_too_long_fails_with_its_output(bench: Bench):
    with pytest.raises(ToolError, match=r"(?s)killed after 1 seconds.*begun") as caught:
        bench.run(command="echo begun; sleep 60", timeout=1)
    assert caught.value.code is Code.TIMED_OUT


@pytest.mark.parametrize("command", ["", "  \n", "a\0b"])
def test_what_is_no_command_is_refused(bench: Bench, command: str):
    with pytest.raises(ToolError) as caught:
        bench.effects(command=command)
    assert caught.value.code is Code.INVALID_ARGUMENTS


@pytest.mark.parametrize("timeout", [0, -1, 601, 1.5])
def test_a_timeout_has_bounds(bench: Bench, timeout: float):
    with pytest.raises(msgspec.ValidationError):
        bench.effects(command="true", timeout=timeout)


def test_null_means_absent(bench: Bench):
    assert "Exit code: 0" in bench.text(command="true", cwd=None, timeout=None)


def test_a_command_that_cannot_be_started_is_an_error(bench: Bench):
    with pytest.raises(ToolError, match="could not be started"):
        bench.run(command="true " + "x" * 200_000)


@pytest.mark.parametrize("command", ["cat secret", "HEAD -n 1 'secret'", "grep x a secret"])
def test_reading_an_ignored_file_is_refused(bench: Bench, command: str):
    (bench.root / ".agentignore").write_text("secret\n")
    with pytest.raises(BlockedPathError):
        bench.effects(command=command)


@pytest.mark.parametrize("command", ["cat -n a", "ls secret", "cat x:secret"])
def test_other_commands_are_not_searched_for_names(bench: Bench, command: str):
    (bench.root / ".agentignore").write_text("secret\n")
    assert bench.effects(command=command) == (Effect(Kind.EXECUTE, command),)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("cat /etc/hosts", "/etc/hosts"),
        ("ls; wc ../x", "../x"),
        ("cd sub && cat ../../x", "../../x"),
        ("gcc -I/usr/include x.c", "/usr/include"),
        ("cat link", "link"),
        ("cat l*", "l*"),
    ],
)
def test_what_a_command_names_outside_the_workspace_is_an_effect(
    bench: Bench, command: str, name: str
):
    (bench.root / "link").symlink_to("/etc/hosts")
    outside = Effect(Kind.READ, name, outside=True)
    assert bench.effects(command=command) == (Effect(Kind.EXECUTE, command), outside)


@pytest.mark.parametrize("command", ["cat a ../root/a", "cd sub && cat ../a", "ls *", "echo a/b"])
def test_what_lies_inside_is_none(bench: Bench, command: str):
    (bench.root / "sub").mkdir()
    (bench.root / "a").touch()
    assert bench.effects(command=command) == (Effect(Kind.EXECUTE, command),)


def test_names_are_seen_from_the_chosen_directory(bench: Bench):
    (bench.root / "sub").mkdir()
    assert len(bench.effects(command="cat ../a", cwd="sub")) == 1
    assert len(bench.effects(command="cat ../../a", cwd="sub")) == 2


def test_a_plain_command_runs_without_a_shell(bench: Bench):
    (bench.root / "parent").write_text("#!/bin/sh\ntr '\\0' ' ' < /proc/$PPID/cmdline\n")
    (bench.root / "parent").chmod(0o755)
    assert "sh -c" in bench.text(command="./parent; true")
    assert "sh -c" not in bench.text(command="./parent x")


def test_a_missing_program_is_told_by_the_shell(bench: Bench):
    text = bench.text(command="no-such-program-here -x")
    assert "Exit code: 127" in text
    assert "not found" in text


def test_a_script_without_an_interpreter_runs_in_the_shell(bench: Bench):
    script = bench.root / "script"
    script.write_text("echo from $0\n")
    script.chmod(0o755)
    assert "from ./script" in bench.text(command="./script")


def test_cancelling_ends_the_command(bench: Bench):
    async def scenario() -> None:
        ready = asyncio.Event()
        bench.context = replace(bench.context, progress=lambda _: ready.set())
        running = asyncio.create_task(bench.start(command="echo ready; sleep 60; touch late"))
        await asyncio.wait(
            {running, asyncio.create_task(ready.wait())}, return_when="FIRST_COMPLETED"
        )
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(scenario())
    assert not (bench.root / "late").exists()


def in_one_session(bench: Bench, *calls: dict[str, object]) -> list[str]:
    """Make the calls one after the other; "ID" stands for the process that the first started."""

    async def scenario() -> list[str]:
        told: list[str] = []
        async with bench.context.processes:
            for call in calls:
                known = re.search(r"process_id '(\d+)'", told[0]) if told else None
                if call.get("process_id") == "ID" and known is not None:
                    call["process_id"] = known[1]
                output = await bench.start(**call)
                output = said(output)
                told.append(output)
        return told

    return asyncio.run(scenario())


def test_a_command_in_the_background_is_looked_at_until_it_ends(bench: Bench):
    command = "echo one; read -r _ < fifo; echo two; exit 3"
    os.mkfifo(bench.root / "fifo")
    begun, nothing, written, ended, again = in_one_session(
        bench,
        {"command": command, "background": True, "wait": 2},
        {"process_id": "ID"},
        {"command": "echo go > fifo"},
        {"process_id": "ID", "wait": 60},
        {"process_id": "ID"},
    )
    assert "still runs after" in begun
    assert begun.endswith("New output:\none\n\nThe whole output is in " + kept(begun))
    assert nothing.endswith("There was no new output.")
    assert "Exit code: 0" in written
    assert "Exit code: 3 (not successful)\nNew output:\ntwo" in ended
    assert "Exit code: 3 (not successful)\nThere was no new output." in again


def kept(told: str) -> str:
    """Return the quoted name of the file with everything, once it is as it should be."""
    quoted = told.rpartition("is in ")[2]
    path = Path(quoted.strip("'."))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    return quoted


def test_a_command_in_the_background_can_be_stopped(bench: Bench):
    _, stopped, again = in_one_session(
        bench,
        {"command": "sleep 60", "background": True},
        {"process_id": "ID", "stop": True},
        {"process_id": "ID", "stop": True},
    )
    assert "was ended after" in stopped
    assert "was ended after" in again


def test_time_runs_out_in_the_background_too(bench: Bench):
    _, ended = in_one_session(
        bench,
        {"command": "sleep 60", "background": True, "timeout": 1},
        {"process_id": "ID", "wait": 60},
    )
    assert "was ended after 1." in ended


def test_an_unknown_process_is_an_error_that_names_the_known(bench: Bench):
    with pytest.raises(ToolError, match=r"process_id 'no'; those that run: \d+: sleep 60"):
        in_one_session(
            bench, {"command": "sleep 60", "background": True}, {"process_id": "no", "wait": 1}
        )


def test_what_is_no_program_cannot_run_in_the_background(bench: Bench):
    with pytest.raises(ToolError, match="could not be started"):
        bench.run(command="true " + "x" * 200_000, background=True)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"command": "true", "process_id": "1"}, id="both"),
        pytest.param({"process_id": "1", "cwd": "."}, id="a directory for a look"),
        pytest.param({"process_id": "1", "timeout": 1}, id="a timeout for a look"),
        pytest.param({"process_id": "1", "background": True}, id="a look in the background"),
        pytest.param({"command": "true", "wait": 1}, id="waiting for what is waited for"),
        pytest.param({"command": "true", "stop": True}, id="stopping what is not yet"),
    ],
)
def test_arguments_that_contradict_each_other_are_refused(
    bench: Bench, arguments: dict[str, object]
):
    with pytest.raises(ToolError) as caught:
        bench.effects(**arguments)
    assert caught.value.code is Code.INVALID_ARGUMENTS


def test_a_look_has_no_effects(bench: Bench):
    assert bench.effects(process_id="1", stop=True) == ()
    assert bench.preview(process_id="1") == Words("look at process '1'")
