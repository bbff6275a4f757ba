"""What the command line takes for a prompt, and what a program gets when nothing comes of it."""

import json
from pathlib import Path

import pytest
from testbed.replies import Call, Say
from testbed.run_agent import run_agent, start_process
from testbed.server import ModelServer

MODEL = ["-m", "anthropic/test-model"]
DONE = Call("attempt_completion", {"result": "All done."})


@pytest.mark.parametrize(
    ("args", "input_", "said"),
    [
        pytest.param(["run", "-y", "- fix it"], "", "- fix it", id="a dash and a blank"),
        pytest.param(["-p", "--verbose is ignored", "-y"], "", "--verbose is ignored", id="flags"),
        pytest.param(["-p", "-x = 1 is wrong", "-y"], "", "-x = 1 is wrong", id="an equation"),
        pytest.param(["run", "-y", "--", "--help"], "", "--help", id="after two dashes"),
        pytest.param(["run", "-y", "-"], "from a pipe", "from a pipe", id="a dash alone"),
        pytest.param(["-p", "-y", "Review"], "a diff", "Review\n\na diff", id="both"),
        pytest.param(["-py", "fix", "it", "all"], "", "fix it all", id="several words"),
        pytest.param(["exec", "-y", "run this"], "", "run this", id="exec"),
    ],
)
def test_what_is_said_is_heard(args: list[str], input_: str, said: str, project: Path, home: Path):
    with ModelServer([Say(calls=[DONE])]) as server:
        command = [*args[:1], *MODEL, *args[1:]]
        done = run_agent(command, cwd=project, home=home, server=server, input=input_)
    assert done.exit_code == 0, done.stderr
    (message,) = server.requests[0].body["messages"]
    assert message["content"][0]["text"].startswith(f"{said}\n\n<environment_details>")


@pytest.mark.parametrize(
    ("args", "status", "verdict"),
    [
        pytest.param(["run", "--json", "a"], 41, "authentication", id="no model"),
        pytest.param(["run", "--json", "-m", "x/y", "a"], 52, "configuration", id="no provider"),
        pytest.param(["run", "--output-format=json", "-c", "a"], 52, "configuration", id="-c"),
        pytest.param(["run", "--output-format", "stream-json"], 2, "usage", id="no prompt"),
        pytest.param(
            ["run", "--json", "-m", "ollama/x", "--allowed-tools", "a(b", "a"],
            52,
            "configuration",
            id="a broken rule",
        ),
        pytest.param(["run", "--json", "-m", "replay:", "a"], 52, "configuration", id="no file"),
        pytest.param(["run", "--json", "--no-such", "a"], 2, "usage", id="no such flag"),
        pytest.param(["--json", "-c", "--ephemeral", "a"], 2, "usage", id="a contradiction"),
        pytest.param(
            ["run", "--json", "-m", "replay:tape", "--record", "b", "a"],
            52,
            "configuration",
            id="a recording of a recording",
        ),
        pytest.param(["--json", "--add-dir", "README.md", "a"], 2, "usage", id="no directory"),
    ],
)
def test_the_last_line_is_a_result_whatever_goes_wrong(
    args: list[str], status: int, verdict: str, project: Path, home: Path
):
    done = run_agent(args, cwd=project, home=home)
    assert done.exit_code == status, done.stderr
    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["type"], last["verdict"], last["exit_status"]) == ("result", verdict, status)
    assert "Traceback" not in done.stderr


def test_sessions_are_listed_and_verified_from_elsewhere(project: Path, home: Path, tmp_path: Path):
    with ModelServer([Say(calls=[DONE])]) as server:
        run_agent(["run", "-y", *MODEL, "Do it."], cwd=project, home=home, server=server)
    assert run_agent(["sessions"], cwd=tmp_path, home=home).stdout == ""
    listed = run_agent(["sessions", "-C", str(project)], cwd=tmp_path, home=home)
    assert listed.stdout.endswith("Do it.\n")
    verified = run_agent(["verify", "-C", "project"], cwd=tmp_path, home=home)
    assert verified.exit_code == 0, verified.stderr


def test_waiting_for_standard_input_is_told(project: Path, home: Path):
    with ModelServer([Say(calls=[DONE])]) as server:
        args = ["run", "-y", *MODEL, "Do it."]
        process = start_process(args, cwd=project, home=home, server=server)
        assert process.stdin is not None
        assert process.stderr is not None
        assert b"reading standard input" in process.stderr.readline()
        process.communicate(b"with this")
        assert process.returncode == 0
    assert "with this" in str(server.requests[0].body["messages"])


def test_a_rule_for_no_tool_is_told(project: Path, home: Path):
    rules = ["--disallowed-tools", "execute_comand,mcp__github__push,read_file"]
    with ModelServer([Say(calls=[DONE])]) as server:
        done = run_agent(["run", *MODEL, *rules, "a"], cwd=project, home=home, server=server)
    assert done.exit_code == 0
    told = [line for line in done.stderr.splitlines() if "names no tool" in line]
    assert told == ["the rule execute_comand names no tool that there is"]


def test_the_words_that_a_flag_takes_are_told(project: Path, home: Path):
    for flag, words in [("--protocol", "native, xml"), ("--transport", "direct, sdk")]:
        done = run_agent(["run", flag, "x", "a"], cwd=project, home=home)
        assert f"= 'x': use one of {words}" in done.stderr


def test_an_unusable_ignore_file_does_not_lose_what_was_said(project: Path, home: Path):
    (project / ".agentignore").mkdir()
    with ModelServer([Say(calls=[DONE])]) as server:
        done = run_agent(["run", "-y", *MODEL, "Do it."], cwd=project, home=home, server=server)
    assert done.exit_code == 0, done.stderr
    assert "ask the user to repair it" in str(server.requests[0].body["messages"])
