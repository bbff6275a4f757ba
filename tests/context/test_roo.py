"""From what a folder has for Roo Code to our files: exactly, more strictly, or not at all."""

import json

import pytest

from agent_cli.context.customs import customs
from agent_cli.context.modes import Mode, read_mode
from agent_cli.context.roo import Imported, converted, tops
from agent_cli.types.brought import Brought
from agent_cli.types.effects import Kind

ROOMODES = r"""
customModes:
  - slug: tester
    name: "Tester"
    roleDefinition: >-
      You test.
      You are strict.
    whenToUse: |
      For tests,
      of any kind.
    groups:
      - read
      - - edit
        - fileRegex: \.test\.ts$
          description: Tests
      - browser
    customInstructions: |-
      - Write tests.
  - slug: all
    name: '"All"'
    roleDefinition: Do it.
    groups: [read, edit, browser, command, mcp, modes]
"""


def one(path: str, content: str | bytes) -> Imported:
    return converted({path: content if isinstance(content, bytes) else content.encode()})


def texts(found: Imported) -> dict[str, str]:
    return {file.path: file.text for file in found.files}


def made_mode(found: Imported, slug: str) -> Mode:
    return read_mode(slug, texts(found)[f".agent/modes/{slug}.md"])


def test_modes_become_files_that_are_modes():
    found = one(".roomodes", ROOMODES)
    tester = made_mode(found, "tester")
    assert (tester.name, tester.when) == ("Tester", "For tests, of any kind.")
    assert tester.kinds == {Kind.READ, Kind.WRITE, Kind.NETWORK}
    assert tester.files == r"\.test\.ts$"
    assert tester.role == "You test. You are strict.\n\n- Write tests."
    every = made_mode(found, "all")
    assert every.kinds == set(Kind) - {Kind.ALWAYS, Kind.ASK}
    assert (every.name, every.when) == ('"All"', "Do it.")
    assert found.remarks == ()


def test_modes_in_json_are_read_too():
    mode = {"slug": "x", "name": "X", "roleDefinition": "You.", "groups": ["read"]}
    found = one(".roomodes", "\ufeff" + json.dumps({"customModes": [mode, "no mode"]}))
    assert made_mode(found, "x").kinds == {Kind.READ}


def grouped(*groups: object) -> Imported:
    mode = {"slug": "x", "name": "X", "roleDefinition": "You.", "groups": groups}
    return one(".roomodes", json.dumps({"customModes": [mode]}))


STRICTER = [
    ([["edit", {"fileRegex": "("}], "read"], {Kind.READ}, "pattern of files"),
    ([["edit", {"fileRegex": ""}]], set(), "pattern of files"),
    ([["edit", {"fileRegex": "a\nb"}]], set(), "pattern of files"),
    (["read", "magic"], {Kind.READ}, "group 'magic' is unknown"),
    ([[], "read"], {Kind.READ}, "group '' is unknown"),
    (["command", ["edit", {"fileRegex": "a"}]], {Kind.WRITE, Kind.EXECUTE}, "change nothing"),
]


@pytest.mark.parametrize(("groups", "kinds", "why"), STRICTER)
def test_what_cannot_be_said_is_said_more_strictly(groups, kinds, why):
    found = grouped(*groups)
    assert made_mode(found, "x").kinds == kinds
    assert why in found.remarks[0].why


@pytest.mark.parametrize("options", [{}, {"description": "all"}, None])
def test_a_group_may_have_no_pattern(options):
    mode = made_mode(grouped(["edit", options]), "x")
    assert (mode.kinds, mode.files) == ({Kind.WRITE}, None)


UNREADABLE = [
    (".roomodes", "a: &x", "cannot be read"),
    (".roomodes", "{", "cannot be read"),
    (".roomodes", "a: b", "no list"),
    (".roomodes", "- a", "no list"),
    (".roomodes", "customModes: x", "no list"),
    (".roomodes", "customModes:\n- slug: a b\n  name: x", "letters, digits"),
    (".roomodes", "customModes:\n- slug: a\n  name: x", "missing"),
    (".roo/mcp.json", "{", "cannot be read"),
    (".roo/mcp.json", "[]", "cannot be read"),
    (".roo/mcp.json", '{"mcpServers": {"a": 1}}', "cannot be read"),
    (".roo/system-prompt-code", "x", "nothing like it"),
    (".roo/commands/run.sh", "x", "nothing like it"),
    (".roo/rules/a.png", b"\0", "not text"),
]


@pytest.mark.parametrize(("path", "content", "why"), UNREADABLE)
def test_what_cannot_be_brought_over_is_told_of(path, content, why):
    found = one(path, content)
    assert found.files == ()
    assert [why in remark.why for remark in found.remarks] == [True]


PLACES = [
    (".rooignore", ".agentignore"),
    (".roorules", ".agent/rules/roorules.md"),
    (".roorules-code", ".agent/rules-code/roorules.md"),
    (".roo/rules/a.md", ".agent/rules/a.md"),
    (".roo/rules/deep/a.txt", ".agent/rules/deep/a.txt.md"),
    (".roo/rules-my-mode/a", ".agent/rules-my-mode/a.md"),
    (".roo/commands/review.md", ".agent/commands/review.md"),
]


@pytest.mark.parametrize(("source", "path"), PLACES)
def test_files_go_where_ours_lie(source, path):
    assert texts(one(source, "$1 stays.\n")) == {path: "$1 stays.\n"}


@pytest.mark.parametrize("path", [".roo/rules/a.lock", ".roo/rules/.DS_Store", ".roo/rules/b.tmp"])
def test_what_is_no_rule_is_left_out_without_a_word(path):
    assert one(path, "x") == Imported((), ())


def test_an_empty_file_is_left_out():
    assert one(".roo/rules/a.md", " \n").files == ()


def test_servers_keep_what_is_known_here():
    server = {"command": "node", "args": ["x"], "env": {"K": "${env:K}"}, "alwaysAllow": ["y"]}
    found = one(".roo/mcp.json", json.dumps({"mcpServers": {"files": server}}))
    server.pop("alwaysAllow")
    assert json.loads(texts(found)[".mcp.json"]) == {"mcpServers": {"files": server}}
    assert [(remark.source, remark.why) for remark in found.remarks] == [
        (".roo/mcp.json (files)", "these are left out: alwaysAllow")
    ]


def test_what_is_ignored_is_written_last():
    files = {".rooignore": b"*", ".roo/mcp.json": b'{"mcpServers": {}}', ".roo/rules/a.md": b"x"}
    assert [file.path for file in converted(files).files][-1] == ".agentignore"


def test_where_to_look_follows_from_the_modes():
    there = tops(b"customModes:\n- slug: tester\n  name: x\n- slug: ../x\n")
    assert {".roomodes", ".roo", ".rooignore", ".roorules", ".roorules-code"} < set(there)
    assert ".roorules-tester" in there
    assert not any("/x" in top for top in there)
    assert ".roorules-code" in tops()


def test_what_was_brought_over_acts():
    found = converted({".roomodes": ROOMODES.encode(), ".roorules-tester": b"Be strict."})
    brought = [
        Brought(*file.path.split("/", 2)[1:], file.path, file.text, project=True)
        for file in found.files
    ]
    read = customs(brought)
    assert read.faults == ()
    assert read.modes.has("tester")
    assert [rule.text for rule in read.rules_for("tester", project=True)] == ["Be strict."]
