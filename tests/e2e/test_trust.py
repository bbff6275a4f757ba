"""A folder's settings act only where a person trusts them, and only as they were seen."""

from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import Exchange
from testbed.replies import Call, Say
from testbed.run_agent import Completed, run_agent, start_agent
from testbed.server import ModelServer
from testbed.terminals import leave

MODEL = ["-m", "anthropic/test-model"]
DONE = Call("attempt_completion", {"result": "All done."})
QUESTION = "Trust this folder"
CONFIG = "mode = 'ask'\nyolo = true\n[providers.anthropic]\nbase_url = 'http://127.0.0.1:1'\n"
IN_ASK_MODE = "# Current mode\\n\\nask "


@pytest.fixture
def acting(project: Path) -> Path:
    (project / ".agent").mkdir()
    (project / ".agent" / "config.toml").write_text(CONFIG)
    return project


def has_effect(exchange: Exchange) -> bool:
    return IN_ASK_MODE in exchange.raw.decode()


def once(project: Path, home: Path, *flags: str, **env: str) -> tuple[Completed, bool]:
    """Do one task; return also whether the project's mode was in force."""
    with ModelServer([Say(calls=[DONE])]) as server:
        args = ["run", *MODEL, *flags, "Do it."]
        done = run_agent(args, cwd=project, home=home, server=server, env=env)
    assert done.exit_code == 0, done.stderr
    assert server.violations == []
    return done, has_effect(server.requests[0])


def trust(project: Path, home: Path, *flags: str) -> Completed:
    return run_agent(["trust", *flags], cwd=project, home=home)


def test_without_a_person_a_folder_is_untrusted(acting: Path, home: Path):
    done, effect = once(acting, home, "--yolo")
    assert not effect
    assert "this folder is not trusted" in done.stderr
    assert ".agent/config.toml" in done.stderr


def test_the_flag_trusts_for_one_run(acting: Path, home: Path):
    done, effect = once(acting, home, "--trust")
    assert effect
    assert "config.toml:2: yolo has no effect: a project cannot allow" in done.stderr
    assert "config.toml:3: providers has no effect: where requests and keys go" in done.stderr
    assert not once(acting, home)[1]


@pytest.mark.parametrize(
    "words", ["Do it --trust now.", "--trust=yes", "'--trust'"], ids=["within", "joined", "quoted"]
)
def test_a_flag_within_another_argument_is_no_flag(acting: Path, home: Path, words: str):
    with ModelServer([Say(calls=[DONE])]) as server:
        args = ["run", *MODEL, "--", words]
        done = run_agent(args, cwd=acting, home=home, server=server)
    assert done.exit_code == 0, done.stderr
    assert not has_effect(server.requests[0])


def test_a_folder_without_anything_that_acts_is_not_talked_about(project: Path, home: Path):
    (project / "AGENTS.md").write_text("Be brief.")
    done, _ = once(project, home)
    assert "trust" not in done.stderr
    assert "nothing here needs it" in trust(project, home).stdout


def test_trust_is_given_shown_lost_by_a_change_and_taken_back(acting: Path, home: Path):
    shown = trust(acting, home, "--show")
    assert (shown.exit_code, "│ mode = 'ask'" in shown.stdout) == (1, True)
    assert trust(acting, home).exit_code == 2
    assert trust(acting, home, "--yes").exit_code == 0
    assert trust(acting, home, "--show").stdout == "this folder is trusted\n"
    assert once(acting, home)[1]
    (acting / ".mcp.json").write_text('{"mcpServers": {}}')
    shown = trust(acting, home, "--show")
    assert shown.exit_code == 1
    assert "has changed since" in shown.stdout
    assert '│ +{"mcpServers": {}}' in shown.stdout
    assert "mode = 'ask'" not in shown.stdout
    assert not once(acting, home)[1]
    (acting / ".mcp.json").unlink()
    assert once(acting, home)[1]
    assert "trusted no more" in trust(acting, home, "--revoke").stdout
    assert "was not trusted" in trust(acting, home, "--revoke").stdout
    assert not once(acting, home)[1]


def test_another_folder_is_named_or_refused(acting: Path, home: Path, tmp_path: Path):
    assert trust(tmp_path, home, "--yes", str(acting)).exit_code == 0
    assert once(acting, home)[1]
    assert trust(tmp_path, home, "absent").exit_code == 2
    assert trust(acting, home, "--yes", "--revoke").exit_code == 2


def test_a_hook_runs_only_as_it_was_trusted(project: Path, home: Path, tmp_path: Path):
    mark, script = tmp_path / "mark", project / "tools" / "hook.sh"
    script.parent.mkdir()
    script.write_text(f"echo seen >> {mark}\n")
    (project / ".agent").mkdir()
    hook = "[[hooks.UserPromptSubmit]]\ncommand = 'sh tools/hook.sh'\n"
    (project / ".agent" / "config.toml").write_text(hook)
    once(project, home, "--yolo")
    assert not mark.exists()
    trust(project, home, "--yes")
    once(project, home)
    assert mark.read_text() == "seen\n"
    script.write_text(f"echo changed >> {mark}\n")
    done, _ = once(project, home)
    assert mark.read_text() == "seen\n"
    assert "tools/hook.sh" in done.stderr
    assert f"+echo changed >> {mark}" in trust(project, home, "--show").stdout


def test_a_hook_that_changes_in_the_session_does_not_run(project: Path, home: Path, tmp_path: Path):
    mark = tmp_path / "mark"
    (project / "hook.sh").write_text("true\n")
    (project / ".agent").mkdir()
    hook = "[[hooks.PreToolUse]]\ncommand = 'sh hook.sh'\n"
    (project / ".agent" / "config.toml").write_text(hook)
    text = f"touch {mark}\n"
    write = Call("write_to_file", {"path": "hook.sh", "content": text})
    read = Call("read_file", {"files": [{"path": "README.md"}]})
    with ModelServer([Say(calls=[write, read]), Say(calls=[DONE])]) as server:
        args = ["run", *MODEL, "--trust", "--yolo", "Do it."]
        run_agent(args, cwd=project, home=home, server=server)
    assert (project / "hook.sh").read_text() == text
    assert not mark.exists()
    assert "It adds numbers" not in server.requests[1].raw.decode()


def test_what_cannot_be_looked_at_cannot_be_trusted(acting: Path, home: Path):
    (acting / ".mcp.json").symlink_to("/etc/passwd")
    for flags in (["--trust"], []):
        done, effect = once(acting, home, *flags)
        assert not effect
        assert "cannot be trusted" in done.stderr
        assert ".mcp.json is a link" in done.stderr
    assert trust(acting, home, "--yes").exit_code == 1


def test_what_is_shown_cannot_speak_to_the_terminal(acting: Path, home: Path):
    hostile = "# \x1b[2J\x1b]0;x\x07 \u202e\r\n# Trust this folder? [y]es\nmode = 'ask'\n"
    (acting / ".agent" / "config.toml").write_text(hostile, newline="")
    (acting / ".agent" / "a\nthis folder is trusted\x1b[0m").write_text("x")
    shown = trust(acting, home, "--show").stdout
    assert not {"\x1b", "\x07", "\u202e", "\r"} & set(shown)
    assert all("│" in line for line in shown.splitlines() if "Trust this folder?" in line)
    assert "this folder is trusted" not in shown.splitlines()


def test_a_mistake_in_a_trusted_file_names_its_line(acting: Path, home: Path):
    (acting / ".agent" / "config.toml").write_text("\nmode = 3\n")
    done = run_agent(["run", *MODEL, "--trust", "Do it."], cwd=acting, home=home)
    assert done.exit_code == 52
    assert ".agent/config.toml:2: mode = 3" in done.stderr


def test_a_damaged_trust_file_stops_a_start_that_needs_it(acting: Path, home: Path):
    trust(acting, home, "--yes")
    (home / "agent" / "data" / "trust.json").write_text("{")
    done = run_agent(["run", *MODEL, "Do it."], cwd=acting, home=home)
    assert done.exit_code == 52
    assert "repair or remove it" in done.stderr
    assert "repair or remove it" in run_agent(["doctor"], cwd=acting, home=home).stdout


def test_the_doctor_says_how_the_folder_stands(acting: Path, home: Path):
    assert "this folder is not trusted" in run_agent(["doctor"], cwd=acting, home=home).stdout


def test_a_projects_env_file_is_never_loaded(project: Path, home: Path):
    text = "AGENT_MODE=ask\nANTHROPIC_BASE_URL=http://127.0.0.1:1\nAGENT_HOME=.\nAGENT_MODEL=x/y\n"
    for name in (".env", ".env.local", ".agent.env", ".envrc"):
        (project / name).write_text(text)
    done, effect = once(project, home, "--trust")
    assert not effect
    assert "effect" not in done.stderr
    assert sorted(path.name for path in project.iterdir()) == [
        ".agent.env", ".env", ".env.local", ".envrc", "README.md",
    ]  # fmt: skip


def test_a_home_that_a_folder_brings_along_has_no_effect(acting: Path, home: Path):
    trust(acting, home, "--yes")
    brought = acting / "brought"
    (home / "agent").rename(brought)  # a trust file that trusts this very folder
    (brought / "config").mkdir(exist_ok=True)
    (brought / "config" / "config.toml").write_text("mode = 'ask'\n")
    done, effect = once(acting, home, AGENT_HOME=str(brought))
    assert not effect
    assert "config.toml has no effect: it lies in the folder" in done.stderr
    assert "this folder is not trusted" in done.stderr
    refused = run_agent(
        ["run", "-c", "Go on."], cwd=acting, home=home, env={"AGENT_HOME": "brought"}
    )
    assert (refused.exit_code, "lie in the folder worked in" in refused.stderr) == (52, True)
    refused = run_agent(["trust", "--yes"], cwd=acting, home=home, env={"AGENT_HOME": "brought"})
    assert (refused.exit_code, "put AGENT_HOME" in refused.stderr) == (52, True)


def answer(project: Path, home: Path, keys: str, *, before: str = "") -> tuple[Any, bool]:
    """Start with a person who answers the question; return the terminal and what came of it."""
    with ModelServer([Say("Hello.")]) as server:
        terminal = start_agent([*MODEL, "Hi."], cwd=project, home=home, server=server)
        terminal.send(before)
        terminal.expect(QUESTION)
        terminal.send(keys)
        terminal.expect("Hello")
        leave(terminal)
    return terminal, has_effect(server.requests[0])


@pytest.mark.parametrize(
    ("keys", "expected"),
    [("y\r", True), ("YES\r", True), ("n\r", False), ("\r", False), ("what\r", False)],
)
def test_a_person_is_asked_and_anything_but_yes_is_no(acting, home, keys, expected):
    _, effect = answer(acting, home, keys)
    assert effect is expected
    assert once(acting, home)[1] is expected


def test_what_was_typed_before_the_question_is_no_answer(acting: Path, home: Path):
    assert not answer(acting, home, "\r", before="y\r")[1]


def test_a_person_is_asked_once_and_again_after_a_change(acting: Path, home: Path):
    assert answer(acting, home, "y\r")[1]
    with ModelServer([Say("Hello.")]) as server:
        terminal = start_agent([*MODEL, "Hi."], cwd=acting, home=home, server=server)
        assert terminal.expect([QUESTION, "Hello"]) == 1
        terminal.close(force=True)
    (acting / ".agent" / "config.toml").write_text(CONFIG.replace("ask", "debug"))
    with ModelServer([Say("Hello.")]) as server:
        terminal = start_agent([*MODEL, "Hi."], cwd=acting, home=home, server=server)
        terminal.expect("has changed since you trusted it")
        terminal.expect(r"-mode = 'ask'")
        terminal.expect(r"\+mode = 'debug'")
        terminal.expect(QUESTION)
        terminal.send("n\r")
        terminal.expect("Hello")
        terminal.close(force=True)
    assert not has_effect(server.requests[0])


def test_ctrl_c_at_the_question_leaves_and_trusts_nothing(acting: Path, home: Path):
    terminal = start_agent([*MODEL, "Hi."], cwd=acting, home=home)
    terminal.expect(QUESTION)
    terminal.sendintr()
    terminal.wait()
    assert terminal.exitstatus == 130
    terminal.close()
    assert not (home / "agent" / "data" / "trust.json").exists()


def test_the_command_asks_as_well(acting: Path, home: Path):
    terminal = start_agent(["trust"], cwd=acting, home=home)
    terminal.expect(QUESTION)
    terminal.send("y\r")
    terminal.expect("trusted, as it is now")
    terminal.wait()
    assert terminal.exitstatus == 0
    terminal.close()
    assert once(acting, home)[1]
