"""Hooks of the user, in whole runs: they are told, they can forbid, and they allow nothing."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from testbed.one_shot import ANTHROPIC, results, run
from testbed.replies import Call, Say
from testbed.run_agent import run_agent
from testbed.server import ModelServer

from agent_cli.settings.places import config_directory

WRITE = Call("write_to_file", {"path": "new.txt", "content": "hello\n"})
DONE = Call("attempt_completion", {"result": "All done."})
DENIAL = '{"reason": "%s", "decision": "deny"}'
SCRIPT = [Say(calls=[WRITE]), Say(calls=[DONE])]


def hook(home: Path, event: str, code: str, **more: object) -> None:
    """Add a hook in Python to the user's settings."""
    path = config_directory({"AGENT_HOME": str(home / "agent")}) / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"
    lines = [f"[[hooks.{event}]]", f"command = {json.dumps(command)}"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in more.items()]
    with path.open("a") as file:
        file.write("\n".join(lines) + "\n")


def telling(log: Path) -> str:
    return f"import sys; open({str(log)!r}, 'a').write(sys.stdin.read() + '\\n')"


def forbidding(reason: str) -> str:
    return f"print({reason!r}); raise SystemExit(2)"


def test_hooks_are_told_of_every_event_in_order(project: Path, home: Path, tmp_path: Path):
    log = tmp_path / "log"
    events = (
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse",
        "PreCompletion", "TurnSettled", "SessionEnd",
    )  # fmt: skip
    for event in events:
        hook(home, event, telling(log))
    done, _ = run(SCRIPT, project, home)
    assert done.exit_code == 0, done.stderr
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert [one["hook_event_name"] for one in told] == [
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "TurnSettled",
        "PreToolUse", "PreCompletion", "TurnSettled", "SessionEnd",
    ]  # fmt: skip
    assert len({one["session_id"] for one in told}) == 1
    assert {one["cwd"] for one in told} == {str(project)}
    assert told[0]["source"] == "startup"
    assert told[2]["tool_name"] == "write_to_file"
    assert told[2]["tool_input"] == {"path": "new.txt", "content": "hello\n"}
    assert told[3]["tool_response"]["outcome"] == "ok"
    assert told[4]["calls"] == [
        {"tool_name": "write_to_file", "tool_use_id": told[2]["tool_use_id"], "outcome": "ok"}
    ]
    assert told[6]["result"] == "All done."


def test_a_call_that_a_hook_forbids_is_denied_and_blocks_the_completion(project: Path, home: Path):
    hook(home, "PreToolUse", forbidding("no new files"), matcher="write_*|apply_diff")
    script = [Say(calls=[WRITE, DONE]), Say(calls=[DONE])]
    done, server = run(script, project, home, "--json")
    assert results(done)[:2] == [
        ("write_to_file", "denied", "hook"),
        ("attempt_completion", "failed", "failed_earlier"),
    ]
    assert not (project / "new.txt").exists()
    assert "no new files" in json.dumps(server.requests[1].body)
    assert done.exit_code == 4


def test_a_hook_can_make_an_allowed_call_be_asked_about(project: Path, home: Path):
    hook(
        home,
        "PreToolUse",
        'print(\'{"decision": "ask", "reason": "look"}\')',
        matcher="write_to_file",
    )
    done, _ = run(SCRIPT, project, home, "--json")
    assert results(done)[0] == ("write_to_file", "denied", "nobody_to_ask")


def test_a_hook_allows_nothing(project: Path, home: Path):
    hook(home, "PreToolUse", 'print(\'{"decision": "allow"}\')')
    with ModelServer(SCRIPT) as server:
        args = ["run", "-m", ANTHROPIC, "--json", "Do it."]
        done = run_agent(args, cwd=project, home=home, server=server)
    assert results(done)[0] == ("write_to_file", "denied", "nobody_to_ask")


@pytest.mark.parametrize(
    ("code", "more"),
    [
        pytest.param("raise SystemExit(1)", {}, id="fails"),
        pytest.param("import os; os.kill(os.getpid(), 9)", {}, id="is killed"),
        pytest.param("import signal; signal.pause()", {"timeout": 0.5}, id="hangs"),
        pytest.param('print(\'{"decision": "block"}\')', {}, id="says a word of another agent"),
        pytest.param("print('{\"continue\": false}')", {}, id="says stop"),
        pytest.param(
            'print(\'{"hookSpecificOutput": {"permissionDecision": "deny"}}\')',
            {},
            id="in the other form",
        ),
        pytest.param(f"print({DENIAL!r} % ('x' * 5_000))", {}, id="gives a long reason"),
        pytest.param(f"print({DENIAL!r} % ('x' * 90_000))", {}, id="gives one that is cut"),
        pytest.param(f"print('a warning'); print({DENIAL!r} % 'no')", {}, id="warns before it"),
        pytest.param(f"print({{}}); print({DENIAL!r} % 'no')", {}, id="says something else first"),
        pytest.param("print('{\"decision\": 1}')", {}, id="gives no word"),
        pytest.param('print(\'so "decision": "deny"\')', {}, id="decides in no object"),
    ],
)
def test_a_hook_that_does_not_say_yes_forbids(
    code: str, more: dict[str, object], project: Path, home: Path
):
    hook(home, "PreToolUse", code, matcher="write_to_file", **more)
    done, _ = run(SCRIPT, project, home, "--json")
    assert results(done)[0] == ("write_to_file", "denied", "hook")
    assert not (project / "new.txt").exists()


@pytest.mark.parametrize("talk", ["{}", '{"continue": true}', "{}\n[1]", "ok", '"{"'])
def test_a_hook_that_talks_of_other_things_forbids_nothing(talk: str, project: Path, home: Path):
    hook(home, "PreToolUse", f"print({talk!r})")
    done, _ = run(SCRIPT, project, home)
    assert done.exit_code == 0, done.stderr


def test_an_objection_to_a_result_fails_the_call(project: Path, home: Path):
    hook(home, "PostToolUse", forbidding("unformatted"), matcher="write_to_file")
    done, server = run([Say(calls=[WRITE, DONE]), Say(calls=[DONE])], project, home, "--json")
    assert results(done)[:2] == [
        ("write_to_file", "failed", "hook"),
        ("attempt_completion", "failed", "failed_earlier"),
    ]
    assert (project / "new.txt").exists()
    told = json.dumps(server.requests[1].body)
    assert "A hook of the user objects" in told
    assert "unformatted" in told


def test_a_completion_that_a_hook_forbids_is_not_shown(project: Path, home: Path):
    once = "import os; ok = os.path.exists('tested'); open('tested', 'w').close();"
    hook(home, "PreCompletion", f"{once} print('run the tests'); raise SystemExit(0 if ok else 2)")
    done, server = run([Say(calls=[DONE]), Say(calls=[DONE])], project, home, "--json")
    assert results(done) == [
        ("attempt_completion", "failed", "hook"),
        ("attempt_completion", "ok", "finished"),
    ]
    assert done.stdout.count('"completion_result"') == 1
    assert "run the tests" in json.dumps(server.requests[1].body)


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_nothing_is_sent_when_a_hook_forbids_the_prompt(event: str, project: Path, home: Path):
    hook(home, event, forbidding("not on a Friday"))
    done, server = run(SCRIPT, project, home)
    assert (done.exit_code, done.stdout) == (4, "")
    assert "not on a Friday" in done.stderr
    assert server.requests == []


def test_a_run_stops_where_a_hook_forbids_the_next_message(project: Path, home: Path):
    hook(home, "TurnSettled", forbidding("enough"))
    done, server = run(SCRIPT, project, home)
    assert done.exit_code == 4
    assert "enough" in done.stderr
    assert len(server.requests) == 1


def test_hooks_see_no_key(project: Path, home: Path, tmp_path: Path):
    log = tmp_path / "log"
    hook(home, "PreToolUse", f"import os; open({str(log)!r}, 'w').write(repr(dict(os.environ)))")
    run(SCRIPT, project, home)
    assert "API_KEY" not in log.read_text()


def test_an_unknown_event_is_named(project: Path, home: Path):
    hook(home, "PreToolUsed", "pass")
    done, _ = run(SCRIPT, project, home)
    assert done.exit_code == 52
    assert "did you mean 'PreToolUse'?" in done.stderr
