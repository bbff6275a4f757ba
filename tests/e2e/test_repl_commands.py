"""A person at a terminal looks around with slash commands, and goes from session to session."""

import base64
import json
import re
import sys
from pathlib import Path

import pytest
from testbed.replies import Call, Hang, Say
from testbed.run_agent import run_agent, start_agent
from testbed.server import ModelServer
from testbed.servers import HERE
from testbed.terminals import GAP, asked, leave, sessions

MODEL = "anthropic/test-model"
TODO = Call("update_todo_list", {"todos": "[x] look\n[ ] write"})
DONE = Call("attempt_completion", {"result": "Everything is done."})


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_before_anything_is_said_every_command_has_an_answer(project: Path, home: Path):
    with ModelServer([]) as server:
        terminal = start_agent(["-m", MODEL], cwd=project, home=home, server=server)
        for line, shown in [
            ("/help", ["/clear .*begin a new session", r"\(/new\)", r"/resume .*\(/sessions\)"]),
            ("/help cost", ["show tokens and cost so far", "/usage"]),
            ("/help nothing", ["no command /nothing"]),
            ("/staus", ["no command /staus; like it: /status"]),
            ("/context", ["nothing has been said yet"]),
            ("/usage", ["0 tokens in", "turns: 0"]),
            ("/todos", ["no to-do list"]),
            ("/mcp", ["no servers are set up"]),
            ("/skills", ["there are no skills"]),
            ("/memory", ["no AGENTS.md and no rules"]),
            ("/resume", ["no other session of this folder"]),
            ("/copy", ["there is no answer yet"]),
            ("/theme nothing", ["there are the themes auto, dark"]),
            ("/tools nothing", ["there is no tool 'nothing'"]),
            ("/tools", ["read_file +read"]),
        ]:
            asked(terminal, line, *shown)
        leave(terminal)
    assert server.requests == []


def test_what_is_in_force_is_shown(project: Path, home: Path):
    put(project, {"AGENTS.md": "Write tests.\n"})
    put(home / "agent/config", {
        "config.toml": '[approval.rules]\ndeny = ["read_file(secret/**)"]\n',
        "rules/own.md": "Be kind.\n",
        "skills/pdf/SKILL.md": "---\ndescription: Forms.\n---\nUse pdftk.",
    })  # fmt: skip
    with ModelServer([Say(calls=[TODO]), Say("I looked.")]) as server:
        args = ["-m", MODEL, "--allowed-tools", "execute_command(ls)"]
        terminal = start_agent(args, cwd=project, home=home, server=server)
        asked(terminal, "Do it.", "I looked")
        for line, shown in [
            ("/status", ["session +20", f"model +{MODEL}, native", "mode +code", "approval +ask"]),
            ("/todos", ["✓ +look", "○ +write"]),
            ("/context", ["█", "system prompt +[0-9,]+", "results of tools", "not known"]),
            ("/permissions", ["by kind: read allow", r"deny +read_file\(secret", "your settings"]),
            ("/permissions", [r"allow +execute_command\(ls\)", "command line"]),
            ("/memory", ["1 line", "1 line"]),
            ("/skills", ["pdf +Forms"]),
            ("/tools read_file", [r"read_file \(read\)"]),
            ("/mode ask", ["mode ask"]),
            ("/tools", ["write_to_file +write +not in mode ask"]),
            ("/theme", ["theme ansi", "heading", "under .terminal. in the settings"]),
            ("/theme light", ["theme light", "heading"]),
            ("/theme", ["theme light"]),
            ("/plan", ["plan mode: nothing is changed"]),
            ("/status", ["approval +plan"]),
            ("/plan", ["no plan mode: approval ask"]),
            ("/doctor", ["ripgrep", "Next: agent"]),
        ]:
            asked(terminal, line, *shown)
        leave(terminal)
    assert server.violations == []


def test_plan_mode_can_be_had_for_what_is_said(project: Path, home: Path):
    with ModelServer([Say("I plan.")]) as server:
        terminal = start_agent(["-m", MODEL], cwd=project, home=home, server=server)
        asked(terminal, "/plan the new house", "I plan")
        asked(terminal, "/plan off", "no plan mode")
        leave(terminal)
    assert "the new house" in json.dumps(server.requests[0].body)


def test_from_session_to_session_and_back(project: Path, home: Path):
    script = [Say("One."), Say("Two."), Say("Three."), Say("Four.")]
    with ModelServer(script) as server:
        terminal = start_agent(["-m", MODEL], cwd=project, home=home, server=server)
        asked(terminal, "First words.", r"One\.")
        asked(terminal, "/new", "this is a new session; the other stays")
        asked(terminal, "/context", "nothing has been said yet")
        asked(terminal, "Second words.", r"Two\.")
        asked(terminal, "/sessions", "1 .*First words", "Number of the session")
        terminal.send("1\r")
        terminal.expect("from here on this is the session 20")
        asked(terminal, "Third words.", r"Three\.")
        asked(terminal, "/resume 9", "'9' is none of this folder's sessions")
        asked(terminal, "/resume 1", "from here on this is the session 20")
        asked(terminal, "Fourth words.", r"Four\.")
        leave(terminal)
    assert server.violations == []
    assert len(sessions(home)) == 2
    said = [json.dumps(request.body["messages"]) for request in server.requests]
    assert "First words" in said[2]
    assert "Second words" not in said[2]
    assert "Second words" in said[3]
    assert "First words" not in said[3]
    for path in sessions(home):
        report = run_agent(["verify", path.stem, "--json"], cwd=project, home=home)
        assert json.loads(report.stdout)["adds_up"]


def test_a_session_that_is_open_elsewhere_leaves_the_user_where_they_are(project: Path, home: Path):
    with ModelServer([Say("One."), Say("Two."), Say("Three.")]) as server:
        other = start_agent(["-m", MODEL, "First words."], cwd=project, home=home, server=server)
        other.expect(r"One\.")
        terminal = start_agent(["-m", MODEL, "Mine."], cwd=project, home=home, server=server)
        terminal.expect(r"Two\.")
        asked(terminal, "/resume 1", "is open in another process|in use|locked")
        asked(terminal, "Still mine.", r"Three\.")
        leave(terminal)
        leave(other)
    assert "Mine." in json.dumps(server.requests[2].body)


def test_what_is_kept_nowhere_is_not_left(project: Path, home: Path):
    with ModelServer([]) as server:
        terminal = start_agent(["-m", MODEL, "--ephemeral"], cwd=project, home=home, server=server)
        asked(terminal, "/resume", "would be lost by leaving it")
        asked(terminal, "/fork", "cannot be forked")
        asked(terminal, "/clear", "this is a new session")
        leave(terminal)
    assert sessions(home) == []


@pytest.mark.parametrize("exists", [False, True], ids=["new", "there"])
def test_the_model_is_asked_for_an_agents_md(project: Path, home: Path, *, exists: bool):
    if exists:
        put(project, {"AGENTS.md": "Old.\n"})
    with ModelServer([Say(calls=[DONE])]) as server:
        terminal = start_agent(["-m", MODEL], cwd=project, home=home, server=server)
        asked(terminal, "/init in English", "the model looks at the project", "feedback")
        terminal.send("\r")
        leave(terminal)
    said = json.dumps(server.requests[0].body["messages"])
    assert "Write the file AGENTS.md" in said
    assert "The user adds: in English" in said
    assert ("Read it first" in said) is exists


def test_the_last_answer_is_handed_to_the_terminal(project: Path, home: Path):
    answer = "The answer — größer.\nTwo lines."
    with ModelServer([Say(answer)]) as server:
        terminal = start_agent(["-m", MODEL], cwd=project, home=home, server=server)
        asked(terminal, "Say it.", "Two lines")
        asked(terminal, "/copy", r"\x1b\]52;c;([A-Za-z0-9+/=]+)\x07")
        assert base64.b64decode(terminal.match[1]).decode() == answer
        terminal.expect("31 characters are handed over")
        leave(terminal)


def test_an_editor_writes_the_next_message(project: Path, home: Path):
    editor = home / "editor.py"
    text = f"#!{sys.executable}\nimport sys\nopen(sys.argv[1], 'a').write(' well')\n"
    put(home, {"editor.py": text})
    editor.chmod(0o755)
    with ModelServer([Say("I see.")]) as server:
        env = {"VISUAL": str(editor)}
        terminal = start_agent(["-m", MODEL], cwd=project, home=home, server=server, env=env)
        asked(terminal, "/editor Do it", r">(?:\x1b\[[0-9;?]*[A-Za-z]|[\x08 ])+Do it well")
        terminal.send("\r")
        terminal.expect("I see")
        leave(terminal)
    assert "Do it well" in json.dumps(server.requests[0].body)


def test_servers_are_shown_and_connected_anew(project: Path, home: Path):
    bare = [sys.executable, "-I", str(HERE / "bare_server.py")]
    put(home / "agent/config", {
        "config.toml": "[mcp]\nwait = 60\n"
        f"[mcp.servers.bare]\ncommand = {json.dumps(bare[0])}\nargs = {json.dumps(bare[1:])}\n"
        f"[mcp.servers.broken]\ncommand = {json.dumps(bare[0])}\nargs = ['-c', '']\n"
    })  # fmt: skip
    with ModelServer([Say("I see.")]) as server:
        terminal = start_agent(["-m", MODEL], cwd=project, home=home, server=server)
        asked(terminal, "/mcp", "bare +not connected yet")
        asked(terminal, "Do it.", "I see")
        asked(terminal, "/mcp", "bare +connected +tools: 10", "broken +cannot be used")
        asked(terminal, "/mcp bare", "echo +Say it again")
        asked(terminal, "/mcp nobody", "there is no server 'nobody'; there are bare, broken")
        asked(terminal, "/mcp reconnect bare", "bare is connected")
        asked(terminal, "/mcp reconnect nobody", "there is no server 'nobody'")
        asked(terminal, "/mcp reconnect", "bare is connected", "'broken' cannot be used")
        leave(terminal)
    assert server.violations == []


def test_while_the_agent_works_one_can_look_and_no_more(project: Path, home: Path):
    with ModelServer([Hang()]) as server:
        terminal = start_agent(["-m", MODEL, "Do it."], cwd=project, home=home, server=server)
        server.wait_for(1)
        for line, shown in [
            ("/status", f"model +{re.escape(MODEL)}"),
            ("/mode", "mode code; there are"),
            ("/mode ask", "/mode has to wait"),
            ("/clear", "/clear has to wait"),
        ]:
            terminal.send(line + "\r")
            terminal.expect(shown.replace(" +", GAP))
        terminal.sendintr()
        terminal.expect("interrupted")
        leave(terminal)
