"""Work in the user's home: what we are told there is not the model's to change."""

import json
import os
from pathlib import Path

import pytest
from testbed.replies import Call, Say
from testbed.run_agent import Completed, run_agent
from testbed.server import ModelServer

from agent_cli.processes.sandbox import Wall, candidates

HAS_BUBBLEWRAP = any(wall is Wall.BUBBLEWRAP for wall, _ in candidates(os.environ))
SETTINGS = '[approval]\nwrite = "allow"\n'
XDG = {"AGENT_HOME": ""}
"""The directories that everybody uses, all of them in the home."""


@pytest.fixture
def settings(home: Path) -> Path:
    path = home / ".config/agent/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(SETTINGS)
    return path


def write(path: str, home: Path, env: dict[str, str], *args: str) -> Completed:
    content = json.dumps({"path": path, "content": "x"})
    return run_agent(["tool", "write_to_file", content, *args], cwd=home, home=home, env=env)


@pytest.mark.parametrize(
    "path",
    [
        ".config/agent/config.toml",
        ".config/agent/rules.md",
        ".local/share/agent/trust.json",
        ".local/state/agent/history",
        "notes/../.config/agent/new.toml",
    ],
)
def test_our_own_places_are_asked_about(path: str, home: Path, settings: Path):
    (home / "notes").mkdir()
    told = json.loads(write(path, home, XDG, "--no").stdout)
    assert (told["status"], told["asked"]) == ("rejected", True)
    assert settings.read_text() == SETTINGS


def test_a_link_to_them_is_asked_about(home: Path, settings: Path):
    (home / "link").symlink_to(settings.parent)
    assert json.loads(write("link/config.toml", home, XDG, "--no").stdout)["asked"]


def test_other_files_of_the_home_are_not(home: Path, settings: Path):
    told = json.loads(write("notes.txt", home, XDG, "--no").stdout)
    assert (told["status"], told["asked"]) == ("ok", False)


@pytest.mark.skipif(not HAS_BUBBLEWRAP, reason="bubblewrap is not installed")
def test_no_confined_command_changes_them(home: Path, settings: Path):
    command = Call("execute_command", {"command": "echo x >> .config/agent/config.toml"})
    done = Call("attempt_completion", {"result": "All done."})
    with ModelServer([Say(calls=[command]), Say(calls=[done])]) as server:
        args = ["run", "-y", "-m", "anthropic/test-model", "--sandbox", "workspace", "Do it."]
        run_agent(args, cwd=home, home=home, server=server, env=XDG)
    assert settings.read_text() == SETTINGS
    assert "Read-only" in json.dumps(server.requests[1].body)
