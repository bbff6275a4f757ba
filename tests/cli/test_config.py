"""`agent config`: which layer of the settings wins, and where it says so."""

import json
from pathlib import Path

import pytest
from testbed.run_agent import Completed, environment, run_agent

from agent_cli.settings.places import config_file

SETTINGS = """\
model = "openai/gpt"

[approval]
write = "allow"

[approval.rules]
deny = ["execute_command(rm)"]

[providers."my own"]
base_url = "http://localhost:1"
"""


@pytest.fixture
def settings(home: Path) -> Path:
    path = config_file(environment(home, None))
    path.parent.mkdir(parents=True)
    path.write_text(SETTINGS)
    return path


def config(project: Path, home: Path, *args: str, env: dict[str, str] | None = None) -> Completed:
    return run_agent(["config", *args], cwd=project, home=home, env=env)


def test_where_nothing_is_set_the_defaults_are_offered(project: Path, home: Path):
    assert "--all" in config(project, home).stdout
    assert 'mode = "code"  (default)' in config(project, home, "--all").stdout.splitlines()


def test_every_setting_names_who_made_it(project: Path, home: Path, settings: Path):
    shown = config(project, home, env={"AGENT_MAX_TURNS": "7"}).stdout.splitlines()
    assert shown == [
        f'approval.rules.deny = ["execute_command(rm)"]  (yours, {settings}:7)',
        f'approval.write = "allow"  (yours, {settings}:4)',
        "max_turns = 7  (environment AGENT_MAX_TURNS)",
        f'model = "openai/gpt"  (yours, {settings}:1)',
        f'providers."my own".base_url = "http://localhost:1"  (yours, {settings}:10)',
    ]


def test_the_winning_layer_is_named_above_those_that_it_hides(
    project: Path, home: Path, settings: Path
):
    env = {"AGENT_APPROVAL_WRITE": "deny"}
    shown = config(project, home, "--explain", "approval.write", env=env).stdout.splitlines()
    assert shown == [
        'approval.write = "deny"',
        '  → environment AGENT_APPROVAL_WRITE: "deny"',
        f'    yours, {settings}:4: "allow", hidden by the one above',
        '    default: "ask"',
    ]


def test_of_what_adds_up_every_layer_holds(project: Path, home: Path, settings: Path):
    folder = project / ".agent"
    folder.mkdir()
    (folder / "config.toml").write_text('[approval.rules]\ndeny = ["execute_command(dd)"]\n')
    assert run_agent(["trust", "--yes"], cwd=project, home=home).exit_code == 0
    shown = config(project, home, "--explain", "approval.rules.deny").stdout.splitlines()
    assert shown == [
        'approval.rules.deny = ["execute_command(rm)","execute_command(dd)"]',
        f'  → this project\'s, {folder / "config.toml"}:2: ["execute_command(dd)"]',
        f'  → yours, {settings}:7: ["execute_command(rm)"]',
        "    default: []",
    ]


def test_a_name_is_written_as_in_the_file(project: Path, home: Path, settings: Path):
    done = config(project, home, "--explain", 'providers."my own".base_url', "--json")
    assert json.loads(done.stdout) == {
        "key": 'providers."my own".base_url',
        "value": "http://localhost:1",
        "default": None,
        "said": [
            {
                "layer": "user",
                "place": str(settings),
                "value": "http://localhost:1",
                "holds": True,
            }
        ],
    }


@pytest.mark.parametrize(
    ("name", "near"), [("max_turn", "max_turns"), ("approval.wirte", "approval.write")]
)
def test_a_setting_that_there_is_not_is_refused(project: Path, home: Path, name: str, near: str):
    done = config(project, home, "--explain", name)
    assert done.exit_code == 2
    assert near in " ".join(done.stderr.split())


def test_what_is_no_key_at_all_is_refused(project: Path, home: Path):
    assert config(project, home, "--explain", "= 1\nx").exit_code == 2


def test_no_key_is_shown_that_any_layer_holds(project: Path, home: Path, settings: Path):
    settings.write_text(
        '[mcp.servers.tickets]\nurl = "https://x/?token=s3cr3t-in-a-url"\n'
        'headers = { Authorization = "Bearer s3cr3t-of-a-server", Also = "${A_VARIABLE}" }\n'
        '[providers.own.headers]\nAuthorization = "Bearer s3cr3t-s3cr3t"\n'
    )
    shown = config(project, home).stdout
    assert "providers.own.headers" in shown
    assert "mcp.servers.tickets.headers" in shown
    assert "${A_VARIABLE}" in shown
    assert "s3cr3t" not in shown
