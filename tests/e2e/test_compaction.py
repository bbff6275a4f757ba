"""Conversations that outgrow the model's window."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import Exchange
from testbed.one_shot import ANTHROPIC, lines, run
from testbed.prefixes import extends
from testbed.replies import Hang, Reply, Say, Status
from testbed.run_agent import run_agent, start_agent, start_process
from testbed.server import ModelServer
from testbed.small_window import (
    COMMAND,
    COMPACTED,
    SUMMARY,
    SmallModel,
    asks_for_summary,
    configure,
    conversation,
    fill,
    read,
)
from testbed.terminals import PROMPT, leave
from testbed.wires_by_model import MODELS


@pytest.fixture
def project(project: Path) -> Path:
    fill(project)
    return project


def compactions(done: Any) -> list[dict[str, Any]]:
    return [line for line in lines(done) if line["type"] == "compacted"]


def settings_of(exchange: Exchange) -> dict[str, Any]:
    """Everything but the conversation, and how long the answer may be."""
    bulk = {"messages", "input", "max_tokens", "max_completion_tokens", "max_output_tokens"}
    return {name: value for name, value in exchange.body.items() if name not in bulk}


@pytest.mark.parametrize("protocol", ["native", "xml"])
@pytest.mark.parametrize("model", MODELS)
def test_a_session_that_outgrows_the_window_is_compacted_and_completes(
    model: str, protocol: str, project: Path, home: Path
):
    configure(home, model)
    script = SmallModel(xml=protocol == "xml")
    done, server = run(script, project, home, "--json", "--protocol", protocol, model=model)
    assert (done.exit_code, script.refusals) == (0, 0), done.stderr
    assert script.summaries == len(compactions(done)) >= 1
    for line in compactions(done):
        assert (line["by"], line["summarised"]) == ("window", True)
        assert line["tokens_after"] < line["tokens_before"]
    for exchange in server.requests:
        assert settings_of(exchange) == settings_of(server.requests[0])
    last = json.dumps(conversation(server.requests[-1]))
    for kept in ("Do it.", SUMMARY, COMPACTED, "- big5.txt ("):
        assert kept in last
    assert lines(done)[-1]["num_turns"] == len(server.requests)


@pytest.mark.invariant("I8")
def test_the_summary_request_extends_what_was_asked_before(project: Path, home: Path):
    configure(home, ANTHROPIC)
    _, server = run(SmallModel(), project, home)
    asked = next(one for one in server.requests if asks_for_summary(one))
    for earlier in server.requests[: asked.number - 1]:
        assert extends(asked.raw, earlier.raw)


FALLS_BACK: dict[str, Reply] = {
    "refused": Status(400),
    "empty": Say(" \n"),
    "cut off": Say("<summary>Half a", stop="length"),
    "refusal": Say("I would rather not.", stop="refusal"),
    "a call instead": Say("Let me look.", calls=[COMMAND]),
    "larger than what it replaces": Say("<summary>" + "too long " * 20_000 + "</summary>"),
    "a tag left open": Say("<summary>It was"),
}


@pytest.mark.parametrize("reply", FALLS_BACK.values(), ids=FALLS_BACK)
def test_without_a_summary_what_was_recorded_stands_in(reply: Reply, project: Path, home: Path):
    configure(home, ANTHROPIC)
    script = SmallModel(summary=reply, first=[COMMAND])
    done, server = run(script, project, home, "--json")
    assert done.exit_code == 0, done.stderr
    first = compactions(done)[0]
    assert not first["summarised"]
    last = json.dumps(conversation(server.requests[-1]))
    for recorded in ("Do it.", "- exit 3: exit code 3", "- big5.txt ("):
        assert recorded in last
    ran = [line for line in lines(done) if line["type"] == "tool_use"]
    assert sum(line["name"] == "execute_command" for line in ran) == 1


def test_when_nobody_answers_nothing_is_replaced(project: Path, home: Path):
    configure(home, ANTHROPIC)
    done, _ = run(SmallModel(summary=Status(401)), project, home, "--json")
    assert done.exit_code == 41
    assert compactions(done) == []
    with ModelServer(SmallModel(0)) as server:
        again = run_agent(["run", "-c", "--json", "Go on."], cwd=project, home=home, server=server)
    assert again.exit_code == 0, again.stderr
    assert len(compactions(again)) == 1


def test_a_window_that_nobody_knows_is_found_out(project: Path, home: Path):
    configure(home, ANTHROPIC, None)
    script = SmallModel()
    done, _ = run(script, project, home, "--json")
    assert done.exit_code == 0, done.stderr
    assert script.refusals == len(compactions(done)) >= 1


@pytest.mark.parametrize("window", [24_000, None], ids=["known", "unknown"])
def test_words_too_long_for_any_window_end_in_advice(window: int | None, project: Path, home: Path):
    configure(home, ANTHROPIC, window)
    script = SmallModel(window=3_000 if window is None else window)
    words = "tell me all of it " * 5_600
    with ModelServer(script) as server:
        args = ["run", "-y", "-m", ANTHROPIC, "--json"]
        small = run_agent([*args, "Do it."], cwd=project, home=home, server=server)
        done = run_agent([*args, "-c", words], cwd=project, home=home, server=server)
    assert done.exit_code == 5, small.stdout
    assert "go on with a model that takes in more" in lines(done)[-1]["message"]


def test_it_can_be_turned_off(project: Path, home: Path):
    configure(home, ANTHROPIC, None, "[context]\nauto_compact = false\n")
    done, _ = run(SmallModel(), project, home, "--json")
    assert done.exit_code == 5
    assert compactions(done) == []
    assert "/compact makes room" in lines(done)[-1]["message"]


@pytest.mark.invariant("I10")
def test_a_kill_in_the_middle_of_it_loses_nothing(project: Path, home: Path):
    configure(home, ANTHROPIC)
    with ModelServer(SmallModel(summary=Hang())) as server:
        args = ["run", "-y", "-m", ANTHROPIC, "Do it."]
        process = start_process(args, cwd=project, home=home, server=server)
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
        number = 1
        while not asks_for_summary(server.wait_for(number)):
            number += 1
        process.send_signal(signal.SIGKILL)
        process.communicate()
    with ModelServer(SmallModel(1)) as server:
        done = run_agent(["run", "-c", "--json", "Go on."], cwd=project, home=home, server=server)
    assert server.violations == []
    assert done.exit_code == 0, done.stderr
    assert len(compactions(done)) == 1
    report = json.loads(run_agent(["verify", "--json"], cwd=project, home=home).stdout)
    assert report["adds_up"], report


def test_results_too_large_to_keep_are_told_to_be_gone(project: Path, home: Path):
    configure(home, ANTHROPIC, 14_000)
    every = read(*(f"big{number}.txt" for number in range(5)))
    script = SmallModel(0, window=14_000)

    def answer(exchange: Exchange) -> Reply:
        return Say(calls=[every]) if exchange.number == 0 else script(exchange)

    done, server = run(answer, project, home)
    assert done.exit_code == 0, done.stderr
    assert "did not fit and are not here" in json.dumps(conversation(server.requests[-1]))


def test_a_person_sees_how_full_it_is_and_makes_room(project: Path, home: Path):
    configure(home, ANTHROPIC, 200_000)
    model = SmallModel(3, window=200_000)
    with ModelServer(model) as server:
        terminal = start_agent(["-m", ANTHROPIC, "-y"], cwd=project, home=home, server=server)
        say(terminal, "/context", PROMPT)
        terminal.expect("nothing has been said yet")
        say(terminal, "Do it.", PROMPT)
        terminal.expect("feedback")
        terminal.send("\r")
        say(terminal, "/context", PROMPT)
        terminal.expect(r"results of tools +[0-9]+,[0-9]{3}")
        terminal.expect("% of the model's window of 200,000")
        say(terminal, "/compact keep the API names", PROMPT)
        terminal.expect("was compacted, from about")
        say(terminal, "/compact", PROMPT)
        terminal.expect("nothing to be gained")
        leave(terminal)
    assert server.violations == []
    asked = [one for one in server.requests if asks_for_summary(one)]
    assert ["keep the API names" in str(conversation(one)[-1]) for one in asked] == [True]


def test_ctrl_c_at_a_summary_leaves_everything_as_it_was(project: Path, home: Path):
    configure(home, ANTHROPIC, 200_000)
    with ModelServer(SmallModel(3, window=200_000, summary=Hang())) as server:
        terminal = start_agent(["-m", ANTHROPIC, "-y"], cwd=project, home=home, server=server)
        say(terminal, "Do it.", PROMPT)
        terminal.expect("feedback")
        terminal.send("\r")
        say(terminal, "/compact", PROMPT)
        server.wait_for(5)
        terminal.sendintr()
        terminal.expect("interrupted")
        leave(terminal)
    report = json.loads(run_agent(["verify", "--json"], cwd=project, home=home).stdout)
    assert report["adds_up"], report
    assert "history_compacted" not in next(home.rglob("*.jsonl")).read_text()


def say(terminal: Any, text: str, prompt: str) -> None:
    terminal.expect(prompt)
    terminal.send(f"{text}\r")
