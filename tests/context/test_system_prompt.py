"""The system prompt: every rendering is a committed snapshot, and what it must never say.

To accept changed words, run the tests once with AGENT_UPDATE_SNAPSHOTS=1 and review the diff.
"""

import os
import re
from pathlib import Path
from string import Template

import msgspec
import pytest
from msgspec.structs import replace
from testbed.built_in_modes import mode

from agent_cli.context.environment import Facts
from agent_cli.context.modes import allows, modes
from agent_cli.context.system_prompt import (
    LONGEST_TEXT,
    MOST_NAMED,
    SystemPromptInputs,
    render,
)
from agent_cli.resources.prompts import prompts
from agent_cli.types.brought import Skill, SlashCommand
from agent_cli.types.effects import Kind
from agent_cli.types.requests import Protocol, ToolSpec

UPDATE = os.environ.get("AGENT_UPDATE_SNAPSHOTS") == "1"  # read before tests are isolated
SNAPSHOTS = Path(__file__).parents[1] / "snapshots/system_prompts"
FACTS = Facts(os="Linux 6.8", shell="/bin/bash", home="/home/ada", root="/home/ada/engine")

KINDS = {
    Kind.READ: "read_file search_files list_files list_code_definition_names codebase_search "
    "fetch_instructions",
    Kind.WRITE: "write_to_file apply_diff insert_content search_and_replace generate_image",
    Kind.EXECUTE: "execute_command",
    Kind.NETWORK: "browser_action web_fetch",
    Kind.MCP: "use_mcp_tool access_mcp_resource",
    Kind.ALWAYS: "ask_followup_question attempt_completion update_todo_list switch_mode new_task "
    "run_slash_command",
}
TOOLS = {name: kind for kind, names in KINDS.items() for name in names.split()}
CORE = {
    *("read_file", "search_files", "list_files", "list_code_definition_names", "write_to_file"),
    *("apply_diff", "insert_content", "search_and_replace", "execute_command", "switch_mode"),
    *("ask_followup_question", "attempt_completion", "update_todo_list", "new_task"),
    "fetch_instructions",
}
WAYS = {
    "native": (Protocol.NATIVE, True),
    "native_single": (Protocol.NATIVE, False),
    "xml": (Protocol.XML, True),
}
EVERY = [(known.slug, way) for known in modes() for way in WAYS]


def inputs(slug: str, way: str, names=CORE, **given) -> SystemPromptInputs:
    protocol, parallel = WAYS[way]
    tools = tuple(
        ToolSpec(name, "", msgspec.Raw(b"{}"))
        for name in sorted(names)
        if allows(mode(slug), TOOLS[name])
    )
    catalogue = "\n".join(f"## {tool.name}" for tool in tools) if way == "xml" else ""
    fields = {"catalogue": catalogue, **given}
    return SystemPromptInputs(mode(slug), protocol, parallel, tools, FACTS, **fields)


@pytest.mark.parametrize(("slug", "way"), EVERY)
def test_the_prompt_is_the_committed_one(slug, way):
    path = SNAPSHOTS / f"{slug}-{way}.md"
    text = render(inputs(slug, way))
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


BROUGHT = {
    "skills": (Skill("pdf", "Read and fill in PDF forms.", "Use pdftk.", "pdf/SKILL.md"),),
    "commands": (
        SlashCommand("review", "Review a branch.", "Look at $1.", "review.md", hint="<branch>"),
        SlashCommand("ship", "Publish a version.", "Ship it.", "ship.md"),
    ),
}
NAMES = {*CORE, "run_slash_command"}
GIVEN = "with_skills_and_commands"


@pytest.mark.parametrize("way", WAYS)
def test_the_prompt_with_skills_and_commands_is_the_committed_one(way):
    path = SNAPSHOTS / f"code-{way}-{GIVEN}.md"
    text = render(inputs("code", way, NAMES, **BROUGHT))
    if UPDATE:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_there_is_no_snapshot_of_nothing():
    given = {f"code-{way}-{GIVEN}" for way in WAYS}
    expected = {f"{slug}-{way}" for slug, way in EVERY} | given
    assert {path.stem for path in SNAPSHOTS.iterdir()} == expected


def test_skills_and_commands_are_named_only_where_they_can_be_used():
    text = render(inputs("code", "native", ["attempt_completion"], **BROUGHT))
    assert "pdf" not in text
    assert "/review" not in text


def test_a_long_list_of_skills_is_cut():
    many = tuple(Skill(f"s{n}", "long\n" * 400, "x", "x") for n in range(MOST_NAMED + 7))
    text = render(inputs("code", "native", skills=many))
    assert "- (and 7 more)" in text
    assert f"`s{MOST_NAMED}`" not in text
    longest = max(len(line) for line in text.split("\n") if line.startswith("- `s"))
    assert longest < LONGEST_TEXT + 20


def test_a_mode_whose_commands_are_confined_says_so():
    parts = inputs("code", "native")
    reader = replace(parts, mode=replace(mode("code"), kinds=frozenset({Kind.EXECUTE})))
    assert "commands can change nothing" in render(reader)
    assert "commands can change nothing" not in render(parts)


@pytest.mark.parametrize(("slug", "way"), EVERY)
@pytest.mark.parametrize("names", [TOOLS, CORE, ["attempt_completion"]], ids=["all", "core", "one"])
def test_no_tool_is_mentioned_that_is_not_there(slug, way, names):
    parts = inputs(slug, way, names)
    there = {tool.name for tool in parts.tools}
    mentioned = {name for name in TOOLS if re.search(rf"\b{name}\b", render(parts))}
    assert mentioned - {"attempt_completion"} <= there


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_that_is_there_is_mentioned(name):
    assert f"`{name}`" in render(inputs("code", "native", TOOLS))


@pytest.mark.parametrize(("slug", "way"), EVERY)
def test_every_prompt_says_how_to_complete(slug, way):
    text = render(inputs(slug, way))
    for duty in ("what was done", "concise", "no pleasantries", "no question", "partial progress"):
        assert duty in text
    for duty in ("valid and safe on the user's system", "`echo` or `cat`"):
        assert duty in text


SEVERAL = "Make several calls in one message"
ONE = "Make exactly one call in every message"
WAIT = "Never assume that a call succeeded"


@pytest.mark.parametrize("slug", [known.slug for known in modes()])
def test_the_prompt_does_not_contradict_itself_on_how_many_calls_a_message_has(slug):
    native = render(inputs(slug, "native"))
    assert SEVERAL in native
    assert "in the order in which you wrote them" in native
    assert "refused when an earlier call of the same message failed" in native
    for absent in (ONE, "exactly one call", "one tool", "wait for the result", WAIT):
        assert absent.lower() not in native.lower()
    for way in ("native_single", "xml"):
        text = render(inputs(slug, way))
        assert ONE in text
        assert WAIT in text
        assert "several calls" not in text.lower()


@pytest.mark.parametrize("way", ["native", "native_single"])
def test_native_prompts_show_no_xml_calls(way):
    assert "</" not in render(inputs("code", way, TOOLS))


def test_xml_prompts_hold_the_catalogue():
    assert "# Tools\n\n## read_file $x\n" in render(
        inputs("ask", "xml", catalogue="## read_file $x")
    )


def test_a_restricted_mode_says_so_and_others_do_not():
    assert r"regular expression `\.md$`" in render(inputs("architect", "native"))
    assert "regular expression `" not in render(inputs("code", "native"))


def test_instructions_come_last_and_are_not_expanded():
    text = render(inputs("code", "native", instructions="## From A\n\nuse $HOME"))
    assert text.endswith("## From A\n\nuse $HOME\n")
    assert "# Instructions from" not in render(inputs("code", "native"))


def test_modes_are_listed_only_where_one_could_be_chosen():
    assert '- "Ask" (`ask`): ' in render(inputs("code", "native"))
    assert "# Modes" not in render(inputs("code", "native", ["read_file"]))


def test_the_modes_listed_are_the_ones_given():
    reviewer = replace(mode("ask"), slug="reviewer", name="Reviewer")
    text = render(inputs("code", "native", modes=(reviewer,)))
    assert "`reviewer`" in text
    assert "(`debug`)" not in text


TEMPLATES = {
    "system/role.md": {"role"},
    "system/tool_use_native.md": {"guard", "stop"},
    "system/tool_use_native_single.md": {"stop"},
    "system/tool_use_xml.md": {"catalogue", "stop"},
    "system/rules.md": {"root", "more"},
    "system/environment.md": {"os", "shell", "home", "root"},
}


def markdown():
    return [
        f"{folder}/{entry.name}"
        for folder in ("system", "modes")
        for entry in sorted(prompts().joinpath(folder).iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".md")
    ]


@pytest.mark.parametrize("name", markdown())
def test_templates_have_exactly_the_names_that_are_filled_in(name):
    template = Template(prompts().joinpath(name).read_text(encoding="utf-8"))
    if name in TEMPLATES:
        assert template.is_valid()
    assert set(template.get_identifiers()) == TEMPLATES.get(name, set())
