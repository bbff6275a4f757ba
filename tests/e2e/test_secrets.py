"""Canaries for keys: whatever a run does, no file, output or child process holds one."""

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from testbed.replies import Call, Delivery, Raw, Reply, Say, Status
from testbed.run_agent import Completed, run_agent
from testbed.server import ModelServer
from testbed.wires_by_model import MODELS

ANTHROPIC = "anthropic/test-model"
CANARY = "canary-4f9d1c0e7b62a853"
HEADER = "header-canary-91b07e5d2c"
CORPORATE = "corporate-canary-5d10ab77"
FORMS = [
    form
    for value in (CANARY, HEADER, CORPORATE)
    for form in (
        value,
        quote(value, safe=""),
        value.encode().hex(),
        base64.b64encode(value.encode()).decode().rstrip("=")[:-1],
        base64.b64encode(b"x" + value.encode()).decode()[2:-4],
        base64.b64encode(b"xx" + value.encode()).decode()[3:-4],
    )
]
DONE = Call("attempt_completion", {"result": "All done."})


def command(text: str) -> Call:
    return Call("execute_command", {"command": text})


def settings(home: Path, server: ModelServer) -> None:
    path = home / "agent/config/config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"[providers.corp]\nbase_url = {json.dumps(server.url('openai_chat'))}\n"
        'wire = "openai_chat"\napi_key_env = "CORP"\n'
        f'headers = {{ X-Api-Token = "{HEADER}" }}\n'
    )


def run(
    script: list[Reply], project: Path, home: Path, *args: str, model: str = ANTHROPIC
) -> Completed:
    with ModelServer(script) as server:
        settings(home, server)
        env = {"ANTHROPIC_API_KEY": CANARY, "OPENAI_API_KEY": CANARY, "CORP": CORPORATE}
        done = run_agent(
            ["run", "-y", "-m", model, *args, "Do it."],
            cwd=project, home=home, server=server, env=env,
        )  # fmt: skip
    assert server.violations == []
    for request in server.requests:
        assert not found_in(json.dumps(request.body)), "sent to the model"
    return done


def found_in(text: str) -> list[str]:
    return [form for form in FORMS if form in text]


def kept(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and path.name != "config.toml")


def assert_clean(done: Completed, *folders: Path) -> None:
    assert not found_in(done.stdout)
    assert not found_in(done.stderr)
    for path in (path for folder in folders for path in kept(folder)):
        assert not found_in(path.read_bytes().decode("utf-8", "replace")), path


LEAKS = [
    pytest.param("env; cat /proc/self/environ; tr '\\0' '\\n' < /proc/$PPID/environ", id="environ"),
    pytest.param("ps axwwe; ps axww", id="ps"),
    pytest.param(
        f"where={{config}}; cat $where; printf 'x{CANARY}y'", id="a file that holds a key"
    ),
    pytest.param(f"printf {CANARY} | base64; printf 'x%s' {CANARY} | base64", id="base64"),
    pytest.param(f"printf {CANARY[:9]}; sleep 0.1; printf {CANARY[9:]}", id="in two pieces"),
]


@pytest.mark.invariant("S1")
@pytest.mark.parametrize("output", ["text", "json", "stream-json"])
@pytest.mark.parametrize("leak", LEAKS)
def test_what_a_command_prints(leak: str, output: str, project: Path, home: Path):
    config = home / "agent/config/config.toml"
    script = [Say(calls=[command(leak.replace("{config}", str(config)))]), Say(calls=[DONE])]
    done = run(script, project, home, "--output-format", output)
    assert done.exit_code == 0, done.stderr
    assert_clean(done, home, project)


@pytest.mark.invariant("S1")
@pytest.mark.parametrize("model", [*MODELS, "corp/some-model"])
def test_what_a_model_says_in_any_pieces(model: str, project: Path, home: Path):
    one = Delivery(chunk=1)
    script = [Say(f"The key is {CANARY}, {HEADER}.", calls=[DONE], delivery=one)]
    done = run(script, project, home, "--output-format", "stream-json", model=model)
    assert done.exit_code == 0, done.stderr
    assert "[secret removed]" in done.stdout
    assert_clean(done, home, project)


def test_a_variable_that_the_settings_name_is_no_commands(project: Path, home: Path):
    script = [Say(calls=[command("env > env.txt")]), Say(calls=[DONE])]
    done = run(script, project, home, model="corp/some-model")
    assert done.exit_code == 0, done.stderr
    assert "CORP" not in (project / "env.txt").read_text()
    assert_clean(done, home, project)


def test_what_the_user_says_is_kept_without_it(project: Path, home: Path):
    done = run([Say(calls=[DONE])], project, home, f"My key is {CANARY}.")
    assert done.exit_code == 0, done.stderr
    assert_clean(done, home, project)


def test_what_a_recording_keeps(project: Path, home: Path):
    script = [Say("Hello.", calls=[command("env")]), Say(calls=[DONE])]
    done = run(script, project, home, "--record", str(project / "run.jsonl"))
    assert done.exit_code == 0, done.stderr
    assert_clean(done, home, project)


@pytest.mark.parametrize("pieces", [0, 1, 7])
@pytest.mark.parametrize("model", [*MODELS, "corp/some-model"])
def test_a_recording_of_a_model_that_says_it(model: str, pieces: int, project: Path, home: Path):
    said = f"The key is {CANARY}, or {CORPORATE}: {base64.b64encode(CANARY.encode()).decode()}!"
    calls = [Call("execute_command", {"command": f"true {CANARY}"})]
    script = [Say(said, calls=calls, delivery=Delivery(piece=pieces)), Say(calls=[DONE])]
    record = str(project / "run.jsonl")
    done = run(script, project, home, "--record", record, model=model)
    assert done.exit_code == 0, done.stderr
    assert_clean(done, home, project)
    assert Path(record).read_text().count('"request"') == 2


ECHOES = {
    "an error": Status(400, f"bad key {CANARY} {HEADER}"),
    "an error in the stream": Raw(
        f'event: error\ndata: {{"type":"error","error":{{"type":"api_error",'
        f'"message":"{CANARY} {HEADER}"}}}}\n\n'
    ),
    "a page": Status(502, f"{CANARY} {HEADER}", html=True),
    "an address": Status(307, "", headers={"location": f"http://127.0.0.1:9/?key={CANARY}"}),
}


@pytest.mark.invariant("S1")
@pytest.mark.parametrize("transport", ["direct", "sdk"])
@pytest.mark.parametrize("model", [ANTHROPIC, "corp/some-model"])
@pytest.mark.parametrize("echo", ECHOES)
def test_a_server_that_sends_it_back(
    echo: str, model: str, transport: str, project: Path, home: Path
):
    env = {"ANTHROPIC_API_KEY": CANARY, "CORP": CORPORATE, "AGENT_RETRY_ATTEMPTS": "1"}
    env |= {"ANTHROPIC_LOG": "debug", "OPENAI_LOG": "debug"}
    with ModelServer([ECHOES[echo]]) as server:
        settings(home, server)
        args = ["run", "-m", model, "--transport", transport, "--record", "run.jsonl", "Do it."]
        done = run_agent(args, cwd=project, home=home, server=server, env=env)
    assert done.exit_code != 0
    assert len(server.requests) == 1
    assert_clean(done, home, project)


def test_reports_name_no_key(project: Path, home: Path):
    run([Say(calls=[DONE])], project, home)
    env = {"ANTHROPIC_API_KEY": CANARY, "CORP": CORPORATE, "PATH": os.environ["PATH"]}
    for args in (["doctor"], ["models"], ["sessions"], ["verify"], ["tool", "list_files", "{}"]):
        assert_clean(run_agent(args, cwd=project, home=home, env=env), home, project)
