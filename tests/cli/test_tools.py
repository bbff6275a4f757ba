"""`agent tools`: the documentation of the tools, made from the tools themselves."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.run_agent import Completed, run_agent

from agent_cli.cli.tool_facts import facts
from agent_cli.context.modes import modes
from agent_cli.tools._images import IMAGE_LIMIT
from agent_cli.tools._reasons import OF_EVERY_TOOL, size
from agent_cli.tools.base import AnyTool
from agent_cli.tools.read_file import FILES_LIMIT
from agent_cli.tools.registry import built_in

TOOLS = [pytest.param(tool, id=name) for name, tool in built_in().items()]


def shown(project: Path, home: Path, *args: str) -> Completed:
    return run_agent(["tools", *args], cwd=project, home=home)


def configure(home: Path, text: str) -> None:
    config = home / "agent/config/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(text)


def test_all_tools_are_listed_with_what_any_call_fails_for(project: Path, home: Path):
    done = shown(project, home)
    assert done.exit_code == 0, done.stderr
    rows, _, reasons = done.stdout.partition("\n\n")
    assert [row.split()[0] for row in rows.splitlines()] == list(built_in())
    assert all(f"  {reason.name}" in reasons for reason in OF_EVERY_TOOL)
    unavailable = [row.split()[0] for row in rows.splitlines() if "(not available here)" in row]
    assert "generate_image" in unavailable
    assert "read_file" not in unavailable


def test_a_page_tells_everything_of_one_tool(project: Path, home: Path):
    done = shown(project, home, "read_file")
    words = " ".join(done.stdout.split())
    for told in [
        "Kind: read",
        "Available here: yes",
        "Offered in the modes: architect, ask, code, debug",
        "files ([object], required, at least 1 of them): The files to read",
        "files[].path (string, required): Path relative to the workspace root.",
        "files[].line_ranges ([string | [integer] | object], optional): Lines to read",
        "read: path of each file",
        """Example: agent tool read_file '{"files":[{"path":"src/shop/cart.py"},""",
        f"{FILES_LIMIT} files in one call.",
        f"{size(IMAGE_LIMIT)} of one image",
        "too_many (invalid_arguments): More files are named than fit into one call.",
        "unreadable: There is nothing at the path",
        "bug: The tool itself breaks",
    ]:
        assert told in words


def test_where_a_tool_is_not_available_the_page_says_what_it_needs(project: Path, home: Path):
    done = shown(project, home, "use_mcp_tool")
    assert "Available here: no, it needs an MCP server in the settings" in done.stdout


def test_a_tool_that_something_was_set_up_for_is_available(project: Path, home: Path):
    configure(home, '[mcp.servers.x]\ncommand = "x"\n')
    found: dict[str, Any] = json.loads(shown(project, home, "use_mcp_tool", "--json").stdout)
    assert found["available"] is True


def test_json_has_every_fact(project: Path, home: Path):
    found = json.loads(shown(project, home, "--json").stdout)
    assert [one["name"] for one in found] == list(built_in())
    (edit,) = [one for one in found if one["name"] == "insert_content"]
    assert edit["effects"] == [{"kind": "write", "target": "path"}]
    assert edit["modes"][0] == {"mode": "architect", "files": "\\.md$"}
    assert edit["parameters"][1]["limits"] == ["at least 0"]
    assert {"name", "when", "code"} == {*edit["failures"][0]}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("reed_file", "there is no tool 'reed_file': did you mean read_file?"),
        ("zzz", "there is no tool 'zzz': `agent tools` lists them"),
    ],
)
def test_a_name_that_is_none_is_wrong_use(name: str, says: str, project: Path, home: Path):
    done = shown(project, home, name)
    assert (done.exit_code, done.stdout) == (2, "")
    assert says in " ".join(done.stderr.split())


def test_a_choice_is_shown_as_its_values():
    found = facts(built_in()["browser_action"], modes(), available=True)
    assert found.parameters[0].type.startswith('"click" | "close"')


@pytest.mark.parametrize("tool", TOOLS)
def test_what_is_said_of_a_tool_are_sentences_and_names(tool: AnyTool):
    names = [reason.name for reason in tool.failures]
    assert len({*names, *(one.name for one in OF_EVERY_TOOL)}) == len(names) + len(OF_EVERY_TOOL)
    assert names
    assert all(reason.name.isidentifier() for reason in tool.failures)
    sentences = [*tool.limits, *(reason.when for reason in tool.failures)]
    assert all(text[0] == text[0].upper() and text.endswith(".") for text in sentences)
    assert not tool.needs.endswith(".")
