"""`agent policy`: commands judged from outside, and new rules tried on past sessions."""

import io
import json
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testbed.replies import Call, Say
from testbed.run_agent import Completed, run_agent, start_process
from testbed.server import ModelServer

from agent_cli.approval.policy import decide
from agent_cli.cli.policy_check import Question, answers, verdict
from agent_cli.runtime.policy import policy
from agent_cli.settings.schema import ApprovalSettings, RuleLists
from agent_cli.types.approval import Decision
from agent_cli.types.effects import Effect, Kind

MODEL = ["-m", "anthropic/test-model"]
DONE = Call("attempt_completion", {"result": "Done."})


def configure(home: Path, text: str) -> None:
    config = home / "agent/config/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(text)


def check(lines: str, project: Path, home: Path) -> tuple[Completed, list[dict[str, Any]]]:
    done = run_agent(["policy", "check"], cwd=project, home=home, input=lines)
    assert "Traceback" not in done.stderr
    assert done.stdout.replace("\n", "").isprintable()
    assert done.stdout.isascii()
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(list(one) == ["verdict", "reason", "part"] for one in found)
    return done, found


def line(cmd: str, *allow: str, deny: tuple[str, ...] = (), **more: str) -> str:
    return json.dumps({"cmd": cmd, "allow": allow, "deny": deny, **more}) + "\n"


def test_lines_are_answered_in_order(project: Path, home: Path):
    lines = [
        line("git diff HEAD", "git diff"),
        line("git push", "git diff"),
        line("git -C . push", "git", deny=("git push",)),
        line("cat ../x", "cat"),
        line("cat sub/../README.md", "cat"),
        line("cd .. && ls", "ls", "cd"),
        line("echo é\0", "*"),
    ]
    done, found = check("".join(lines), project, home)
    verdicts = ["allow", "ask", "deny", "ask", "allow", "ask", "deny"]
    assert [one["verdict"] for one in found] == verdicts
    assert (found[3]["reason"], found[3]["part"]) == ("outside the workspace", "../x")
    assert done.exit_code == 0


def test_nothing_is_executed_or_written(project: Path, home: Path):
    home.mkdir()
    before = sorted(project.rglob("*")), sorted(home.rglob("*"))
    check(line("touch x; echo $(touch y) > z", "*") + line("touch x", "touch"), project, home)
    assert (sorted(project.rglob("*")), sorted(home.rglob("*"))) == before


def test_a_line_can_name_its_directory(project: Path, home: Path):
    (project / "sub").mkdir()
    (project / "sub/out").symlink_to(project)
    lines = line("ls ..", "ls", cwd="sub") + line("ls out", "ls", cwd=str(project / "sub"))
    _, found = check(lines + line("ls out", "ls") + line("ls sub/out", "ls"), project, home)
    assert [one["verdict"] for one in found] == ["ask", "ask", "allow", "allow"]


@pytest.mark.parametrize(
    ("settings", "verdicts"),
    [
        pytest.param("", ["allow", "ask", "ask"], id="defaults"),
        pytest.param('execute="deny"', ["deny", "deny", "deny"], id="a kind denied"),
        pytest.param('execute="allow"', ["allow", "allow", "allow"], id="a kind allowed"),
        pytest.param(
            'rules.deny=["execute_command(ls)"]', ["deny", "ask", "ask"], id="a deny rule"
        ),
        pytest.param('rules.deny=["execute_command"]', ["deny", "deny", "deny"], id="all denied"),
        pytest.param('rules.ask=["execute_command(ls)"]', ["ask", "ask", "ask"], id="an ask rule"),
        pytest.param(
            'rules.ask=["execute_command(rm)"]', ["allow", "ask", "ask"], id="another ask rule"
        ),
        pytest.param(
            'rules.allow=["execute_command(id)", "read_file"]',
            ["allow", "allow", "ask"],
            id="an allow rule",
        ),
    ],
)
def test_the_settings_hold(settings: str, verdicts: list[str], project: Path, home: Path):
    configure(home, f"[approval]\n{settings}\n")
    _, found = check(line("ls", "ls") + line("id") + line("echo $(id)"), project, home)
    assert [one["verdict"] for one in found] == verdicts


KINDS = [ApprovalSettings(execute=decision) for decision in Decision]
RULES = [
    ApprovalSettings(rules=RuleLists(**{name: (f"execute_command{pattern}",)}))
    for name in ("allow", "ask", "deny")
    for pattern in ("", "(ls)", "(git diff)", "()")
]
COMMANDS = ["ls -l", "git diff", "id", "ls ..", "ls; git diff", "echo $(ls)", "sudo ls", "ls > x"]


@pytest.mark.parametrize("cmd", COMMANDS)
@pytest.mark.parametrize("approval", KINDS + RULES)
def test_the_tool_is_judged_alike(cmd: str, approval: ApprovalSettings):
    effects = [Effect(Kind.EXECUTE, cmd)]
    if ".." in cmd:
        effects.append(Effect(Kind.READ, "..", outside=True))
    decided = decide(policy(approval), "execute_command", tuple(effects), ())
    assert verdict(Question(cmd), approval).verdict is decided.decision


@pytest.mark.parametrize(
    "bad",
    [
        "nonsense",
        "[]",
        '{"cmd": 5}',
        '{"allow": ["ls"]}',
        '{"cmd": "ls", "allow": "ls"}',
        '{"cmd": "ls", "allow": ["ls"], "cwd": "a\\u0000b"}',
        '{"cmd": "ls", "allow": ["ls"], "cwd": "\\ud800"}',
        '{"cmd": "ls", "allow": ["ls"], "deny": ["ls"], "deny": []}',
        "[" * 100_000,
    ],
)
def test_a_line_that_is_none_is_denied_and_told(bad: str, project: Path, home: Path):
    done, found = check(f"\n{bad}\n{line('ls', 'ls')}", project, home)
    assert [one["verdict"] for one in found] == ["deny", "allow"]
    assert "line 2" in found[0]["reason"]
    assert "line 2" in done.stderr
    assert done.exit_code == 2


@given(
    st.text(max_size=40), st.lists(st.text(max_size=9), max_size=2), st.text(max_size=5) | st.none()
)
def test_every_line_has_an_answer(cmd: str, rules: list[str], cwd: str | None):
    question = {"cmd": cmd, "allow": rules, "deny": rules[1:], **({"cwd": cwd} if cwd else {})}
    data = io.BytesIO(json.dumps(question).encode() + b"\n" + cmd.encode("utf-8", "replace"))
    found = [json.loads(answer.line) for answer in answers(data, ApprovalSettings())]
    assert found
    assert {one["verdict"] for one in found} <= {"allow", "ask", "deny"}


@pytest.mark.parametrize("cmd", ["x" * 1_000_000, "ls " * 20_000, "\udce9", "((((" * 9000])
def test_odd_commands_are_not_allowed(cmd: str, project: Path, home: Path):
    _, (found,) = check(line(cmd, "ls"), project, home)
    assert found["verdict"] == "ask"


def test_an_answer_comes_before_the_next_line_and_ctrl_c_ends_it(project: Path, home: Path):
    with start_process(["policy", "check"], cwd=project, home=home) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for _ in range(2):
            child.stdin.write(line("ls", "ls").encode())
            child.stdin.flush()
            assert json.loads(child.stdout.readline())["verdict"] == "allow"
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=30)
    assert errors == b""
    assert child.returncode == -signal.SIGINT


@pytest.fixture
def session(project: Path, home: Path) -> str:
    """A session in which git ran, a file was written and a command was not allowed."""
    calls = [
        Call("execute_command", {"command": "git diff --stat"}),
        Call("write_to_file", {"path": "a.txt", "content": "x"}),
        Call("read_file", {"files": [{"path": "README.md"}]}),
        Call("update_todo_list", {"todos": "[x] all"}),
    ]
    with ModelServer([Say(calls=calls), Say(calls=[DONE])]) as server:
        args = ["run", *MODEL, "--allowed-tools", "write_to_file", "Do it."]
        run_agent(args, cwd=project, home=home, server=server)
    listed = run_agent(["sessions", "--json"], cwd=project, home=home).stdout
    return str(json.loads(listed)["path"])


def against(args: list[str], project: Path, home: Path) -> Completed:
    return run_agent(["policy", "test", "--against", *args], cwd=project, home=home)


def test_what_new_rules_would_change_is_said(session: str, project: Path, home: Path):
    rules = ["--allow", "execute_command(git diff)", "--allow", "write_to_file"]
    done = against([session, *rules, "--deny", "read_file"], project, home)
    assert done.stdout.splitlines() == [
        "ask → allow  execute_command  git diff --stat",
        "allow → deny  read_file  README.md",
        "2 of 3 calls would be decided otherwise",
    ]
    assert done.exit_code == 0


@pytest.mark.parametrize("where", ["id", "folder"])
def test_sessions_are_named_by_id_or_folder(where: str, session: str, project: Path, home: Path):
    (Path(session).parent / "broken.jsonl").write_text("nonsense\n")
    named = Path(session).stem if where == "id" else str(home)
    done = against([named, "--allow", "write_to_file", "--ask", "read_file"], project, home)
    assert done.stdout.splitlines()[-1] == "1 of 3 calls would be decided otherwise"
    assert ("broken.jsonl" in done.stderr) == (where == "folder")


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (["absent"], 52),
        (["README.md"], 52),
        ([".", "--allow", "(("], 52),
        ([], 2),
    ],
)
def test_wrong_use_is_told(args: list[str], status: int, project: Path, home: Path):
    done = against(args, project, home)
    assert (done.exit_code, done.stdout) == (status, "")
    assert "Traceback" not in done.stderr
    assert done.stderr
