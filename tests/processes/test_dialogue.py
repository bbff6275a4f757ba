import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agent_cli.processes.dialogue import LONGEST, Dialogue
from agent_cli.processes.run import Processes
from agent_cli.processes.tree import read

ENVIRON = {"PATH": os.environ["PATH"]}


def talk(
    argv: list[str], cwd: Path, about: Callable[[Dialogue], Awaitable[None]], **environ: str
) -> Dialogue:
    async def whole() -> Dialogue:
        async with Processes(ENVIRON) as processes:
            dialogue = Dialogue()
            try:
                await dialogue.begin(
                    processes.launcher, argv, {**processes.environ, **environ}, cwd
                )
                await about(dialogue)
            finally:
                await dialogue.close()
            return dialogue

    return asyncio.run(whole())


def script(text: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-u", "-c", text]


def test_what_is_said_is_answered_line_by_line(tmp_path: Path):
    async def about(dialogue: Dialogue) -> None:
        for word in (b"one\n", b"two\n"):
            await dialogue.say(word)
            assert await dialogue.line() == word

    talk(["cat"], tmp_path, about)


def test_a_program_ends_when_its_input_does(tmp_path: Path):
    async def about(dialogue: Dialogue) -> None:
        await dialogue.say(b"last\n")

    wrote = script(f"import sys; open({str(tmp_path / 'end')!r}, 'w').write(sys.stdin.read())")
    assert talk(wrote, tmp_path, about).exit_code == 0
    assert (tmp_path / "end").read_text() == "last\n"


def test_a_program_that_stays_is_ended_with_what_it_started(tmp_path: Path):
    pids: list[int] = []

    async def about(dialogue: Dialogue) -> None:
        pids.append(int(await dialogue.line()))

    stays = "trap '' TERM; sleep 1000 & echo $!; exec sleep 1000"
    assert talk(["sh", "-c", stays], tmp_path, about).exit_code is not None
    assert read(pids[0]) is None


def test_the_end_of_standard_error_is_kept(tmp_path: Path):
    async def about(dialogue: Dialogue) -> None:
        assert await dialogue.line() == b""

    said = script("import sys; sys.stderr.write('x' * 100_000 + 'no port'); sys.exit(7)")
    dialogue = talk(said, tmp_path, about)
    assert dialogue.errors.endswith("xno port")
    assert len(dialogue.errors) == 4000
    assert dialogue.exit_code == 7


def test_the_last_line_needs_no_line_end(tmp_path: Path):
    async def about(dialogue: Dialogue) -> None:
        assert await dialogue.line() == b"unfinished"
        assert await dialogue.line() == b""

    talk(["printf", "unfinished"], tmp_path, about)


def test_a_line_without_end_is_refused(tmp_path: Path):
    async def about(dialogue: Dialogue) -> None:
        with pytest.raises(OSError, match="a line of more than 16 MB"):
            await dialogue.line()

    talk(script(f"import sys; sys.stdout.write('x' * {LONGEST + 2})"), tmp_path, about)


def test_who_is_gone_cannot_be_talked_to(tmp_path: Path):
    async def about(dialogue: Dialogue) -> None:
        assert await dialogue.line() == b""
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            await asyncio.wait_for(forever(dialogue), 10)

    async def forever(dialogue: Dialogue) -> None:
        while True:
            await dialogue.say(b"x" * 100_000)

    talk(["true"], tmp_path, about)


def test_a_program_that_is_not_there_is_named(tmp_path: Path):
    async def about(dialogue: Dialogue) -> None:
        raise AssertionError("it has begun")

    with pytest.raises(FileNotFoundError, match="no-such-program"):
        talk(["no-such-program"], tmp_path, about)


def test_what_no_program_can_be_given_is_refused(tmp_path: Path):
    async def about(dialogue: Dialogue) -> None:
        raise AssertionError("it has begun")

    with pytest.raises(ValueError, match="NUL"):
        talk(["echo", "\0"], tmp_path, about)


def test_a_program_sees_what_it_is_given_and_no_keys(tmp_path: Path):
    async def about(dialogue: Dialogue) -> None:
        assert await dialogue.line() == b"mine\n"

    talk(["sh", "-c", "echo $OPENAI_API_KEY$GIVEN"], tmp_path, about, GIVEN="mine")
