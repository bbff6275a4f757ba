"""I16: whatever is cut, no character is cut in two, and none that is no character is kept or sent.

Each text is of one character of two, three or four bytes, moved by up to three bytes, so that every
limit falls once before, once behind and once within it.
"""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from testbed.journals import journal_of
from testbed.replies import Call, Say
from testbed.run_agent import environment
from testbed.server import ModelServer
from testbed.story import BEGINNING, story

from agent_cli.context import rules_files
from agent_cli.frontends.headless.nobody import NobodyThere
from agent_cli.mcp.definitions import plain
from agent_cli.mcp.results import LONGEST_RESULT, bounded
from agent_cli.processes._output import LIMIT, Output
from agent_cli.processes._spill import Spills
from agent_cli.proxy.envelopes import success
from agent_cli.runtime.assemble import assemble
from agent_cli.runtime.standing import standing
from agent_cli.runtime.toolbox import Options
from agent_cli.sessions.catalog import sessions
from agent_cli.sessions.search import search
from agent_cli.settings.schema import Settings
from agent_cli.tools._numbered_blocks import TEXT_LIMIT, blocks
from agent_cli.types.entries import UserSaid
from agent_cli.types.events import Event
from agent_cli.types.redaction import Redactor

LENGTH = max(LIMIT, LONGEST_RESULT, TEXT_LIMIT) + 10


def printed(text: str) -> str:
    """What is kept of the output of a program, come in pieces of seven bytes."""
    output, data = Output(redactor=Redactor()), text.encode()
    for start in range(0, len(data), 7):
        output.feed(data[start : start + 7])
    output.feed(b"", final=True)
    return output.text


def title(text: str) -> str:
    path = Path("sessions/work/one.jsonl")
    path.parent.mkdir(parents=True)
    path.write_bytes(journal_of([*BEGINNING[:2], UserSaid(text[:500])]))
    (info,) = sessions(Path("sessions"))
    return info.title


def found(text: str) -> str:
    path = Path("one.jsonl")
    path.write_bytes(journal_of([*BEGINNING[:2], UserSaid(f"{text}needle{text}")]))
    (hit,) = search(path, ("needle",))
    return hit.excerpt.replace("needle", "")


CUTTERS: dict[str, Callable[[str], str]] = {
    "output of a program": printed,
    "a result of a server": bounded,
    "a description of a server": plain,
    "a line of a file": lambda text: blocks([text], ()),
    "a file of rules": lambda text: rules_files._capped(Path("AGENTS.md"), text).text,
    "a managed result": lambda text: msgspec.json.decode(success(text, 2000).text)["data"],
    "a title": title,
    "a task's words": lambda text: standing(story(UserSaid(text))).replace("do it", ""),
    "what was searched for": found,
}


@pytest.mark.invariant("I16")
@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("character", ["ß", "你", "\U0001f600"])
@pytest.mark.parametrize("cut", CUTTERS.values(), ids=CUTTERS)
def test_no_character_is_cut_in_two(cut: Callable[[str], str], character: str, before: int):
    text = "x" * before + character * LENGTH
    kept = cut(text)
    assert len(kept) < len(text)
    assert "\ufffd" not in kept
    assert {one for one in kept if one.encode() > b"\x7f"} <= {character, "…"}


@pytest.mark.invariant("I16")
@pytest.mark.parametrize("before", range(4))
def test_a_file_of_long_output_ends_with_a_whole_character(
    before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("agent_cli.processes._spill._LIMIT", 1000)
    spill = Spills(tmp_path / "spills").file()
    spill.write("x" * before + "\U0001f600" * 1000)
    assert spill.path is not None
    spill.write("behind")
    kept = Path(spill.path).read_bytes()
    assert 1000 - 4 < len(kept) <= 1000
    assert set(kept.decode()) <= {"x", "\U0001f600"}


class Watching(NobodyThere):
    def emit(self, event: Event) -> None:
        """Look away."""


NAME = b"caf\xe9.txt"
NO_TEXT = {
    "a name that a link leads to": Call("read_file", {"files": [{"path": "link"}]}),
    "a name in a list": Call("list_files", {"path": "."}),
    "a name with a match": Call("search_files", {"path": ".", "regex": "x"}),
    "a file written by a link": Call("write_to_file", {"path": "link", "content": "y\n"}),
    "a file made by a command": Call("execute_command", {"command": "touch $(printf 'n\\351')"}),
    "output": Call("execute_command", {"command": "printf 'a\\355\\240\\275b'"}),
    "half a character in a path": Call("read_file", '{"files":[{"path":"a\\ud83d"}]}'),
    "half a character in a text": Call("write_to_file", '{"path":"b","content":"a\\ud83d"}'),
    "half a character in a name": Call("read\ud83d_file", "{}"),
}


@pytest.mark.invariant("I16")
@pytest.mark.parametrize("call", NO_TEXT.values(), ids=NO_TEXT)
def test_what_is_no_text_is_neither_recorded_nor_sent(call: Call, tmp_path: Path):
    Path(os.fsdecode(NAME)).write_text("x\n")
    Path("link").symlink_to(os.fsdecode(NAME))
    done = Say(calls=[Call("attempt_completion", {"result": "All done."})])
    with ModelServer([Say(calls=[call]), done]) as server:
        environ = environment(tmp_path / "home", server)
        options = Options(Path.cwd(), environ, "anthropic/test-model", yolo=True)
        agent = assemble(Settings(), options, Watching())

        async def whole() -> None:
            try:
                await agent.submit("Do it.")
            finally:
                await agent.close()

        asyncio.run(whole())
    assert server.violations == []
    (journal,) = tmp_path.glob("home/agent/data/sessions/*/*.jsonl")
    assert b"\\ud" not in journal.read_bytes().replace(b"\\\\ud", b"")
