"""Modes: what stands in their files, and what they allow."""

import pytest
from testbed.built_in_modes import mode

from agent_cli.context.modes import DEFAULT_MODE, allows, modes, read_mode
from agent_cli.types.effects import Effect, Kind
from agent_cli.types.errors import ConfigurationError

ALL = {Kind.READ, Kind.WRITE, Kind.EXECUTE, Kind.NETWORK, Kind.MCP, Kind.MODE}
GOOD = "---\nname: Reviewer\nkinds: read, mcp\nwhen: Review code.\n---\nYou review code.\n"

KINDS = [
    pytest.param("code", ALL, id="code does everything"),
    pytest.param("debug", ALL, id="debug does everything"),
    pytest.param("architect", ALL - {Kind.EXECUTE}, id="architect runs nothing"),
    pytest.param("ask", {Kind.READ, Kind.NETWORK, Kind.MCP, Kind.MODE}, id="ask changes nothing"),
    pytest.param("orchestrator", {Kind.MODE}, id="orchestrator only delegates"),
]


@pytest.mark.parametrize(("slug", "kinds"), KINDS)
def test_a_mode_allows_its_kinds_and_the_tools_that_every_mode_has(slug, kinds):
    allowed = {kind for kind in Kind if allows(mode(slug), kind)}
    assert allowed == kinds | {Kind.ALWAYS, Kind.ASK}


def test_the_default_mode_exists_and_slugs_are_unique_and_sorted():
    slugs = [known.slug for known in modes()]
    assert DEFAULT_MODE == "code"
    assert slugs == ["architect", "ask", "code", "debug", "orchestrator"]


def test_an_unknown_mode_is_refused_with_the_modes_there_are():
    with pytest.raises(ConfigurationError, match=r"'coder'.*architect, ask, code, debug, orch"):
        mode("coder")


EFFECTS = [
    pytest.param("architect", Kind.WRITE, "docs/plan.md", True, id="a Markdown file"),
    pytest.param("architect", Kind.WRITE, "src/app.py", False, id="another file"),
    pytest.param("architect", Kind.WRITE, "plan.md.py", False, id="a name that only contains it"),
    pytest.param("architect", Kind.READ, "src/app.py", True, id="reading is not restricted"),
    pytest.param("code", Kind.WRITE, "src/app.py", True, id="no restriction"),
    pytest.param("ask", Kind.WRITE, "notes.md", False, id="a writing effect of any tool"),
    pytest.param("ask", Kind.EXECUTE, "open page.html", False, id="a command of any tool"),
    pytest.param("architect", Kind.EXECUTE, "touch plan.md", False, id="not by a command either"),
    pytest.param("orchestrator", Kind.NETWORK, "example.org", False, id="no network"),
    pytest.param("orchestrator", Kind.MCP, "files", False, id="no servers"),
    pytest.param("orchestrator", Kind.MODE, "code", True, id="another mode is asked about"),
]


@pytest.mark.parametrize(("slug", "kind", "target", "permitted"), EFFECTS)
def test_a_mode_restricts_what_is_written(slug, kind, target, permitted):
    assert mode(slug).permits(Effect(kind, target)) is permitted


def test_a_mode_file_is_read():
    reviewer = read_mode("reviewer", GOOD.replace("\n", "\r\n"))
    assert (reviewer.name, reviewer.when) == ("Reviewer", "Review code.")
    assert reviewer.kinds == {Kind.READ, Kind.MCP}
    assert reviewer.files is None
    assert reviewer.role == "You review code."


FAULTS = [
    pytest.param("my mode", GOOD, "letters, digits and hyphens", id="slug"),
    pytest.param("m", "name: x\n", "front matter", id="no front matter"),
    pytest.param("m", "---\nname: x\n", "front matter", id="front matter not closed"),
    pytest.param("m", GOOD.replace("kinds:", "kind:"), "unknown fields kind", id="unknown field"),
    pytest.param("m", GOOD.replace("name: Reviewer\n", ""), "'name' is missing", id="no name"),
    pytest.param("m", GOOD.replace("Review code.\n---", "\n---"), "'when' is miss", id="no when"),
    pytest.param("m", GOOD.replace("You review code.", ""), "role after", id="no role"),
    pytest.param("m", GOOD.replace("mcp", "always"), "unknown kinds always", id="kind"),
    pytest.param("m", GOOD.replace("when:", "files: (\nwhen:"), "regular expr", id="pattern"),
    pytest.param("m", GOOD.replace("when:", "name: B\nwhen:"), "'name' is given twice", id="twice"),
    pytest.param("m", GOOD.replace("when:", "when"), "form `field: value`", id="no colon"),
]


@pytest.mark.parametrize(("slug", "text", "problem"), FAULTS)
def test_a_faulty_mode_file_is_refused_with_the_reason(slug, text, problem):
    with pytest.raises(ConfigurationError, match=problem):
        read_mode(slug, text)
