"""switch_mode, fetch_instructions and run_slash_command through the whole product, both protocols.

Each failure blocks a completion in its turn.
"""

from pathlib import Path

import pytest
from testbed.one_shot import results, run
from testbed.replies import Call, Say
from testbed.run_agent import run_agent
from testbed.server import ModelServer

COMPLETE = Call("attempt_completion", {"result": "All done."})
FINISHED = ("attempt_completion", "ok", "finished")
BLOCKED = ("attempt_completion", "failed", "failed_earlier")


def in_xml(call: Call) -> Say:
    arguments = call.args if isinstance(call.args, dict) else {}
    inside = "".join(f"<{name}>{value}</{name}>\n" for name, value in arguments.items())
    return Say(f"<{call.name}>\n{inside}</{call.name}>")


@pytest.fixture(autouse=True)
def customs(home: Path) -> None:
    config = home / "agent/config"
    for name, text in {
        "commands/go.md": "Go $1.",
        "commands/plan.md": "---\nmode: architect\n---\nPlan.",
        "skills/pdf/SKILL.md": "---\ndescription: Forms.\n---\nUse pdftk.",
    }.items():
        (config / name).parent.mkdir(parents=True, exist_ok=True)
        (config / name).write_text(text)


GOOD = [
    pytest.param(Call("switch_mode", {"mode_slug": "ask"}), "is ask now", id="switch"),
    pytest.param(Call("switch_mode", {"mode_slug": "code"}), "code already", id="same mode"),
    pytest.param(Call("fetch_instructions", {"task": "pdf"}), "Use pdftk.", id="skill"),
    pytest.param(Call("fetch_instructions", {"task": "create_skill"}), "Creating", id="ours"),
    pytest.param(Call("run_slash_command", {"command": "go", "args": "on"}), "Go on.", id="run"),
    pytest.param(Call("run_slash_command", {"command": "plan"}), "Plan.", id="run in a mode"),
]


@pytest.mark.parametrize("protocol", ["native", "xml"])
@pytest.mark.parametrize(("call", "says"), GOOD)
def test_it_does_what_it_is_for(call: Call, says: str, protocol: str, project: Path, home: Path):
    xml = protocol == "xml"
    script = [in_xml(call), in_xml(COMPLETE)] if xml else [Say(calls=[call, COMPLETE])]
    done, server = run(script, project, home, "--json", "--yolo", "--protocol", protocol)
    assert results(done) == [(call.name, "ok", None), FINISHED]
    if xml:
        assert says in str(server.requests[1].body["messages"][-1])
    assert done.exit_code == 0


BAD = [
    pytest.param(Call("switch_mode", {}), id="no slug"),
    pytest.param(Call("switch_mode", {"mode_slug": "none"}), id="unknown mode"),
    pytest.param(Call("fetch_instructions", {}), id="no task"),
    pytest.param(Call("fetch_instructions", {"task": "none"}), id="unknown task"),
    pytest.param(Call("run_slash_command", {}), id="no command"),
    pytest.param(Call("run_slash_command", {"command": "none"}), id="unknown command"),
]


@pytest.mark.parametrize("call", BAD)
def test_a_failure_blocks_a_completion_in_its_turn(call: Call, project: Path, home: Path):
    script = [Say(calls=[call, COMPLETE]), Say(calls=[COMPLETE])]
    done, _ = run(script, project, home, "--json", "--yolo")
    assert results(done) == [(call.name, "failed", "invalid_arguments"), BLOCKED, FINISHED]


@pytest.mark.parametrize("call", BAD)
def test_it_fails_alike_in_xml(call: Call, project: Path, home: Path):
    script = [in_xml(call), in_xml(COMPLETE)]
    done, _ = run(script, project, home, "--json", "--yolo", "--protocol", "xml")
    assert results(done) == [(call.name, "failed", "invalid_arguments"), FINISHED]


@pytest.mark.parametrize(
    "call",
    [Call("switch_mode", {"mode_slug": "ask"}), Call("run_slash_command", {"command": "plan"})],
)
def test_where_nobody_can_be_asked_the_mode_stays(call: Call, project: Path, home: Path):
    with ModelServer([Say(calls=[call, COMPLETE]), Say(calls=[COMPLETE])]) as server:
        args = ["run", "-m", "anthropic/test-model", "--json", "Do it."]
        done = run_agent(args, cwd=project, home=home, server=server)
    assert server.violations == []
    assert results(done) == [(call.name, "denied", "nobody_to_ask"), BLOCKED, FINISHED]
    assert "`code`" in str(server.requests[1].body["system"]).split("These exist", maxsplit=1)[0]
    assert done.exit_code == 4
