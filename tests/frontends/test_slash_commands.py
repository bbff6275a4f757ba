"""The table of slash commands: which there are, what they say of themselves, who is meant."""

import pytest

from agent_cli.context.customs import Customs, customs
from agent_cli.frontends.terminal.commands.base import Command
from agent_cli.frontends.terminal.commands.registry import (
    built_in,
    find,
    is_prompt,
    parted,
    unknown,
)
from agent_cli.types.brought import Brought

OURS = built_in()


def with_commands(*names: str) -> Customs:
    texts = (Brought("commands", f"{name}.md", f"/there/{name}.md", "Do it.") for name in names)
    return customs(tuple(texts))


@pytest.mark.parametrize("command", OURS, ids=lambda command: command.name)
def test_every_command_says_in_one_line_what_it_does(command: Command):
    assert command.help.strip() == command.help != ""
    assert "\n" not in command.help
    assert len(command.help) <= 72


FIELD = (
    "help model mode status context cost compact clear resume fork undo redo diff export init mcp "
    "tools skills permissions plan todos tasks editor copy doctor exit memory theme"
)
"""What people know from other agents, and expect here."""


@pytest.mark.parametrize("name", FIELD.split())
def test_what_the_field_has_is_there(name: str):
    found = find(name)
    assert found is not None
    assert found.name == name


LOOKS: dict[str, tuple[str, bool]] = {
    "one that only looks": ("/status", True),
    "whatever stands behind it": ("/tools read_file", True),
    "one that would act with an argument": ("/tasks", True),
    "and does": ("/tasks cancel", False),
    "one that acts": ("/undo", False),
}


@pytest.mark.parametrize(("line", "looks"), LOOKS.values(), ids=LOOKS)
def test_while_the_agent_works_one_can_look(line: str, *, looks: bool):
    name, argument = parted(line)
    found = find(name)
    assert found is not None
    assert found.looks(argument) is looks


def test_no_two_commands_have_the_same_name():
    names = [name for command in OURS for name in (command.name, *command.aliases)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("new", "clear"),
        ("quit", "exit"),
        ("sessions", "resume"),
        ("usage", "cost"),
    ],
)
def test_the_other_names_of_the_field_are_known(alias: str, name: str):
    found = find(alias)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("say it", True, id="words"),
        pytest.param("/status", False, id="ours"),
        pytest.param("/usage", False, id="ours, by another name"),
        pytest.param("/review this", True, id="the folder's"),
        pytest.param("/review", True, id="the folder's, without arguments"),
        pytest.param("/undo", False, id="ours, though the folder has one of that name"),
        pytest.param("/statsu", False, id="mistyped"),
        pytest.param("/", False, id="only the slash"),
        pytest.param("/usr/bin/env is missing", True, id="words that begin with a path"),
    ],
)
def test_who_a_line_is_for(line: str, *, expected: bool):
    assert is_prompt(with_commands("review", "undo"), line) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("/mode ask", ("mode", "ask")),
        ("/mode\t ask  me ", ("mode", "ask  me")),
        ("/mode", ("mode", "")),
        ("/", ("", "")),
        ("/ mode", ("mode", "")),
    ],
)
def test_a_line_is_a_name_and_what_stands_behind_it(line: str, expected: tuple[str, str]):
    assert parted(line) == expected


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("parralel", ["/parallel"]),
        ("exti", ["/exit"]),
        ("reviwe", ["/review"]),
        ("zzzzzz", []),
    ],
)
def test_what_is_mistyped_is_reported_with_names_like_it(name: str, near: list[str]):
    told = unknown(with_commands("review"), name)
    assert f"there is no command /{name}" in told
    assert all(one in told for one in near)
    assert ("like it" in told) is bool(near)


def test_what_is_mistyped_shows_hidden_characters():
    assert "\x1b" not in unknown(with_commands(), "\x1b[2Jst")
