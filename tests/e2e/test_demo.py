"""`agent demo`: a real session with a scripted model."""

from pathlib import Path

from testbed.run_agent import run_agent, start_agent


def test_the_demo_repairs_the_project(project: Path, home: Path):
    done = run_agent(["demo", "--yes"], cwd=project, home=home)
    assert done.exit_code == 0, done.stderr
    assert "no model is answering" in done.stderr
    assert "✗ attempt_completion" in done.stderr
    assert "the tests pass" in done.stderr
    verified = run_agent(["sessions", "--all"], cwd=project, home=home)
    assert "The tests fail" in verified.stdout


def test_the_demo_asks_at_a_terminal(project: Path, home: Path):
    terminal = start_agent(["demo"], cwd=project, home=home)
    for before in (
        "then: update_todo_list",
        "misremembered",  # the edit and the tests, on one card
        "completed",
    ):
        terminal.expect(before)  # a prompt is drawn more than once: wait for what precedes it
        terminal.expect("why not")
        terminal.send("y\r")
    terminal.expect("passed")
    terminal.expect("feedback")
    terminal.send("\r")
    terminal.expect("the tests pass")
    terminal.expect_exact("\r\n")
    terminal.close()


def test_without_a_terminal_it_says_what_to_add(project: Path, home: Path):
    done = run_agent(["demo"], cwd=project, home=home)
    assert done.exit_code == 2
    assert "--yes" in done.stderr


def test_a_demo_that_is_interrupted_promises_nothing_more(project: Path, home: Path):
    terminal = start_agent(["demo"], cwd=project, home=home)
    terminal.expect("then: update_todo_list")
    terminal.expect("why not")
    terminal.send("\x03")
    terminal.expect("the tests still fail")
    said = terminal.before
    terminal.read()
    terminal.close()
    assert "interrupted" in said
    assert "the session goes on" not in said
    assert terminal.exitstatus == 3
