import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_cli.processes.run import Finished, Processes


@pytest.fixture
def processes() -> Iterator[Processes]:
    environ = {"PATH": os.environ["PATH"], "OPENAI_API_KEY": "secret", "LC_ALL": "C.UTF-8"}
    processes = Processes(environ)
    yield processes
    asyncio.run(processes.close())


def run(processes: Processes, command: object, cwd: Path, **more: object) -> Finished:
    return asyncio.run(processes.run(command, cwd=cwd, **more))  # type: ignore[arg-type]


def test_a_command_ends_with_its_exit_code_and_output(processes: Processes, tmp_path: Path):
    finished = run(processes, "echo out; echo err >&2; exit 3", tmp_path)
    assert finished == Finished(exit_code=3, signal=None, output="out\nerr\n")


def test_a_program_gets_its_arguments_unchanged(processes: Processes, tmp_path: Path):
    assert run(processes, ["printf", "%s|", "$HOME", "a b", "*"], tmp_path).output == "$HOME|a b|*|"


def test_a_command_runs_where_it_is_told(processes: Processes, tmp_path: Path):
    assert run(processes, "pwd -P", tmp_path).output == f"{tmp_path.resolve()}\n"


def test_a_command_that_begins_with_a_sign_is_no_option(processes: Processes, tmp_path: Path):
    finished = run(processes, "-c 'echo ran'", tmp_path)
    assert finished.exit_code == 127
    assert "ran\n" not in finished.output


@pytest.mark.invariant("R5")
def test_a_command_sees_no_keys(processes: Processes, tmp_path: Path):
    output = run(processes, "env", tmp_path).output
    assert "AI_AGENT=agent" in output
    assert "secret" not in output


@pytest.mark.invariant("R4")
def test_standard_input_is_empty_unless_given(processes: Processes, tmp_path: Path):
    assert run(processes, "cat", tmp_path).output == ""
    big = b"x" * 200_000 + b"\nend"
    assert run(processes, "tail -n 1", tmp_path, stdin=big).output == "end"


@pytest.mark.invariant("R4")
def test_a_command_has_no_terminal(processes: Processes, tmp_path: Path):
    assert run(processes, "cat </dev/tty", tmp_path).exit_code != 0


def test_a_command_ended_by_a_signal_has_no_exit_code(processes: Processes, tmp_path: Path):
    finished = run(processes, "kill -KILL $$", tmp_path)
    assert (finished.exit_code, finished.signal) == (None, 9)


def test_output_is_heard_as_it_comes(processes: Processes, tmp_path: Path):
    heard: list[str] = []
    run(processes, "printf 'a\\rb'; echo", tmp_path, on_output=heard.append)
    assert "".join(heard) == "a\rb\n"


@pytest.mark.invariant("R3")
def test_everything_drains_however_much_there_is(tmp_path: Path):
    processes = Processes({"PATH": os.environ["PATH"]}, tmp_path / "spill")
    finished = run(processes, "seq 1 200000; echo end >&2", tmp_path)
    assert finished.exit_code == 0
    assert finished.output.startswith("1\n2\n")
    assert finished.output.endswith("200000\nend\n")
    assert finished.spilled is not None
    assert Path(finished.spilled).read_text().count("\n") == 200_001


def test_a_background_process_that_keeps_the_pipe_does_not_keep_us(
    processes: Processes, tmp_path: Path
):
    began = time.monotonic()
    finished = run(processes, "sleep 60 & echo $!", tmp_path)
    assert time.monotonic() - began < 10
    os.kill(int(finished.output), 9)  # it lives
    assert finished.exit_code == 0


@pytest.mark.parametrize("command", [["no-such-program"], ["true", "\0"]], ids=["missing", "NUL"])
def test_what_cannot_be_started_raises(processes: Processes, tmp_path: Path, command: list[str]):
    with pytest.raises((OSError, ValueError)):
        run(processes, command, tmp_path)


def test_a_folder_that_does_not_exist_raises(processes: Processes, tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="gone"):
        run(processes, "true", tmp_path / "gone")


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_nothing_stays_open(processes: Processes, tmp_path: Path):
    async def many() -> int:
        await processes.run("true", cwd=tmp_path)
        before = descriptors()
        for _ in range(5):
            await processes.run("echo x", cwd=tmp_path, stdin=b"y")
            with pytest.raises(FileNotFoundError):
                await processes.run(["no-such-program"], cwd=tmp_path)
        return descriptors() - before

    assert asyncio.run(many()) == 0
