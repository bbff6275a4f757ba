import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.approval.server_tools import LONGEST, names, tool_name
from agent_cli.mcp.names import server_name

LEGAL = re.compile(r"[A-Za-z0-9_-]{1,64}")


@pytest.mark.parametrize(
    ("server", "tool", "expected"),
    [
        pytest.param("github", "push", "mcp__github__push", id="as it is"),
        pytest.param("my_server", "do_it", "mcp__my_server__do_it", id="underscores"),
        pytest.param("s", "a__b", "mcp__s__a__b", id="two underscores in the tool"),
    ],
)
def test_a_tool_is_named_after_its_server(server: str, tool: str, expected: str):
    assert tool_name(server, tool) == expected


@pytest.mark.parametrize("tool", ["a.b", "a/b", "", "ü", "x" * 60, "\ud800"])
def test_a_name_that_does_not_fit_is_marked(tool: str):
    assert re.fullmatch(r"mcp__s__[A-Za-z0-9_-]*_[0-9a-f]{8}", tool_name("s", tool))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("github", "github"), ("My Server", "My-Server"), ("@scope/name", "scope-name"),
        ("a__b", "a-b"), ("a_", "a"), ("mcp.it", "mcp-it"), ("...", ""), ("x" * 99, "x" * 30),
    ],
)  # fmt: skip
def test_a_server_gets_a_name_that_fits(written: str, name: str):
    assert server_name(written) == name


@pytest.mark.trap("T-24")
@given(st.text(max_size=80), st.text(max_size=80))
def test_every_name_is_legal_and_says_whose_tool_it_is(written: str, tool: str):
    server = server_name(written)
    if not server:
        return
    name = tool_name(server, tool)
    assert LEGAL.fullmatch(name)
    assert len(name) <= LONGEST
    assert name.removeprefix("mcp__").partition("__")[0] == server


def test_a_rule_may_name_a_server_or_a_tool():
    assert names("s/a.b") == {"mcp__s", "mcp__s__a.b", tool_name("s", "a.b")}


@pytest.mark.trap("T-24")
@given(st.sets(st.text(max_size=80), min_size=2, max_size=5))
def test_two_tools_have_two_names(tools: set[str]):
    assert len({tool_name("s", tool) for tool in tools}) == len(tools)
