"""`agent sessions …`: what is done with one session file."""

import json
import os
from pathlib import Path

import pytest
from msgspec.structs import replace
from testbed.journals import SESSION, journal_of
from testbed.loaded import read
from testbed.own_terminal import OwnTerminal
from testbed.run_agent import Completed, run_agent
from testbed.story import SESSION as STARTED

from agent_cli.sessions.catalog import session_path
from agent_cli.sessions.journal import Journal
from agent_cli.sessions.journal import reopen as opened
from agent_cli.types.entries import Entry, SessionStarted, UserSaid

ID = "20261121-100000-0a0b0c0d"


class Kept:
    """A home with one session of the folder."""

    def __init__(self, folder: Path) -> None:
        self.home, self.folder = folder / "home", folder / "work"
        self.folder.mkdir()
        self.path = self.add(ID)

    def add(self, session_id: str, told: list[Entry] = SESSION) -> Path:
        path = session_path(self.home / "agent/data/sessions", self.folder, session_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(journal_of([replace(STARTED, id=session_id), *told[1:]]))
        return path

    def sessions(self, *args: str) -> Completed:
        return run_agent(["sessions", *args], cwd=self.folder, home=self.home)

    def listed(self) -> list[str]:
        return [line.split()[0] for line in self.sessions().stdout.splitlines()]


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_the_bare_command_lists_and_help_names_the_others(kept: Kept):
    listed = kept.sessions().stdout
    assert listed == kept.sessions("list").stdout
    assert listed.startswith(f"{ID}  2026-11-21T10:00  openai/gpt  a name")
    (line,) = kept.sessions("--json").stdout.splitlines()
    assert json.loads(line)["title"] == "a name"
    assert "export" in kept.sessions("--help").stdout


def test_words_are_found_in_every_text(kept: Kept):
    found = kept.sessions("search", "LINE", "two")
    assert found.exit_code == 0
    assert found.stdout.splitlines()[1] == "    result  line one line two"
    as_json = kept.sessions("search", "--json", "line")
    assert (as_json.exit_code, json.loads(as_json.stdout)["session"]) == (0, ID)
    assert kept.sessions("search", "it is done", "-n", "1").stdout.endswith("and more\n")
    assert kept.sessions("search", "nowhere").exit_code == 1


def test_what_is_found_cannot_move_the_cursor(kept: Kept):
    kept.add("b", [STARTED, SESSION[1], UserSaid("needle\x1b[2J")])
    assert "\x1b" not in kept.sessions("search", "needle").stdout


def test_a_session_is_named(kept: Kept):
    done = kept.sessions("rename", ID[:12], "  another\tname ")
    assert done.stdout == "named another name\n", done.stderr
    assert "another name" in kept.sessions().stdout
    assert kept.sessions("rename", ID, " ").exit_code == 2


def test_a_name_holds_no_key(kept: Kept):
    key = {"OPENAI_API_KEY": "sk-canary-0123456789abcdef"}
    args = ["sessions", "rename", ID, "with sk-canary-0123456789abcdef"]
    done = run_agent(args, cwd=kept.folder, home=kept.home, env=key)
    assert done.exit_code == 0
    assert b"canary" not in kept.path.read_bytes()


def test_a_session_is_forked(kept: Kept):
    before = kept.path.read_bytes()
    done = kept.sessions("fork", ID, "--at", "1")
    forked = done.stdout.strip()
    assert f"--resume {forked}" in done.stderr
    started = read(kept.path.with_name(f"{forked}.jsonl")).envelopes[0].entry
    assert isinstance(started, SessionStarted)
    assert started.forked_from == ID
    assert kept.path.read_bytes() == before
    assert "from 0 to 4" in kept.sessions("fork", ID, "--at", "9").stderr


@pytest.mark.parametrize("name", ["a.md", "a.json", "a.html"])
def test_a_session_is_exported_to_a_new_file(name: str, kept: Kept):
    assert kept.sessions("export", ID, name).exit_code == 0
    written = (kept.folder / name).read_bytes()
    assert b"a name" in written
    again = kept.sessions("export", ID, name)
    assert again.exit_code != 0
    assert "is there already" in again.stderr
    assert (kept.folder / name).read_bytes() == written


def test_a_session_is_exported_to_standard_output(kept: Kept):
    assert kept.sessions("export").stdout.startswith("# a name\n")
    printed = kept.sessions("export", ID, "-f", "json").stdout
    assert printed.isascii()
    assert json.loads(printed)["session"]["id"] == ID
    assert kept.sessions("export", ID, "-f", "html").stdout.startswith("<!DOCTYPE html>")
    assert kept.sessions("export", ID, "-f", "pdf").exit_code != 0


@pytest.mark.unverified("the session is damaged on purpose")
def test_the_valid_part_of_a_damaged_session_is_exported(kept: Kept):
    kept.path.write_bytes(kept.path.read_bytes()[:-9])
    damaged = kept.path.read_bytes()
    done = kept.sessions("export")
    assert done.exit_code == 0
    assert "the session is damaged" in done.stderr
    assert "the last line is incomplete" in done.stdout
    assert kept.path.read_bytes() == damaged


@pytest.mark.parametrize("as_json", [True, False], ids=["json", "journal"])
def test_what_was_exported_is_imported_elsewhere(*, as_json: bool, kept: Kept, tmp_path: Path):
    before = kept.path.read_bytes()
    file = kept.folder / "a.json"
    if as_json:
        kept.sessions("export", ID, "a.json")
    else:
        file.write_bytes(before)
    home = tmp_path / "other"
    args = ["sessions", "import", str(file), "--with-rules"]
    done = run_agent(args, cwd=kept.folder, home=home)
    assert (done.stdout, done.stderr) == (f"{ID}\n", "")
    (path,) = (home / "agent/data/sessions").glob("*/*.jsonl")
    assert path.read_bytes() == before
    assert run_agent(["verify"], cwd=kept.folder, home=home).exit_code == 0


def test_an_import_never_replaces_a_session_and_leaves_rules_out(kept: Kept):
    kept.sessions("export", ID, "a.json")
    before = kept.path.read_bytes()
    refused = kept.sessions("import", "a.json")
    assert refused.exit_code != 0
    assert "import it with --new-id" in refused.stderr
    done = kept.sessions("import", "a.json", "--new-id")
    assert "left out: 2 rules" in done.stderr
    assert len(kept.listed()) == 2
    assert b"rule_granted" not in kept.path.with_name(f"{done.stdout.strip()}.jsonl").read_bytes()
    assert kept.path.read_bytes() == before


def test_what_is_wrong_with_an_import_is_told(kept: Kept):
    kept.sessions("export", ID, "a.json")
    file = kept.folder / "a.json"
    file.write_text(file.read_text().replace("I change it.", "I change all."))
    assert "was changed after" in kept.sessions("import", "a.json", "--new-id").stderr
    (kept.folder / "torn").write_bytes(kept.path.read_bytes()[:-1])
    assert "its valid part is here" in kept.sessions("import", "torn", "--new-id").stderr
    (kept.folder / "odd").write_bytes(journal_of([STARTED, UserSaid("before any task")]))
    assert "contradicts itself" in kept.sessions("import", "odd", "--new-id").stderr
    assert "cannot read" in kept.sessions("import", "nowhere").stderr


def test_a_session_is_deleted_when_it_was_meant(kept: Kept):
    asked = kept.sessions("delete", ID)
    assert asked.exit_code != 0
    assert "--yes" in asked.stderr
    assert kept.path.exists()
    kept.add("b")
    assert kept.sessions("delete", "--yes", ID, "b").stdout == f"deleted {ID}\ndeleted b\n"
    assert kept.listed() == []


@pytest.mark.parametrize(("answer", "left"), [("y", 0), ("", 1), ("n", 1)])
def test_a_person_is_asked_before_anything_is_deleted(answer: str, left: int, kept: Kept):
    args = ["sessions", "delete", ID]
    with OwnTerminal(args, cwd=kept.folder, home=kept.home) as terminal:
        terminal.expect("for good?")
        terminal.send(f"{answer}\n")
        assert terminal.finish()[0] == 0
    assert len(kept.listed()) == left


@pytest.fixture
def held(kept: Kept):
    journal: Journal = opened(kept.path, list)[0]
    yield kept
    journal.close()


@pytest.mark.parametrize(
    "args", [["rename", ID, "x"], ["delete", "-y", ID]], ids=["name", "delete"]
)
def test_a_session_that_is_open_elsewhere_is_not_changed(args: list[str], held: Kept):
    before = held.path.read_bytes()
    done = held.sessions(*args)
    assert done.exit_code != 0
    assert "open in another process" in done.stderr
    assert held.path.read_bytes() == before


def test_a_session_that_is_open_elsewhere_can_be_read_forked_and_found(held: Kept):
    for args in (["export", ID], ["fork", ID], ["search", "line"]):
        assert held.sessions(*args).exit_code == 0, args
    held.sessions("export", ID, "a.json")
    assert "--new-id" in held.sessions("import", "a.json").stderr
    assert os.listdir(held.path.parent).count(held.path.name) == 1  # noqa: PTH208 - names
