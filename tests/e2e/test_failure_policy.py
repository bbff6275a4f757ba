"""What the settings make of failures, in whole runs."""

import json
from pathlib import Path

import pytest
from testbed.one_shot import ANTHROPIC, lines, results, run
from testbed.replies import Call, Reply, Say
from testbed.run_agent import run_agent, start_agent
from testbed.server import ModelServer
from testbed.terminals import PROMPT, say

from agent_cli.settings.places import config_directory

READ = Call("read_file", {"files": [{"path": "README.md"}]})
MISSING = Call("read_file", {"files": [{"path": "absent.md"}]})
FALSE = Call("execute_command", {"command": "exit 3"})
TRUE = Call("execute_command", {"command": "exit 0"})
TODOS = Call("update_todo_list", {"todos": "[x] one\n[ ] two"})
TODOS_DONE = Call("update_todo_list", {"todos": "[x] one\n[x] two"})
DONE = Call("attempt_completion", {"result": "All done."})


def configure(home: Path, text: str) -> None:
    path = config_directory({"AGENT_HOME": str(home / "agent")}) / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.invariant("I5")
def test_a_message_stops_at_its_first_failure(project: Path, home: Path):
    configure(home, "turn.on_failure = 'stop'")
    script = [Say(calls=[READ, MISSING, TRUE, DONE]), Say(calls=[DONE])]
    done, server = run(script, project, home, "--json")
    assert done.exit_code == 0, done.stderr
    assert results(done) == [
        ("read_file", "ok", None),
        ("read_file", "failed", None),
        ("execute_command", "skipped", "stopped"),
        ("attempt_completion", "failed", "failed_earlier"),
        ("attempt_completion", "ok", "finished"),
    ]
    assert "the calls after it in that message are not run" in json.dumps(server.requests[0].body)
    assert "stop a message at its first failure" in json.dumps(server.requests[1].body)


def test_text_output_says_why_a_call_was_not_run(project: Path, home: Path):
    configure(home, "turn.on_failure = 'stop'")
    done, _ = run([Say(calls=[MISSING, TRUE]), Say(calls=[DONE])], project, home)
    assert "[skipped]  not run, because an earlier call of the message failed" in done.stderr


MAKE = Call("write_to_file", {"path": "new.txt", "content": "hello\n"})
CHANGE = Call("execute_command", {"command": "echo more >> README.md"})


def test_what_a_message_with_a_failure_changed_is_restored(project: Path, home: Path):
    configure(home, "turn.on_failure = 'rollback'")
    before = (project / "README.md").read_bytes()
    script = [Say(calls=[MAKE, CHANGE, MISSING, TRUE]), Say(calls=[DONE])]
    done, server = run(script, project, home, "--json")
    assert done.exit_code == 0, done.stderr
    assert [code for _, _, code in results(done)] == [None, None, None, "stopped", "finished"]
    assert (project / "README.md").read_bytes() == before
    assert not (project / "new.txt").exists()
    (restored,) = (line for line in lines(done) if line["type"] == "files_restored")
    assert sorted(restored["paths"]) == ["README.md", "new.txt"]
    told = str(server.requests[1].body["messages"][-1])
    assert "These files are again what they were" in told
    assert "- new.txt" in told
    assert "- README.md" in told
    assert "are restored" in json.dumps(server.requests[0].body)
    assert lines(done)[-1]["evidence"]["changed"] == []


def test_a_call_of_its_own_is_restored_too(project: Path, home: Path):
    configure(home, f"turn.on_failure = 'rollback'\n{STATUS}")
    half = "<execute_command><command>echo x > new.txt; exit 3</command></execute_command>"
    complete = Say("<attempt_completion><result>All done.</result></attempt_completion>")
    done, server = run([Say(half), complete], project, home, "--protocol", "xml")
    assert done.exit_code == 0, done.stderr
    assert not (project / "new.txt").exists()
    assert "a call failed, so these are again what they were: new.txt" in done.stderr
    assert "files that it had changed are restored" in json.dumps(server.requests[0].body)


STATUS = "completion.block_on = ['failed', 'denied', 'exit_nonzero']"
POLICIES: dict[str, tuple[str, list[Reply], list[str | None]]] = {
    "a status is no failure": (
        "",
        [Say(calls=[FALSE, DONE])],
        [None, "finished"],
    ),
    "a status that blocks": (
        STATUS,
        [Say(calls=[FALSE, DONE]), Say(calls=[DONE])],
        [None, "failed_earlier", "finished"],
    ),
    "a failure that does not": (
        "completion.block_on = ['denied']",
        [Say(calls=[MISSING, DONE])],
        [None, "finished"],
    ),
    "open to-dos": (
        "completion.open_todos = 'block'",
        [Say(calls=[TODOS]), Say(calls=[DONE]), Say(calls=[TODOS_DONE, DONE])],
        [None, "open_todos", None, "finished"],
    ),
    "a failure until it is made good": (
        "completion.scope = 'resolved'",
        [Say(calls=[MISSING]), Say(calls=[DONE]), Say(calls=[READ, DONE])],
        [None, "unresolved", None, "unresolved"],
    ),
}


@pytest.mark.parametrize(("text", "script", "codes"), POLICIES.values(), ids=POLICIES)
def test_what_blocks_a_completion_is_set(
    text: str, script: list[Reply], codes: list[str | None], project: Path, home: Path
):
    configure(home, text)
    done, _ = run(script, project, home, "--json", "--max-turns", str(len(script)))
    assert [code for _, _, code in results(done)] == codes
    assert done.exit_code == (0 if codes[-1] == "finished" else 5)


def test_a_failure_is_made_good_on_its_target(project: Path, home: Path):
    configure(home, "completion.scope = 'resolved'")
    read = Say('<read_file><files>[{"path": "absent.md"}]</files></read_file>')
    write = Say("<write_to_file><path>absent.md</path><content>here</content></write_to_file>")
    complete = Say("<attempt_completion><result>All done.</result></attempt_completion>")
    script = [read, complete, write, complete]
    done, server = run(script, project, home, "--json", "--protocol", "xml")
    assert [code for _, _, code in results(done)] == [None, "unresolved", None, "finished"]
    assert "- read_file absent.md" in json.dumps(server.requests[2].body)
    assert "keeps the task open" in json.dumps(server.requests[0].body)


def test_rules_that_have_changed_hold_when_a_session_is_gone_on_with(project: Path, home: Path):
    run([Say(calls=[DONE])], project, home)
    configure(home, STATUS)
    with ModelServer([Say(calls=[FALSE, DONE]), Say(calls=[DONE])]) as server:
        args = ["run", "-c", "-y", "--json", "-m", ANTHROPIC, "Go on."]
        done = run_agent(args, cwd=project, home=home, server=server)
    assert [code for _, _, code in results(done)] == [None, "failed_earlier", "finished"]
    (journal,) = (home / "agent").rglob("*.jsonl")
    kept = [json.loads(line)["entry"] for line in journal.read_text().splitlines()]
    assert [one["rules"]["block_on"] for one in kept if one["type"] == "turn_rules_set"] == [
        ["failed", "denied", "exit_nonzero"]
    ]
    report = json.loads(run_agent(["verify", "--json"], cwd=project, home=home).stdout)
    assert report["adds_up"], report


def test_a_person_lets_failures_stand(project: Path, home: Path):
    configure(home, "completion.scope = 'resolved'")
    script = [Say(calls=[MISSING]), Say(calls=[DONE]), Say("It is not there."), Say(calls=[DONE])]
    with ModelServer(script) as server:
        terminal = start_agent(["-m", ANTHROPIC, "Do it."], cwd=project, home=home, server=server)
        terminal.expect("were not made good")
        terminal.expect("It is not there")
        terminal.expect(PROMPT)
        say(terminal, "/waive")
        terminal.expect("read_file absent.md")
        terminal.expect(PROMPT)
        say(terminal, "/waive")
        terminal.expect("no call that failed")
        terminal.expect(PROMPT)
        say(terminal, "Then leave it.")
        terminal.expect("Task completed")
        terminal.close()
    assert server.violations == []
