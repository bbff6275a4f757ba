"""`agent import roo`: shows what it would write, asks, and overwrites nothing."""

from pathlib import Path

import pytest
from testbed.run_agent import Completed, run_agent, start_agent

MODE = "customModes:\n- slug: tester\n  name: T\n  roleDefinition: You test.\n  groups: [read]\n"
FILES = {
    ".roomodes": MODE,
    ".roo/rules/style.txt": "Short lines.",
    ".roo/rules-tester/more.md": "Twice.",
    ".roo/commands/review.md": "Review $1.",
    ".roo/mcp.json": '{"mcpServers": {"files": {"command": "node"}}}',
    ".rooignore": "*.key\n",
    ".roorules-tester": "Old rules.",
}
MADE = {
    *(".agent/modes/tester.md", ".agent/rules/style.txt.md", ".agent/rules-tester/more.md"),
    *(".agent/rules-tester/roorules.md", ".agent/commands/review.md", ".mcp.json", ".agentignore"),
}


@pytest.fixture
def roo(project: Path) -> Path:
    for name, text in FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    return project


def bring(project: Path, home: Path, *flags: str) -> Completed:
    return run_agent(["import", "roo", *flags], cwd=project, home=home)


def made(project: Path) -> set[str]:
    found = {place.relative_to(project).as_posix() for place in project.rglob("*")}
    return {name for name in found if name in MADE}


def test_without_a_person_it_only_shows(roo: Path, home: Path):
    done = bring(roo, home)
    assert done.exit_code == 0, done.stderr
    assert all(name in done.stdout for name in MADE)
    assert "nothing was written" in done.stdout
    assert made(roo) == set()


def test_with_the_flag_it_writes(roo: Path, home: Path):
    done = bring(roo, home, "--yes")
    assert done.exit_code == 0, done.stderr
    assert made(roo) == MADE
    assert "You test." in (roo / ".agent/modes/tester.md").read_text()
    assert (roo / ".agentignore").read_text() == "*.key\n"
    again = bring(roo, home, "--yes")
    assert again.stdout.count("is there already") == len(MADE)


def test_nothing_is_overwritten(roo: Path, home: Path):
    (roo / ".agentignore").write_text("mine\n")
    (roo / ".agent/modes/tester.md").mkdir(parents=True)
    done = bring(roo, home, "--yes")
    assert done.exit_code == 1
    assert (roo / ".agentignore").read_text() == "mine\n"
    assert made(roo) == MADE
    assert ".agent/modes/tester.md: " in done.stderr


def test_links_are_not_followed(roo: Path, home: Path, tmp_path: Path):
    secret = tmp_path / "secret"
    secret.write_text("swordfish")
    (roo / ".roo/rules/link.md").symlink_to(secret)
    out = tmp_path / "out"
    out.mkdir()
    (roo / ".agent").symlink_to(out)
    done = bring(roo, home, "--yes")
    assert ".roo/rules/link.md is a link" in done.stdout
    assert list(out.iterdir()) == []
    assert "swordfish" not in done.stdout + done.stderr


def test_another_folder_can_be_named(roo: Path, home: Path, tmp_path: Path):
    done = run_agent(["import", "roo", str(roo), "-y"], cwd=tmp_path, home=home)
    assert done.exit_code == 0, done.stderr
    assert made(roo) == MADE


def test_where_nothing_is_that_is_said(project: Path, home: Path):
    assert "nothing to bring over" in bring(project, home, "--yes").stdout


def test_another_program_is_not_known(project: Path, home: Path):
    done = run_agent(["import", "other"], cwd=project, home=home)
    assert done.exit_code == 2
    assert "only roo" in done.stderr


@pytest.mark.parametrize(("answer", "written"), [("y", MADE), ("", set()), ("x", set())])
def test_a_person_is_asked(answer: str, written: set[str], roo: Path, home: Path):
    terminal = start_agent(["import", "roo"], cwd=roo, home=home)
    terminal.expect("Write these files")
    terminal.send(answer + "\r")
    terminal.wait()
    assert terminal.exitstatus == 0
    terminal.close()
    assert made(roo) == written


def test_what_was_brought_over_waits_for_trust(roo: Path, home: Path):
    bring(roo, home, "--yes")
    assert "is not trusted" in run_agent(["trust", "--show"], cwd=roo, home=home).stdout
