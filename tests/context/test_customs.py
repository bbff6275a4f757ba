"""Modes, skills, commands and rules that a user or a trusted project brings along."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.context.commands import typed
from agent_cli.context.customs import Customs, customs
from agent_cli.context.modes import modes
from agent_cli.types.brought import Brought, SlashCommand
from agent_cli.types.effects import Kind


def mode_text(kinds: str, files: str = "") -> str:
    pattern = f"files: {files}\n" if files else ""
    return f"---\nname: M\nkinds: {kinds}\nwhen: Now.\n{pattern}---\nYou are M.\n"


def brought(folder: str, name: str, text: str, *, project: bool = False) -> Brought:
    return Brought(folder, name, f"/there/{folder}/{name}", text, project)


def only(file: Brought) -> Customs:
    return customs([file])


def test_nothing_brought_is_the_built_in_modes():
    assert customs([]) == Customs(modes=customs([]).modes)
    assert customs([]).modes.known == modes()


def test_a_mode_is_added_in_the_order_of_slugs():
    found = only(brought("modes", "review.md", mode_text("read, mcp"))).modes
    slugs = [mode.slug for mode in found.known]
    assert slugs == sorted(slugs)
    assert found.find("review").kinds == {Kind.READ, Kind.MCP}
    assert found.has("review")
    assert not found.has("other")


def test_the_users_own_mode_may_replace_one_and_do_more():
    found = only(brought("modes", "ask.md", mode_text("read, write, execute")))
    assert found.modes.find("ask").kinds == {Kind.READ, Kind.WRITE, Kind.EXECUTE}
    assert found.faults == ()


OVER = [
    pytest.param("ask", "read", "", True, id="fewer kinds"),
    pytest.param("ask", "read, network, mcp, mode", "", True, id="the same kinds"),
    pytest.param("ask", "read, write", "", False, id="one kind more"),
    pytest.param("ask", "execute", "", False, id="commands"),
    pytest.param("architect", "read, write", r"\.md$", True, id="the same files"),
    pytest.param("architect", "read, write", "", False, id="all files"),
    pytest.param("architect", "read, write", r"\.py$", False, id="other files"),
    pytest.param("architect", "read", "", True, id="no writing needs no pattern"),
    pytest.param("code", "read, write", r"\.md$", True, id="a pattern where there was none"),
    pytest.param("new", "read, write, execute, network, mcp", "", True, id="a new mode"),
]


@pytest.mark.parametrize(("slug", "kinds", "files", "holds"), OVER)
def test_a_projects_mode_can_only_tighten_one_that_is_there(slug, kinds, files, holds):
    found = only(brought("modes", f"{slug}.md", mode_text(kinds, files), project=True))
    assert (found.modes.has(slug) and found.modes.find(slug).name == "M") is holds
    assert [fault.path for fault in found.faults] == [] if holds else [f"/there/modes/{slug}.md"]


def test_a_project_cannot_loosen_what_the_user_tightened():
    own = brought("modes", "code.md", mode_text("read"))
    theirs = brought("modes", "code.md", mode_text("read, write"), project=True)
    found = customs([own, theirs])
    assert found.modes.find("code").kinds == {Kind.READ}
    assert "may not do more" in found.faults[0].problem


def test_a_faulty_file_is_told_of_and_loses_nothing_else():
    bad = brought("modes", "bad.md", "no front matter")
    unnamed = brought("commands", "a b.md", "Do it.")
    silent = brought("skills", "s/SKILL.md", "---\nname: s\n---\nText.")
    good = brought("commands", "ok.md", "Do it.")
    found = customs([bad, unnamed, silent, good])
    assert [command.name for command in found.commands] == ["ok"]
    assert [fault.path.rsplit("/", 1)[-1] for fault in found.faults] == [
        "bad.md",
        "SKILL.md",
        "a b.md",
    ]


SKILLS = [
    ("pdf/SKILL.md", "---\nname: forms\ndescription: Fill in.\n---\nText.", "forms"),
    ("pdf/SKILL.md", "---\ndescription: >\n  Fill\n  in.\nlicense: MIT\n---\nText.", "pdf"),
    ("group/pdf/SKILL.md", "---\ndescription: Fill in.\n---\nText.", "pdf"),
]


@pytest.mark.parametrize(("name", "text", "called"), SKILLS)
def test_a_skill_has_a_name_and_a_description(name, text, called):
    (skill,) = only(brought("skills", name, text)).skills
    assert (skill.name, skill.description.rstrip("."), skill.text) == (called, "Fill in", "Text.")


@pytest.mark.parametrize("name", ["pdf/reference.md", "SKILL.md", "pdf/skill.txt"])
def test_what_lies_beside_a_skill_is_none(name):
    found = only(brought("skills", name, "Text."))
    assert found.skills == ()
    assert found.faults == ()


@pytest.mark.parametrize("text", ["Text.", "---\ndescription: x\n---\n", "---\nname x\n---\nT."])
def test_a_skill_that_cannot_be_described_is_a_fault(text):
    found = only(brought("skills", "pdf/SKILL.md", text))
    assert (found.skills, len(found.faults)) == ((), 1)


def test_a_command_has_what_its_front_matter_says():
    text = "---\ndescription: Review.\nargument-hint: <branch>\nmode: ask\n---\nLook at $1.\n"
    (command,) = only(brought("commands", "git/review.md", text)).commands
    assert command == SlashCommand(
        "git:review", "Review.", "Look at $1.", "/there/commands/git/review.md", "<branch>", "ask"
    )


def test_a_command_without_front_matter_is_described_by_its_first_line():
    (command,) = only(brought("commands", "ship.md", f"{'x' * 300}\nmore")).commands
    assert command.description == "x" * 100


@pytest.mark.parametrize("text", ["", "---\ndescription: x\n---\n", "---\nmode: none\n---\nDo."])
def test_a_command_that_cannot_be_run_is_a_fault(text):
    found = only(brought("commands", "ship.md", text))
    assert (found.commands, len(found.faults)) == ((), 1)


def test_a_later_command_takes_the_place_of_an_earlier_one():
    own = brought("commands", "ship.md", "Mine.")
    theirs = brought("commands", "ship.md", "Theirs.", project=True)
    assert [one.body for one in customs([own, theirs]).commands] == ["Theirs."]


def test_rules_hold_for_every_mode_or_for_one():
    files = [
        brought("rules-code", "a.md", "In code."),
        brought("rules", "b.md", "Always."),
        brought("rules", "empty.md", " \n"),
        brought("rules", "c.md", "Theirs.", project=True),
    ]
    found = customs(files)
    assert [rule.text for rule in found.rules_for("code", project=False)] == ["Always.", "In code."]
    assert [rule.text for rule in found.rules_for("ask", project=False)] == ["Always."]
    assert [rule.text for rule in found.rules_for("ask", project=True)] == ["Theirs."]


EXPANDED = [
    ("Do $ARGUMENTS now.", "a b", "Do a b now."),
    ("$1 then $2 and $3.", "a 'b c'", "a then b c and ."),
    ("$1|$2", '"x y" z', "x y|z"),
    ("$0 $10 $ARGUMENTSX $a $$", "a", "$0 $10 $ARGUMENTSX $a $$"),
    ("$1", "$2 b", "$2"),
    ("$ARGUMENTS", "$1", "$1"),
    ("No place.", "a", "No place."),
    ("$1", "", ""),
    ("$1", "it's", "it's"),
]


@pytest.mark.parametrize(("body", "arguments", "text"), EXPANDED)
def test_arguments_are_filled_in_once(body, arguments, text):
    assert SlashCommand("x", "", body, "").expanded(arguments) == text


@given(st.text(alphabet="ab $1'\"\n"))
def test_all_arguments_stay_as_they_were_typed(arguments):
    assert SlashCommand("x", "", "<$ARGUMENTS>", "").expanded(arguments) == f"<{arguments}>"


COMMAND = SlashCommand("go", "", "Go.", "")
TYPED = [
    ("/go", ""),
    ("/go  there ", "there"),
    ("  /go there\nand back", "there\nand back"),
    ("/go\nthere", "there"),
    ("/gone", None),
    ("go", None),
    ("say /go", None),
    ("", None),
]


@pytest.mark.parametrize(("line", "arguments"), TYPED)
def test_a_command_is_typed_as_the_first_word(line, arguments):
    expected = None if arguments is None else (COMMAND, arguments)
    assert typed(line, (COMMAND,)) == expected
