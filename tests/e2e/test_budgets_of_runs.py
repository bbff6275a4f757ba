"""What a run may use up at most: it stops before the next request, and says which limit it was."""

import json
from pathlib import Path

import pytest
from testbed.one_shot import ANTHROPIC, lines, results, run
from testbed.replies import Call, Delivery, Reply, Say, Usage
from testbed.run_agent import run_agent, start_agent
from testbed.server import ModelServer

READ = Call("read_file", {"files": [{"path": "README.md"}]})
DONE = Call("attempt_completion", {"result": "All done."})
TAKING = Call("execute_command", {"command": "sleep 1.2"})
SAID = Say("I look.", calls=[READ], usage=Usage(input=100, output=20))
SILENT = Say("I look.", calls=[READ], usage=None)

LIMITS: dict[str, tuple[list[str], list[Reply]]] = {
    "turns": (["--max-turns", "2"], [SAID, SAID]),
    "tokens": (["--max-tokens", "200"], [SAID, SAID]),
    "time": (["--max-time", "1s"], [Say(calls=[TAKING])]),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_a_run_says_which_limit_it_has_reached(limit: str, project: Path, home: Path):
    args, script = LIMITS[limit]
    done, server = run(script, project, home, *args, "--output-format", "json")
    assert done.exit_code == 5, done.stderr
    assert len(server.requests) == len(script)
    told = json.loads(done.stdout)
    assert (told["limit"], told["verdict"]) == (limit, "limit")
    assert f"the limit --max-{limit} is reached: it counts the whole session" in told["message"]
    again = run_agent(["run", "-c", "-y", *args, "Go on."], cwd=project, home=home, server=None,
                      env={"ANTHROPIC_API_KEY": "k"})  # fmt: skip
    assert again.exit_code == 5


@pytest.mark.parametrize("model", [ANTHROPIC, "openai/test-model"])
def test_tokens_that_nobody_counted_are_estimated(model: str, project: Path, home: Path):
    args = ("--max-tokens", "50", "--output-format", "json")
    done, _ = run([SILENT], project, home, *args, model=model)
    assert done.exit_code == 5, done.stderr
    usage = json.loads(done.stdout)["usage"]
    assert usage["estimated"]
    assert usage["input_tokens"] > 500  # the system prompt alone
    assert usage["output_tokens"] > 0


BROKEN = Say("I was about to say something long. " * 20, delivery=Delivery(cut_at=1500))


@pytest.mark.invariant("I14")
def test_what_a_broken_answer_used_counts_and_it_is_not_asked_again(project: Path, home: Path):
    args = ("--max-tokens", "50", "--output-format", "json")
    done, server = run([BROKEN], project, home, *args)
    assert done.exit_code == 5, done.stderr
    assert len(server.requests) == 1
    told = json.loads(done.stdout)
    assert "nothing is left for asking" in told["message"]
    assert told["usage"]["input_tokens"] > 500
    again, server = run([], project, home, *args, "-c")
    assert (again.exit_code, json.loads(again.stdout)["limit"]) == (5, "tokens")


def test_a_broken_answer_is_asked_for_again_where_something_is_left(project: Path, home: Path):
    script = [BROKEN, Say(calls=[DONE])]
    done, _ = run(script, project, home, "--max-tokens", "1000000", "--json")
    assert done.exit_code == 0, done.stderr
    usage = lines(done)[-1]["usage"]
    assert usage["estimated"]
    assert usage["input_tokens"] > 1000


@pytest.mark.invariant("I14")
def test_a_subtask_has_its_share(project: Path, home: Path):
    delegate = Call("new_task", {"mode": "code", "message": "Do a part."})
    script = [Say(calls=[delegate]), SAID, SAID, Say(calls=[DONE])]
    done, _ = run(script, project, home, "--max-turns", "4", "--json")
    assert done.exit_code == 0, done.stderr
    assert ("new_task", "failed", "subtask_failed") in results(done)


@pytest.mark.parametrize("args", [["--max-time", "soon"], ["--max-tokens", "0"]])
def test_what_is_no_limit_is_refused(args: list[str], project: Path, home: Path):
    done = run_agent(["run", *args, "Do it."], cwd=project, home=home)
    assert done.exit_code in (2, 52)
    assert args[1] in done.stderr


def test_a_person_sees_what_is_left(project: Path, home: Path):
    with ModelServer([Say("I see.", usage=Usage(input=100, output=20))]) as server:
        args = ["-m", ANTHROPIC, "--max-turns", "1", "--max-tokens", "500", "Do it."]
        terminal = start_agent(args, cwd=project, home=home, server=server)
        terminal.expect("I see")
        terminal.expect(">")
        terminal.send("/budget\r")
        terminal.expect("turns: 1 of 1, 0 left")
        terminal.expect("tokens: 120 of 500, 380 left")
        terminal.expect("cost: [^,]*, no limit")
        terminal.expect("time: [^,]* s, no limit")
        terminal.send("More.\r")
        terminal.expect("--max-turns")
        terminal.close()
    assert server.violations == []


def test_the_time_of_a_call_is_in_the_journal_and_what_it_read(project: Path, home: Path):
    done, _ = run([Say(calls=[TAKING]), Say(calls=[READ]), Say(calls=[DONE])], project, home)
    assert done.exit_code == 0, done.stderr
    (journal,) = (home / "agent").rglob("*.jsonl")
    kept = [json.loads(line)["entry"] for line in journal.read_text().splitlines()]
    took, read, _ = (one for one in kept if one["type"] == "call_finished")
    assert took["seconds"] >= 1
    assert [one["path"] for one in read["read"]] == ["README.md"]
