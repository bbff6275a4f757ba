import asyncio
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from testbed.bench import Bench

from agent_cli.processes.run import Finished
from agent_cli.tools import execute_command
from agent_cli.types.approval import CommandLine
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
    assert "signal 40, not" in execute_command._status(Finished(None, 40, ""))


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


@pytest.mark.parametrize("command", ["cat -n a", "cat /etc/hosts", "ls secret", "cat x:secret"])
def test_other_commands_are_not_searched_for_names(bench: Bench, command: str):
    (bench.root / ".agentignore").write_text("secret\n")
    assert bench.effects(command=command) == (Effect(Kind.EXECUTE, command),)


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
