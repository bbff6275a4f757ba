"""A person at a terminal has another model go on, over wires, kills and new sessions."""

import signal
from pathlib import Path

from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.loaded import read
from testbed.replies import Call, Say
from testbed.run_agent import start_agent
from testbed.server import ModelServer
from testbed.terminals import asked, leave, sessions

from agent_cli.types.entries import ModelSwitched

FIRST = "anthropic/test-model"


def look(number: int) -> Call:
    """A call that is no repetition of the one before."""
    return Call("list_files", {"path": ".", "recursive": number % 2 == 0})


def test_each_wire_can_read_what_the_others_said(project: Path, home: Path):
    wires = [
        (FIRST, ANTHROPIC_MESSAGES),
        ("openai/test-model", OPENAI_RESPONSES),
        ("openai-chat/test-model", OPENAI_CHAT),
        (FIRST, ANTHROPIC_MESSAGES),
        ("openai/test-model", OPENAI_RESPONSES),
    ]
    script = [
        reply
        for number, _ in enumerate(wires)
        for reply in (
            Say(f"I look, {number}.", reasoning="It says something.", calls=[look(number)]),
            Say(f"Answer {number}.", reasoning="Now I know."),
        )
    ]
    with ModelServer(script) as server:
        terminal = start_agent(["-m", FIRST, "-y"], cwd=project, home=home, server=server)
        for number, (model, _) in enumerate(wires):
            if number:
                asked(terminal, f"/model {model}", f"from here on {model} is asked")
            asked(terminal, f"Question {number}.", f"Answer {number}")
        leave(terminal)
    assert server.violations == []
    assert [one.wire for one in server.requests] == [wire for _, wire in wires for _ in range(2)]
    last = server.requests[-1].raw.decode()
    assert all(f"Answer {number}." in last for number in range(4))


def test_the_model_is_the_same_after_a_kill(project: Path, home: Path):
    with ModelServer([Say("Answer 0."), Say("Answer 1."), Say("Answer 2.")]) as server:
        terminal = start_agent(["-m", FIRST], cwd=project, home=home, server=server)
        asked(terminal, "Question 0.", "Answer 0")
        asked(terminal, "/model openai/test-model", "from here on openai/test-model is asked")
        terminal.kill(signal.SIGKILL)
        terminal.wait()
        terminal.close()
        terminal = start_agent(["-c"], cwd=project, home=home, server=server)
        asked(terminal, "/status", "model +openai/test-model")
        asked(terminal, "Question 1.", "Answer 1")
        leave(terminal)
        terminal = start_agent(["-c", "-m", FIRST], cwd=project, home=home, server=server)
        asked(terminal, "Question 2.", "Answer 2")
        leave(terminal)
    assert server.violations == []
    wires = [ANTHROPIC_MESSAGES, OPENAI_RESPONSES, ANTHROPIC_MESSAGES]
    assert [one.wire for one in server.requests] == wires
    (path,) = sessions(home)
    entries = [one.entry for one in read(path).envelopes]
    switched = [one.model for one in entries if isinstance(one, ModelSwitched)]
    assert switched == ["openai/test-model", FIRST]


def test_what_could_be_asked_is_listed_and_what_cannot_is_reported(project: Path, home: Path):
    with ModelServer([Say("Answer 0.")]) as server:
        terminal = start_agent(["-m", FIRST], cwd=project, home=home, server=server)
        asked(terminal, "/model", r"anthropic/test-model is asked")
        terminal.expect("anthropic/claude-sonnet-5-5 .*window")
        terminal.expect("any other name works")
        asked(terminal, "/model sonnet-5-5x", "'sonnet-5-5x' is no model")
        terminal.expect("like it: .*sonnet-5-5")
        asked(terminal, "/model mistral/some", "no key for provider 'mistral'")
        asked(terminal, "/model nobody/some", "unknown provider 'nobody'")
        asked(terminal, "/status", f"model +{FIRST}")
        asked(
            terminal, "/model claude-haiku-5-5", "from here on anthropic/claude-haiku-5-5 is asked"
        )
        asked(terminal, "Question 0.", "Answer 0")
        leave(terminal)
    assert server.violations == []
    assert server.requests[0].body["model"] == "claude-haiku-5-5"


def test_a_limit_that_could_not_be_kept_is_no_choice(project: Path, home: Path):
    with ModelServer([]) as server:
        args = ["-m", "anthropic/claude-haiku-5-5", "--max-cost", "1"]
        terminal = start_agent(args, cwd=project, home=home, server=server)
        asked(terminal, f"/model {FIRST}", "max_cost cannot be kept")
        asked(terminal, "/status", "model +anthropic/claude-haiku-5-5")
        leave(terminal)
