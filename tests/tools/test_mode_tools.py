"""switch_mode, fetch_instructions and run_slash_command, by themselves."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from testbed.bench import Bench

from agent_cli.resources.prompts import prompts
from agent_cli.tools import fetch_instructions, run_slash_command, switch_mode
from agent_cli.tools.base import AnyTool, Services, SwitchMode
from agent_cli.types.approval import Words
from agent_cli.types.brought import Skill, SlashCommand
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ToolError
from agent_cli.types.outcomes import Code

SERVICES = Services(
    modes=("ask", "code"),
    skills=(Skill("pdf", "Read PDF.", "Use pdftk.", ".agents/skills/pdf/SKILL.md"),),
    commands=(
        SlashCommand("review", "Review.", "Look at $1 of $ARGUMENTS.", "r.md", "<branch>", "ask"),
        SlashCommand("ship", "Ship.", "Ship it.", "s.md"),
    ),
)


def bench(tool: AnyTool, root: Path, services: Services = SERVICES) -> Any:
    made = Bench(tool, root)
    made.context = replace(made.context, services=services, mode="code")
    return made


def test_a_switch_is_an_effect_that_says_where_to(tmp_path: Path):
    use = bench(switch_mode.TOOL, tmp_path)
    assert use.effects(mode_slug="ask") == (Effect(Kind.MODE, "ask"),)
    assert use.preview(mode_slug="ask", reason="only a question") == Words(
        "code → ask: only a question"
    )
    assert use.preview(mode_slug="ask") == Words("code → ask")
    said = use.run(mode_slug=" ask ", reason="only a question")
    assert said == SwitchMode("ask", "The mode was code and is ask now. Reason: only a question")


def test_a_switch_to_the_same_mode_is_harmless(tmp_path: Path):
    use = bench(switch_mode.TOOL, tmp_path)
    assert use.effects(mode_slug="code") == ()
    assert "code already" in use.run(mode_slug="code")


@pytest.mark.parametrize("slug", ["coder", "", "Code"])
def test_an_unknown_mode_fails_before_anybody_is_asked(slug: str, tmp_path: Path):
    with pytest.raises(ToolError, match="choose one of: ask, code") as caught:
        bench(switch_mode.TOOL, tmp_path).effects(mode_slug=slug)
    assert caught.value.code is Code.INVALID_ARGUMENTS


@pytest.mark.parametrize("name", ["review", "/review", " /review "])
def test_a_command_comes_back_as_instructions(name: str, tmp_path: Path):
    use = bench(run_slash_command.TOOL, tmp_path)
    said = use.run(command=name, args="main now")
    assert said == SwitchMode(
        "ask",
        "Command: /review\nDescription: Review.\nArgument hint: <branch>\nArguments: main now\n"
        "Source: r.md\n\nLook at main of main now.",
    )
    assert use.effects(command=name) == (Effect(Kind.MODE, "ask"),)
    assert use.preview(command=name, args="main") == Words("/review main (mode ask)")


def test_a_command_of_no_mode_asks_nobody(tmp_path: Path):
    use = bench(run_slash_command.TOOL, tmp_path)
    assert use.effects(command="ship") == ()
    assert use.run(command="ship").endswith("Source: s.md\n\nShip it.")


def test_an_unknown_command_fails_with_those_that_there_are(tmp_path: Path):
    with pytest.raises(ToolError, match="no command 'x'; the commands are: review, ship") as caught:
        bench(run_slash_command.TOOL, tmp_path).run(command="x")
    assert caught.value.code is Code.INVALID_ARGUMENTS
    with pytest.raises(ToolError, match=r"\(none\)"):
        bench(run_slash_command.TOOL, tmp_path, Services()).run(command="x")


def test_without_commands_the_tool_is_not_offered():
    assert run_slash_command.TOOL.available(SERVICES)
    assert not run_slash_command.TOOL.available(Services())


def test_a_skill_comes_on_demand(tmp_path: Path):
    said = bench(fetch_instructions.TOOL, tmp_path).run(task="pdf")
    assert said.startswith("This skill is .agents/skills/pdf/SKILL.md;")
    assert said.endswith("\n\nUse pdftk.")


OWN = sorted(place.stem for place in prompts().glob("instructions/*.md"))


@pytest.mark.parametrize("task", OWN)
def test_instructions_of_our_own_are_named_where_they_are_asked_for(task: str, tmp_path: Path):
    said = bench(fetch_instructions.TOOL, tmp_path).run(task=task)
    assert said.startswith("# Creating a")
    assert task in str(fetch_instructions.Arguments.__annotations__)


@pytest.mark.parametrize("task", ["", "create", "../modes/code"])
def test_there_are_no_instructions_for_anything_else(task: str, tmp_path: Path):
    with pytest.raises(ToolError, match=r"there are some for: create_command, .*, pdf") as caught:
        bench(fetch_instructions.TOOL, tmp_path).run(task=task)
    assert caught.value.code is Code.INVALID_ARGUMENTS
