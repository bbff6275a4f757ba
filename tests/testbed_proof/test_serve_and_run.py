"""The server as a process of its own, its speed, and the product as a child process."""

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from testbed import run_agent as running
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, WIRES
from testbed.replies import Call, Close, Delivery, Hang, Raw, Say, Status
from testbed.run_agent import environment, run_agent, start_agent, start_process
from testbed.server import ModelServer

SERVE = Path(running.__file__).with_name("serve.py")
QUESTION = {"model": "m", "messages": [{"role": "user", "content": "Hello"}], "stream": True}
LENGTH = 5_000_000


@contextmanager
def serving(script: Path, *flags: str) -> Generator[tuple[int, "subprocess.Popen[bytes]"]]:
    command = [sys.executable, str(SERVE), str(script), *flags]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdout
        yield int(process.stdout.readline()), process
        process.communicate()


def post(port: int, path: str, content: dict[str, Any]) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", path, json.dumps(content))
    answer = connection.getresponse().read()
    connection.close()
    return answer


def write(path: Path, *replies: Any) -> Path:
    path.write_bytes(msgspec.json.encode(replies))
    return path


def test_every_reply_can_be_written_in_a_file(tmp_path: Path):
    replies = [
        Say("Hi", [Call("a", {"b": 1}), Call("c", '{"cut')], delivery=Delivery(cut_at=3)),
        Status(429, retry_after=1.5),
        Close(reset=True),
        Hang(),
        Raw("x"),
    ]
    script = write(tmp_path / "script.json", *replies)
    types = Say | Status | Close | Hang | Raw
    read = msgspec.json.decode(script.read_bytes(), type=list[types])
    assert msgspec.json.encode(read) == script.read_bytes()


def test_a_script_in_a_file_is_served_and_violations_are_told_at_the_end(tmp_path: Path):
    script = tmp_path / "script.json"
    script.write_text('[{"type": "say", "text": "From a file."}]')
    with serving(script) as (port, process):
        whole = QUESTION | {"stream": False}
        assert b"From a file." in post(port, "/chat/completions", whole)
        assert b"no answer for request 1" in post(port, "/chat/completions", whole)
    assert process.returncode == 1


def test_a_script_can_be_repeated(tmp_path: Path):
    script = write(tmp_path / "script.json", Say("One."), Say("Two."))
    with serving(script, "--repeat") as (port, process):
        whole = QUESTION | {"stream": False}
        answers = [json.loads(post(port, "/chat/completions", whole)) for _ in range(3)]
    said = [answer["choices"][0]["message"]["content"] for answer in answers]
    assert said == ["One.", "Two.", "One."]
    assert process.returncode == 0


LARGE = [
    pytest.param(Say("x" * LENGTH, delivery=Delivery(piece=50)), LENGTH // 50, id="5 MB of text"),
    pytest.param(Say(calls=[Call("read_file", {"path": "a.py"})] * 1000), 1000, id="1000 calls"),
]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("say", "events"), LARGE)
def test_large_answers_cost_little(wire: str, say: Say, events: int):
    asked: dict[str, Any] = dict(QUESTION)
    path = "/v1/chat/completions"
    if wire == ANTHROPIC_MESSAGES:
        asked["max_tokens"], path = 100, "/v1/messages"
    elif wire != OPENAI_CHAT:
        asked["input"], path = asked.pop("messages"), "/v1/responses"
    with ModelServer([say]) as server:
        start = time.process_time()
        answer = post(server.port, path, asked)
        spent = time.process_time() - start
    assert answer.count(b"data: ") >= events
    assert spent < 5


def test_the_child_sees_a_home_of_its_own_and_none_of_our_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "real")
    monkeypatch.setenv("HTTPS_PROXY", "http://elsewhere")
    with ModelServer([]) as server:
        child = environment(tmp_path / "home", server, {"MORE": "1"})
        assert child["ANTHROPIC_BASE_URL"] == server.url(ANTHROPIC_MESSAGES)
    assert child["OPENAI_BASE_URL"] == f"{child['ANTHROPIC_BASE_URL']}/v1"
    assert "real" not in child.values()
    assert "HTTPS_PROXY" not in child
    assert child["MORE"] == "1"
    assert "OPENAI_API_KEY" not in environment(tmp_path / "home", None)


def test_the_product_runs_as_a_child_on_pipes_in_a_terminal_and_to_be_killed(tmp_path: Path):
    places: dict[str, Any] = {"cwd": tmp_path, "home": tmp_path / "home"}
    done = run_agent(["--version"], **places)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.strip()

    terminal = start_agent(["--version"], **places)
    terminal.expect_exact(done.stdout.strip())
    terminal.wait()
    terminal.close()
    assert terminal.exitstatus == 0

    with start_process(["--version"], **places) as process:
        process.kill()
        process.communicate()
    assert process.returncode in {0, -9}
