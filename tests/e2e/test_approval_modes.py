"""Approval modes in whole sessions: what goes unasked, what the model is told, what is kept."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.replies import Call, Say
from testbed.run_agent import run_agent
from testbed.server import ModelServer

MODEL = ["-m", "anthropic/test-model"]
DONE = Call("attempt_completion", {"result": "All done."})
WRITE = Call("write_to_file", {"path": "new.txt", "content": "new\n"})
LOOK = Call("execute_command", {"command": "cat README.md | head -1"})
MAKE = Call("execute_command", {"command": "touch made"})


def ran(
    project: Path, home: Path, *args: str, calls: tuple[Call, ...]
) -> tuple[dict[str, str], Any]:
    script = [*(Say(calls=[call]) for call in calls), Say(calls=[DONE])]
    with ModelServer(script) as server:
        done = run_agent(["run", "--json", *args, "Do it."], cwd=project, home=home, server=server)
    assert server.violations == []
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    results = [line for line in lines if line["type"] == "tool_result"]
    shown = {f"{line['name']}{number}": line["status"] for number, line in enumerate(results)}
    return shown, server


MODES = [
    ("ask", ["denied", "denied", "denied"]),
    ("accept-edits", ["ok", "denied", "denied"]),
    ("plan", ["denied", "ok", "denied"]),
    ("auto", ["ok", "ok", "denied"]),
]


@pytest.mark.parametrize(("mode", "expected"), MODES, ids=[mode for mode, _ in MODES])
def test_what_needs_no_question_when_nobody_is_there(
    mode: str, expected: list[str], project: Path, home: Path
):
    shown, _ = ran(project, home, *MODEL, "--approval-mode", mode, calls=(WRITE, LOOK, MAKE))
    assert list(shown.values())[:3] == expected
    assert (project / "new.txt").exists() is (expected[0] == "ok")
    assert not (project / "made").exists()


def test_the_model_is_told_of_plan_mode_and_that_it_is_over(project: Path, home: Path):
    _, first = ran(project, home, *MODEL, "--permission-mode", "plan", calls=(WRITE,))
    system = [exchange.body["system"] for exchange in first.requests]
    assert "# Plan mode" in str(first.requests[0].body["messages"])
    assert "plan mode" in str(first.requests[1].body["messages"][-1])
    _, second = ran(project, home, "-c", calls=())
    assert second.requests[0].body["system"] == system[0]
    assert "refused, and so are commands" in str(second.requests[0].body["messages"][-1])
    _, third = ran(project, home, "-c", "--approval-mode", "ask", calls=())
    assert "It is off now" in str(third.requests[0].body["messages"][-1])
    assert third.requests[0].body["system"] == system[0]


def test_settings_say_the_mode_that_a_session_begins_with(project: Path, home: Path):
    config = home / "agent" / "config"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[approval]\nmode = 'accept-edits'\n")
    shown, _ = ran(project, home, *MODEL, calls=(WRITE,))
    assert shown["write_to_file0"] == "ok"


def test_an_unknown_mode_is_refused_by_name(project: Path, home: Path):
    done = run_agent(["run", "--approval-mode", "all", "Do it."], cwd=project, home=home)
    assert done.exit_code == 52
    assert "use one of ask, accept-edits, plan, auto" in done.stderr
