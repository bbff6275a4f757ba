"""`agent tool`: one call through everything that a model's call goes through."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from testbed.run_agent import Completed, run_agent, start_process

READ = ["read_file", '{"files":[{"path":"README.md"}]}']
WRITE = ["write_to_file", '{"path":"new.txt","content":"hello\\n"}']
OUTSIDE = ["read_file", '{"files":[{"path":"../secret.txt"}]}']
IGNORED = ["read_file", '{"files":[{"path":"hidden.txt"}]}']
QUESTION = ["ask_followup_question", '{"question":"Which?","follow_up":[{"text":"This."}]}']


def configure(home: Path, text: str) -> None:
    config = home / "agent/config/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(text)


def tool(args: list[str], project: Path, home: Path) -> Completed:
    return run_agent(["tool", *args], cwd=project, home=home)


def report(done: Completed) -> dict[str, Any]:
    """Return the one object, alone on standard output, in printable ASCII."""
    text, end, rest = done.stdout.partition("\n")
    assert (end, rest) == ("\n", "")
    assert text.isascii()
    assert text.isprintable()
    found = json.loads(text)
    assert list(found) == ["status", "asked", "content"]
    return found


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


@pytest.fixture
def prepared(project: Path, home: Path) -> Path:
    (project.parent / "secret.txt").write_text("the secret\n")
    (project / "hidden.txt").write_text("the secret\n")
    (project / ".agentignore").write_text("hidden.txt\nä.txt\n")
    (project / "ä.txt").write_text("the secret\n")
    home.mkdir()
    return project


@pytest.mark.parametrize(
    ("args", "settings", "expected"),
    [
        pytest.param(READ, "", ("ok", False, 0), id="reading"),
        pytest.param(WRITE, "", ("denied", True, 4), id="nobody to ask"),
        pytest.param([*WRITE, "--no"], "", ("rejected", True, 4), id="declined"),
        pytest.param([*WRITE, "--yes"], "", ("ok", True, 0), id="approved"),
        pytest.param(WRITE, 'approval.write="allow"', ("ok", False, 0), id="allowed"),
        pytest.param(
            ["write_to_file", '{"path":".envrc","content":"x"}'],
            'approval.write="allow"',
            ("denied", True, 4),
            id="a protected name",
        ),
        pytest.param([*WRITE, "--yes"], 'approval.write="deny"', ("denied", False, 4), id="a kind"),
        pytest.param(
            [*READ, "--yes"], 'approval.rules.deny=["read_file"]', ("denied", False, 4), id="a rule"
        ),
        pytest.param([*WRITE, "--yes"], 'mode="ask"', ("failed", False, 3), id="a mode"),
        pytest.param(OUTSIDE, "", ("denied", True, 4), id="outside, and nobody to ask"),
        pytest.param([*OUTSIDE, "--no"], "", ("rejected", True, 4), id="outside, declined"),
        pytest.param([*OUTSIDE, "--yes"], "", ("ok", True, 0), id="outside, approved"),
        pytest.param([*OUTSIDE, "--add-dir", ".."], "", ("ok", False, 0), id="in an added root"),
        pytest.param([*IGNORED, "--yes"], "", ("failed", False, 3), id="an ignored file"),
        pytest.param(["fly", "{}"], "", ("failed", False, 3), id="an unknown tool"),
        pytest.param(["read_file", "{"], "", ("failed", False, 3), id="no JSON"),
        pytest.param(["read_file", '{"x":1}'], "", ("failed", False, 3), id="wrong arguments"),
        pytest.param(QUESTION, "", ("failed", False, 3), id="a question"),
        pytest.param(["attempt_completion", '{"result":"x"}'], "", ("ok", False, 0), id="the end"),
        pytest.param(["update_todo_list", '{"todos":"[ ] x"}'], "", ("ok", False, 0), id="a list"),
    ],
)
def test_a_call_has_one_outcome(
    args: list[str], settings: str, expected: tuple[str, bool, int], prepared: Path, home: Path
):
    configure(home, settings)
    before = tree(prepared), tree(home)
    done = tool(args, prepared, home)
    found = report(done)
    status, _, _ = expected
    assert (found["status"], found["asked"], done.exit_code) == expected
    assert ("the secret" in done.stdout) == (args[:2] == OUTSIDE and status == "ok")
    after = tree(prepared), tree(home)
    if args[0] == "write_to_file" and status == "ok":
        assert after[0].pop("new.txt") == b"hello\n"
    assert after == before


@pytest.mark.parametrize("path", ["pipe", "/dev/zero", "/dev/tty"])
def test_special_files_are_refused_without_a_question(path: str, project: Path, home: Path):
    os.mkfifo(project / "pipe")
    for args in (
        ["read_file", f'{{"files":[{{"path":"{path}"}}]}}'],
        ["list_files", f'{{"path":"{path}"}}'],
    ):
        found = report(tool([*args, "--yes"], project, home))
        assert (found["status"], found["asked"]) == ("failed", False)


@pytest.mark.parametrize("name", ["ä.txt", "\udcc3\udca4.txt", r"\udcc3\udca4.txt"])
def test_no_spelling_hides_an_ignored_name(name: str, prepared: Path, home: Path):
    found = report(
        tool(["read_file", f'{{"files":[{{"path":"{name}"}}]}}', "--yes"], prepared, home)
    )
    assert (found["status"], found["asked"]) == ("failed", False)


@pytest.mark.parametrize("name", ["caf\udce9", r"caf\udce9"], ids=["a byte", "an escape"])
def test_a_name_that_is_not_text_is_passed_and_shown(name: str, project: Path, home: Path):
    args = ["write_to_file", f'{{"path":"{name}","content":"x"}}', "--yes"]
    assert report(tool(args, project, home))["status"] == "ok"
    assert (project / "caf\udce9").read_text() == "x"
    listed = report(tool(["list_files", '{"path":"."}'], project, home))
    assert listed["content"].split("\n") == ["caf\udce9", "README.md"]
    read = report(tool(["read_file", f'{{"files":[{{"path":"{name}"}}]}}'], project, home))
    assert read["content"].startswith("File: caf\udce9\n")


@pytest.mark.parametrize("text", [r"\ud800", r"\udc00"])
def test_half_a_character_is_no_argument(text: str, project: Path, home: Path):
    args = ["write_to_file", f'{{"path":"{text}","content":"x"}}', "--yes"]
    assert report(tool(args, project, home))["status"] == "failed"


def test_an_image_comes_in_blocks(project: Path, home: Path):
    (project / "x.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 20)
    found = report(tool(["read_file", '{"files":[{"path":"x.png"}]}'], project, home))
    assert [block["type"] for block in found["content"]] == ["text", "image"]


@pytest.mark.parametrize("flag", ["--yes", "--no"])
def test_text_shows_card_and_result_whole(flag: str, project: Path, home: Path):
    long = "\tx" * 500
    lines = "\n".join(f"{number} {long}" for number in range(50))
    args = ["write_to_file", json.dumps({"path": "new.txt", "content": lines}), flag]
    done = tool([*args, "--format", "text"], project, home)
    for number in range(50):
        assert f"+{number} {long}\n" in done.stdout
    assert "y approves" in done.stdout
    assert ("created new.txt" in done.stdout) == (flag == "--yes")
    assert "\x1b" not in done.stdout


def test_text_shows_no_control_character(project: Path, home: Path):
    (project / "README.md").write_text("a\x1b]0;title\x07b\r\nc\u202ed\n")
    done = tool([*READ, "--format", "text"], project, home)
    assert "a␛]0;title␇b\n" in done.stdout
    assert "c<U+202E>d\n" in done.stdout


def test_text_tells_of_failures_lists_and_ends(project: Path, home: Path):
    failed = tool(["fly", "{}", "--format", "text"], project, home)
    assert failed.stdout.startswith("✗ fly {}: failed (unknown_tool)\n")
    listed = tool(["update_todo_list", '{"todos":"[x] done"}', "--format", "text"], project, home)
    assert "  [x] done\n" in listed.stdout
    completion = '{"result":"All is well.","command":"true"}'
    ended = tool(["attempt_completion", completion, "--format", "text", "--no"], project, home)
    assert "All is well.\n$ true\n" in ended.stdout
    asked = tool([*QUESTION, "--format", "text"], project, home)
    assert "Which?\n  1. This.\n" in asked.stdout


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["read_file"], "ARGS_JSON"),
        ([*READ, "--yes", "--no"], "contradict"),
        ([*READ, "--format", "xml"], "xml"),
        ([*READ, "-C", "/absent"], "/absent"),
        ([*READ, "--add-dir", "README.md"], "README.md"),
        ([*READ, "--add-dir", "absent"], "absent"),
    ],
)
def test_wrong_use_is_told_and_prints_nothing(
    args: list[str], says: str, project: Path, home: Path
):
    done = tool(args, project, home)
    assert (done.exit_code, done.stdout) == (2, "")
    assert says in done.stderr


def test_another_directory_can_be_the_workspace(project: Path, home: Path):
    found = report(tool([*READ, "-C", str(project)], project.parent, home))
    assert "It adds numbers." in found["content"]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_call_with_an_outcome(
    number: signal.Signals, status: int, project: Path, home: Path
):
    (project / "go.sh").write_text("touch started; sleep 60\n")
    args = ["tool", "execute_command", '{"command":"sh go.sh"}', "--yes"]
    with start_process(args, cwd=project, home=home) as child:
        while not (project / "started").exists():
            assert child.poll() is None
        child.send_signal(number)
        output, _ = child.communicate(timeout=30)
    assert child.returncode == status
    found = json.loads(output)
    assert (found["status"], found["asked"]) == ("unknown", True)
