"""A person at a terminal takes words back, forks, names and exports the session."""

import json
from pathlib import Path

from testbed.loaded import read
from testbed.replies import Say
from testbed.run_agent import run_agent, start_agent
from testbed.server import ModelServer
from testbed.terminals import PROMPT, end, leave, say, sessions

from agent_cli.types.entries import Rewound, SessionStarted

MODEL = ["-m", "anthropic/test-model"]


def test_esc_esc_takes_words_back_and_gives_them_to_be_edited(project: Path, home: Path):
    script = [Say("One."), Say("Two, wrong."), Say("Two, right.")]
    with ModelServer(script) as server:
        terminal = start_agent([*MODEL, "First words."], cwd=project, home=home, server=server)
        terminal.expect(r"One\.")
        terminal.expect(PROMPT)
        say(terminal, "Second words")
        terminal.expect("wrong")
        terminal.expect(PROMPT)
        terminal.send("\x1b\x1b")
        terminal.expect("1 First words")
        terminal.expect("2 Second words")
        terminal.expect("Take back from message")
        say(terminal, "2")
        terminal.expect("taken back from message 2 on")
        terminal.expect("Second words")
        say(terminal, ", said better")
        terminal.expect("right")
        leave(terminal)
    assert server.violations == []
    sent = json.dumps(server.requests[2].body)
    assert "Second words, said better" in sent
    assert "Two, wrong." not in sent
    assert "First words." in sent
    entries = [one.entry for one in read(sessions(home)[0]).envelopes]
    assert Rewound(1) in entries
    assert run_agent(["verify"], cwd=project, home=home).exit_code == 0


def test_words_are_taken_back_by_number_or_not_at_all(project: Path, home: Path):
    with ModelServer([Say("One.")]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        say(terminal, "/rewind")
        terminal.expect("nothing that could be taken back")
        say(terminal, "First words")
        terminal.expect(r"One\.")
        for given, told in (
            ("/rewind 7", "no message 7 of yours"),
            ("/rewind x", "'x' is not a number"),
            ("/rewind", "Take back from message"),
            ("\r/status", "1 turn"),
            ("/rewind 1", "taken back from message 1"),
        ):
            if not given.startswith("\r"):
                terminal.expect(PROMPT)
            say(terminal, given)
            terminal.expect(told)
        terminal.expect(PROMPT + ".*First words")
        terminal.sendintr()  # the line is cleared, and its prompt is not drawn again
        end(terminal)
    assert len(server.requests) == 1


def test_esc_esc_leaves_a_line_alone_that_was_begun(project: Path, home: Path):
    with ModelServer([Say("One.")]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        terminal.expect(PROMPT)
        terminal.send("Begun")
        terminal.send("\x1b\x1b")
        say(terminal, " and ended")
        terminal.expect(r"One\.")
        leave(terminal)
    assert "Begun and ended" in json.dumps(server.requests[0].body)


def test_a_fork_goes_on_and_the_session_stays(project: Path, home: Path):
    with ModelServer([Say("One."), Say("Two."), Say("Three.")]) as server:
        terminal = start_agent([*MODEL, "First words."], cwd=project, home=home, server=server)
        terminal.expect(r"One\.")
        terminal.expect(PROMPT)
        (origin,) = sessions(home)
        before = origin.read_bytes()
        say(terminal, "/fork")
        terminal.expect("this is a new session")
        terminal.expect(PROMPT)
        say(terminal, "Second words.")
        terminal.expect(r"Two\.")
        leave(terminal)
    assert server.violations == []
    assert "First words." in json.dumps(server.requests[1].body)
    (forked,) = [path for path in sessions(home) if path != origin]
    assert origin.read_bytes() == before
    started = read(forked).envelopes[0].entry
    assert isinstance(started, SessionStarted)
    assert started.forked_from == origin.stem
    assert "Second words" in forked.read_text()


def test_a_session_is_named_and_exported(project: Path, home: Path):
    with ModelServer([Say("One.")]) as server:
        terminal = start_agent([*MODEL, "First words."], cwd=project, home=home, server=server)
        terminal.expect(r"One\.")
        for given, told in (
            ("/rename", "has no name"),
            ("/rename A good name", "named A good name"),
            ("/rename", "named A good name"),
            ("/export page.html", "written to page.html"),
            ("/export page.html", "is there already"),
            ("/export page.pdf", "is no format"),
        ):
            if not given.startswith("\r"):
                terminal.expect(PROMPT)
            say(terminal, given)
            terminal.expect(told)
        leave(terminal)
    assert "<h1>A good name</h1>" in (project / "page.html").read_text()
    assert "A good name" in run_agent(["sessions"], cwd=project, home=home).stdout


def test_a_session_that_is_kept_nowhere_has_nothing_to_care_for(project: Path, home: Path):
    args = [*MODEL, "--ephemeral"]
    with ModelServer([]) as server:
        terminal = start_agent(args, cwd=project, home=home, server=server)
        for given in ("/fork", "/export"):
            terminal.expect(PROMPT)
            say(terminal, given)
            terminal.expect("kept nowhere")
        leave(terminal)
    assert sessions(home) == []
