"""Modes, skills, slash commands, rules and mentions, from files to what the model is sent."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import Exchange
from testbed.replies import Call, Say
from testbed.run_agent import Completed, run_agent, start_agent
from testbed.server import ModelServer
from testbed.terminals import asked, leave

from agent_cli.processes.sandbox import candidates

MODEL = ["-m", "anthropic/test-model"]
DONE = Say(calls=[Call("attempt_completion", {"result": "All done."})])
WALLS = candidates(os.environ)
KEY = {"ANTHROPIC_API_KEY": "test-key-of-no-value"}


def mode(kinds: str, files: str = "") -> str:
    pattern = f"files: {files}\n" if files else ""
    return f"---\nname: Looker\nkinds: {kinds}\nwhen: Look.\n{pattern}---\nYou only look.\n"


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def once(
    project: Path, home: Path, replies: list[Say], *args: str, **given: str
) -> tuple[Completed, list[Exchange]]:
    with ModelServer([*replies, DONE]) as server:
        done = run_agent(
            ["run", *MODEL, *args],
            cwd=project,
            home=home,
            server=server,
            input=given.get("piped", ""),
        )
    assert server.violations == []
    return done, server.requests


def system(request: Exchange) -> str:
    return json.dumps(request.body["system"])


def said(request: Exchange) -> str:
    first: Any = request.body["messages"][0]["content"]
    return first if isinstance(first, str) else "\n".join(one.get("text", "") for one in first)


def results(request: Exchange) -> str:
    return json.dumps(request.body["messages"][-1])


def offered(request: Exchange) -> set[str]:
    return {tool["name"] for tool in request.body["tools"]}


CUSTOM = {
    ".agent/modes/looker.md": mode("read"),
    ".agent/commands/review.md": "---\ndescription: Review a file.\n---\nReview $1 well.",
    ".agent/skills/pdf/SKILL.md": "---\ndescription: Read forms.\n---\nUse pdftk.",
    ".claude/skills/doc/SKILL.md": "---\ndescription: Write documents.\n---\nUse pandoc.",
    ".agent/rules/style.md": "Write in short lines.",
    ".agent/rules-looker/more.md": "Look twice.",
}


def test_a_trusted_projects_files_act(project: Path, home: Path):
    put(project, CUSTOM)
    put(project, {"AGENTS.md": "The nearest rules."})
    done, (request,) = once(project, home, [], "--trust", "--mode", "looker", "Look.")
    assert done.exit_code == 0, done.stderr
    prompt = system(request)
    for text in ("You only look.", "`pdf`: Read forms.", "`doc`: Write", "`/review`: Review a"):
        assert text in prompt
    assert "Use pdftk" not in prompt
    order = ["The nearest rules.", "Write in short lines.", "Look twice."]
    assert sorted(order, key=prompt.index) == order
    assert offered(request) & {"write_to_file", "execute_command"} == set()
    assert {"read_file", "switch_mode", "run_slash_command"} <= offered(request)


def test_rules_of_one_mode_are_not_those_of_another(project: Path, home: Path):
    put(project, CUSTOM)
    _, (request,) = once(project, home, [], "--trust", "Look.")
    assert "Write in short lines." in system(request)
    assert "Look twice." not in system(request)


def test_nothing_of_an_untrusted_project_acts(project: Path, home: Path):
    put(project, CUSTOM)
    done, (request,) = once(project, home, [], "/review a.py")
    assert ".claude/skills/doc/SKILL.md" in done.stderr
    for text in ("looker", "pdftk", "pdf", "pandoc", "Review a file", "short lines"):
        assert text not in system(request) + said(request).split("<environment")[0]
    assert "run_slash_command" not in offered(request)
    done = run_agent(["run", *MODEL, "--mode", "looker", "Look."], cwd=project, home=home, env=KEY)
    assert done.exit_code == 52
    assert "unknown mode 'looker'" in done.stderr


def test_the_users_own_files_act_without_trust(project: Path, home: Path):
    config = home / "agent/config"
    put(config, {"modes/looker.md": mode("read"), "rules/a.md": "Be brief."})
    put(home, {".agents/skills/pdf/SKILL.md": "---\ndescription: Forms.\n---\nUse pdftk."})
    _, (request,) = once(project, home, [], "--mode", "looker", "Look.")
    for text in ("You only look.", "Be brief.", "`pdf`: Forms."):
        assert text in system(request)


def test_a_users_directory_that_lies_in_the_folder_is_not_theirs(project: Path, home: Path):
    put(project, {"place/config/modes/looker.md": mode("read")})
    done = run_agent(
        ["run", *MODEL, "--mode", "looker", "Look."],
        cwd=project,
        home=home,
        env={**KEY, "AGENT_HOME": str(project / "place")},
    )
    assert "unknown mode" in done.stderr


def test_a_faulty_file_is_told_of(project: Path, home: Path):
    put(home / "agent/config", {"modes/bad.md": "nothing"})
    done, _ = once(project, home, [], "Look.")
    assert done.exit_code == 0
    assert "bad.md has no effect: mode 'bad' cannot be used" in done.stderr


TRY = [
    Call("execute_command", {"command": "touch made"}),
    Call("execute_command", {"command": "echo seen"}),
]


@pytest.mark.parametrize(
    ("kinds", "files"),
    [("read, execute", ""), ("read, write, execute", r"\.md$")],
    ids=["no writing", "some files"],
)
def test_a_mode_that_may_not_write_cannot_write_by_shell_either(
    kinds: str, files: str, project: Path, home: Path
):
    put(home / "agent/config", {"modes/looker.md": mode(kinds, files)})
    done, requests = once(project, home, [Say(calls=TRY)], "--yolo", "--mode", "looker", "Look.")
    assert done.exit_code == 0, done.stderr
    assert not (project / "made").exists()
    assert ("seen" if WALLS else "no sandbox works") in results(requests[1])
    assert "commands can change nothing" in system(requests[0])


def test_a_mode_of_its_own_writes_only_its_files(project: Path, home: Path):
    put(home / "agent/config", {"modes/looker.md": mode("write", r"\.md$")})
    calls = [
        Call("write_to_file", {"path": "a.py", "content": "x\n"}),
        Call("write_to_file", {"path": "a.md", "content": "x\n"}),
        Call("execute_command", {"command": "touch a.py"}),
    ]
    _, requests = once(project, home, [Say(calls=calls)], "-y", "--mode", "looker", "Write.")
    assert not (project / "a.py").exists()
    assert (project / "a.md").exists()
    assert "execute_command in mode looker" in results(requests[1])


def test_a_switch_asks_and_holds_from_the_next_call_on(project: Path, home: Path):
    calls = [
        Call("switch_mode", {"mode_slug": "ask", "reason": "only a question"}),
        Call("write_to_file", {"path": "a.md", "content": "x\n"}),
    ]
    done, requests = once(project, home, [Say(calls=calls)], "--yolo", "Go.")
    assert done.exit_code == 0, done.stderr
    assert "is ask now" in results(requests[1])
    assert "write_to_file in mode ask" in results(requests[1])
    assert not (project / "a.md").exists()
    assert "write_to_file" in offered(requests[0]) - offered(requests[1])
    _, requests = once(project, home, [Say(calls=calls[:1])], "Go.")
    assert "write_to_file" in offered(requests[1])
    assert "is ask now" not in results(requests[1])


def test_a_deny_rule_keeps_the_mode(project: Path, home: Path):
    call = Call("switch_mode", {"mode_slug": "debug"})
    args = ["--yolo", "--disallowed-tools", "switch_mode(debug)", "Go."]
    _, requests = once(project, home, [Say(calls=[call])], *args)
    assert "is debug now" not in results(requests[1])


def test_the_model_fetches_a_skill_and_runs_a_command(project: Path, home: Path):
    put(project, CUSTOM)
    calls = [
        Call("fetch_instructions", {"task": "pdf"}),
        Call("run_slash_command", {"command": "/review", "args": "a.py b.py"}),
    ]
    _, requests = once(project, home, [Say(calls=calls)], "--trust", "Go.")
    assert "Use pdftk." in results(requests[1])
    assert "Review a.py well." in results(requests[1])


def test_a_command_is_the_first_word_of_a_one_shot_prompt(project: Path, home: Path):
    put(project, CUSTOM)
    _, (request,) = once(project, home, [], "--trust", "/review README.md")
    text = said(request)
    assert text.startswith("/review README.md\n\n")
    assert '<command name="review">\nReview README.md well.\n</command>' in text


def test_a_command_works_in_its_mode(project: Path, home: Path):
    put(project, {".agent/commands/plan.md": "---\nmode: architect\n---\nPlan it."})
    _, (request,) = once(project, home, [], "--trust", "/plan")
    assert "`architect`" in system(request).split("These exist")[0]
    assert "architect (Architect)" in said(request)


def test_what_is_mentioned_is_attached_and_the_text_stays(project: Path, home: Path):
    _, (request,) = once(project, home, [], "Explain @README.md please.")
    text = said(request)
    assert text.startswith('Explain @README.md please.\n\n<file_content name="README.md">')
    assert "It adds numbers." in text
    assert text.index("</file_content>") < text.index("<environment_details>")


def test_what_is_piped_in_mentions_nothing(project: Path, home: Path):
    piped = "log: @README.md\n"
    _, (request,) = once(project, home, [], "Explain.", piped=piped)
    assert "log: @README.md" in said(request)
    assert "It adds numbers." not in said(request)
    _, (request,) = once(project, home, [], "-", piped="Explain @README.md")
    assert "It adds numbers." in said(request)


def test_a_session_whose_mode_is_gone_goes_on_in_another(project: Path, home: Path):
    place = home / "agent/config/modes/looker.md"
    put(place.parent, {"looker.md": mode("read")})
    once(project, home, [], "--mode", "looker", "Look.")
    place.unlink()
    done, (request,) = once(project, home, [], "--continue", "Look again.")
    assert "the mode looker is not there any more" in done.stderr
    assert "`code`" in system(request).split("These exist")[0]


@pytest.mark.parametrize(
    ("call", "status", "content"),
    [
        (Call("switch_mode", {"mode_slug": "ask"}), "ok", "is ask now"),
        (Call("switch_mode", {"mode_slug": "none"}), "failed", "no mode 'none'"),
        (Call("fetch_instructions", {"task": "create_mode"}), "ok", "# Creating a mode"),
        (Call("fetch_instructions", {"task": "pdf"}), "ok", "Use pdftk"),
        (Call("fetch_instructions", {}), "failed", "task"),
        (Call("run_slash_command", {"command": "go", "args": "on"}), "ok", "Go on."),
        (Call("run_slash_command", {"command": "stop"}), "failed", "the commands are: go"),
    ],
)
def test_each_tool_runs_by_itself(call: Call, status: str, content: str, project: Path, home: Path):
    put(home / "agent/config", {
        "commands/go.md": "Go $1.",
        "skills/pdf/SKILL.md": "---\ndescription: Forms.\n---\nUse pdftk.",
    })  # fmt: skip
    done = run_agent(["tool", call.name, call.arguments, "--yes"], cwd=project, home=home)
    report = json.loads(done.stdout)
    assert report["status"] == status
    assert content in report["content"]
    assert report["asked"] is (call.name == "switch_mode" and status == "ok")


def test_a_person_types_a_command(project: Path, home: Path):
    put(home / "agent/config", {
        "commands/review.md": "---\nargument-hint: <file>\nmode: looker\n---\nReview $1 well.",
        "commands/help.md": "Never reached.",
        "modes/looker.md": mode("read"),
    })  # fmt: skip
    with ModelServer([Say("I looked.")]) as server:
        terminal = start_agent(MODEL, cwd=project, home=home, server=server)
        for line, shown in [
            ("/help", "/review <file>.*Review"),
            ("/mode", "looker"),
            ("/reviews a.py", "there is no command /reviews"),
            ("/review a.py", "I looked"),
            ("/mode", "mode looker; there are"),
        ]:
            asked(terminal, line, shown)
        leave(terminal)
    assert server.violations == []
    (request,) = server.requests
    assert said(request).startswith("/review a.py\n\n")
    assert "Review a.py well." in said(request)
