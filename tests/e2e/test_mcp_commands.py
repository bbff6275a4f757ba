"""`agent mcp`, as its users type it."""

import json
import sys
from pathlib import Path

import pytest
from testbed.run_agent import Completed, run_agent
from testbed.servers import HERE

BARE = [sys.executable, "-I", str(HERE / "bare_server.py")]


def mcp(project: Path, home: Path, *words: str, **env: str) -> Completed:
    return run_agent(["mcp", *words], cwd=project, home=home, env=env)


def test_a_server_is_added_listed_tested_and_removed(project: Path, home: Path):
    added = mcp(
        project, home, "add", "bare", "--env", "A_TOKEN=${GIVEN}", "--", *BARE, "-r", GIVEN="k" * 9
    )
    assert added.exit_code == 0, added.stderr
    assert added.stdout.startswith("added to ")
    listed = mcp(project, home, "list", GIVEN="secret-value")
    assert listed.stdout.split()[:2] == ["bare", "yours"]
    assert listed.stdout.rstrip().endswith("bare_server.py -r")
    tested = mcp(project, home, "test", GIVEN="secret-value")
    assert tested.exit_code == 0, tested.stdout
    assert "✓ bare: tools: 10, resources: 1" in tested.stdout
    assert "  mcp__bare__echo  Say it again." in tested.stdout
    assert "MCP            bare" in run_agent(["doctor"], cwd=project, home=home).stdout
    assert mcp(project, home, "remove", "bare").stdout.startswith("removed from ")
    assert mcp(project, home, "list").stdout == ""


def test_one_call_waits_for_the_server_that_has_its_tool(project: Path, home: Path):
    mcp(project, home, "add", "bare", "--", *BARE)
    config = home / "agent/config/config.toml"
    config.write_text(f"[mcp]\nwait = 0\n{config.read_text()}")
    words = ["tool", "mcp__bare__echo", '{"text":"hello"}', "--yes"]
    done = run_agent(words, cwd=project, home=home)
    assert json.loads(done.stdout) == {"status": "ok", "asked": True, "content": "hello"}


def test_a_server_that_does_not_work_is_said(project: Path, home: Path):
    mcp(project, home, "add", "bad", "--", *BARE, "leaves")
    mcp(project, home, "add", "odd", "--", *BARE, "strange")
    done = mcp(project, home, "test")
    assert done.exit_code == 3
    assert "✗ server 'bad' cannot be used" in done.stdout
    assert "cannot find my configuration" in done.stdout
    assert "✓ odd: " in done.stdout
    assert "\x1b" not in done.stdout
    assert mcp(project, home, "test", "odd").exit_code == 0
    assert mcp(project, home, "test", "none").exit_code == 52


@pytest.mark.parametrize(
    ("words", "status", "why"),
    [
        (["add", "x"], 2, "either a program"),
        (["add", "x", "--url", "http://a", "--", "run"], 2, "either a program"),
        (["add", "x", "--env", "A", "--", "run"], 2, "write NAME=VALUE, not 'A'"),
        (["add", "x", "--url", "ftp://a"], 52, "must begin with http"),
        (["add", "...", "--", "run"], 52, "needs letters or digits"),
        (["add", "x", "--timeout", "0", "--", "run"], 52, "> 0.0"),
        (["add", "x", "--", "run", "${NO_SUCH}"], 52, "NO_SUCH is not set"),
        (["remove", "x"], 52, "there is no server 'x'"),
    ],
)
def test_what_cannot_be_done_is_said(
    words: list[str], status: int, why: str, project: Path, home: Path
):
    done = mcp(project, home, *words)
    assert done.exit_code == status
    assert why in " ".join(done.stderr.replace("│", " ").split())
    assert not (home / "agent/config/config.toml").exists()


def test_the_list_shows_the_folders_servers_and_no_keys(project: Path, home: Path):
    entry = {"url": "http://me:geheimes-wort@h/mcp?token=another-secret"}
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": {"theirs": entry, "bad": {}}}))
    untrusted = mcp(project, home, "list")
    assert untrusted.stdout == ""
    assert "has no effect" in untrusted.stderr
    run_agent(["trust", "--yes"], cwd=project, home=home)
    listed = mcp(project, home, "list")
    assert listed.stdout.startswith("theirs")
    assert "geheimes-wort" not in listed.stdout
    assert "another-secret" not in listed.stdout
    assert "'bad': it needs either" in listed.stderr
    assert mcp(project, home, "test", "bad").exit_code == 52
