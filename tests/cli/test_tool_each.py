"""`agent tool NAME 'ARGS_JSON'` for every tool there is."""

import json
from pathlib import Path

import pytest
from testbed.failing import needs
from testbed.loopback import in_background
from testbed.run_agent import environment, run_agent
from testbed.scenario import filled, places, workspace
from testbed.succeeding import SUCCEEDING

from agent_cli.tools.registry import built_in

NEEDS_MORE = {"ask_followup_question": "nobody", "new_task": "a model"}
"""Tools that one call alone cannot bring to an end, and what is missing."""


def toml(value: object) -> str:
    """Return the value as TOML writes it within a line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {toml(one)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value)


def test_every_tool_is_tried():
    assert {*SUCCEEDING} == {*built_in()}


@pytest.mark.parametrize("tool", [pytest.param(tool, marks=needs(tool)) for tool in SUCCEEDING])
def test_a_tool_is_called_by_a_script(tool: str, tmp_path: Path):
    scenario = SUCCEEDING[tool]
    root, home = workspace(tmp_path), tmp_path / "home"
    environment(home, None)
    scenario.prepare(root)
    config = home / "agent/config"
    (config / "commands").mkdir(parents=True)
    for brought in scenario.brought:
        (config / brought.folder / brought.name).write_text(brought.text)
    with in_background(*scenario.answers) as url:
        known = places(tmp_path, url)
        settings = filled(scenario.settings, known)
        lines = [f"{key} = {toml(value)}" for key, value in settings.items()]
        (config / "config.toml").write_text("\n".join(lines))
        args = ["tool", tool, json.dumps(filled(scenario.args, known)), "--yes"]
        done = run_agent(args, cwd=root, home=home)
    found = json.loads(done.stdout)
    if tool in NEEDS_MORE:
        assert (found["status"], done.exit_code) == ("failed", 3)
        return
    assert (found["status"], done.exit_code) == ("ok", 0), done.stdout
    assert scenario.says in str(found["content"])
