"""What is offered while somebody types."""

import asyncio
from pathlib import Path

from prompt_toolkit.completion import CompleteEvent, Completion
from prompt_toolkit.document import Document
from testbed.keyboard import typed

from agent_cli.frontends.terminal.completion import Completions, Offer
from agent_cli.frontends.terminal.file_names import FileNames
from agent_cli.frontends.terminal.input import Manner
from agent_cli.workspace.gate import Workspace

OFFERS = [Offer("model", "show the model"), Offer("mode", "switch"), Offer("commands:mo", "\x1b")]


def completions(root: Path) -> Completions:
    return Completions(lambda: OFFERS, FileNames(Workspace(root)))


def offered(root: Path, text: str) -> list[Completion]:
    async def collect() -> list[Completion]:
        source = completions(root).get_completions_async(Document(text), CompleteEvent())
        return [completion async for completion in source]

    return asyncio.run(collect())


def test_commands_that_begin_so_come_before_those_that_hold_it(tmp_path: Path):
    found = offered(tmp_path, "/mo")
    assert [one.text for one in found] == ["mode", "model", "commands:mo"]
    assert [one.display_meta_text for one in found] == ["switch", "show the model", "␛"]


def test_a_command_is_offered_at_the_beginning_only(tmp_path: Path):
    assert offered(tmp_path, "see /mo") == []
    assert offered(tmp_path, "/mode co") == []


def test_files_are_written_as_mentions_are_read(tmp_path: Path):
    (tmp_path / "my notes.md").write_text("x")
    (tmp_path / 'a"b\u202e.md').write_text("x")
    found = offered(tmp_path, "see @md")
    assert [one.text for one in found] == ['a"b\u202e.md', "my\\ notes.md"]
    assert [one.display_text for one in found] == ['a"b<U+202E>.md', "my notes.md"]
    assert {one.start_position for one in found} == {-2}


def test_what_is_offered_does_not_change_what_is_sent(tmp_path: Path):
    (tmp_path / "main.py").write_text("x")
    manner = Manner(completions=completions(tmp_path))
    assert typed("/mo\r", manner) == "/mo"
    assert typed("see @mai\r", manner) == "see @mai"


def test_what_is_worth_looking_for(tmp_path: Path):
    fit = completions(tmp_path).fit
    assert [fit(text) for text in ("/", "/mo", "see @", "see", "/mode x", "a@b")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip
