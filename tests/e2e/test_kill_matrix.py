"""kill -9 at any system call of a session that does everything, with and without a power cut.

Each run dies at one call: before it, in the middle of a write, or after it; what was written and
not made durable may be lost, torn or reordered. Then the session is gone on with. A sample runs
with every commit; `-m nightly` runs every call, every moment and every loss.
"""

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from testbed.dying_run import LOSSES, MOMENTS
from testbed.loaded import entries, load, read
from testbed.replies import Call, Reply, Say
from testbed.run_agent import environment, run_agent
from testbed.server import ModelServer

from agent_cli.sessions.verify import verify
from agent_cli.types.entries import AssistantSaid, CallFinished, CallStarted, Entry, TaskFinished
from agent_cli.types.messages import ToolCall

TESTS = Path(__file__).parents[1]
OLD, NEW, NEWER = "old\n" * 300, "new\n" * 300, "newer\n" * 300
SAMPLE = 24
RUN = Call("execute_command", {"command": "echo run >> runs.txt"})


def write(content: str) -> Call:
    return Call("write_to_file", {"path": "file.txt", "content": content})


def done(result: str = "All done.", **command: str) -> Call:
    return Call("attempt_completion", {"result": result, **command})


SCRIPT: list[Reply] = [
    Say("Working.", calls=[Call("read_file", {"files": [{"path": "file.txt"}]}), write(NEW), RUN]),
    Say(calls=[Call("read_file", {"files": [{"path": "absent"}]}), done()]),
    Say(calls=[Call("update_todo_list", {"todos": "[x] one"}),
               Call("new_task", {"mode": "code", "message": "Do a part."}), RUN]),
    Say("In the part.", calls=[write(NEWER), RUN]),
    Say(calls=[done("The part is done.")]),
    Say(calls=[done(command="echo shown >> shown.txt")]),
    Say(calls=[RUN]),
    Say(calls=[done()]),
]  # fmt: skip
TEXTS = ("Do it.", "And more.")
ROWS = {
    "session_create", "session_started", "task_started", "user_said", "assistant_said",
    "call_decided", "call_started", "call_finished", "todos_updated", "task_finished",
}  # fmt: skip
"""After which entries the process must have died at least once in the whole matrix."""


class Death(NamedTuple):
    number: int
    moment: str
    loss: str


def die(death: Death, project: Path, home: Path) -> list[dict[str, Any]]:
    """Run until then; return the bodies of the requests that got out."""
    (project / "file.txt").write_text(OLD)
    with ModelServer(SCRIPT) as server:
        env = environment(home, server)
        env["PYTHONPATH"] += f":{TESTS}"
        arguments = [str(death.number), death.moment, death.loss, *TEXTS]
        ended = subprocess.run(
            [sys.executable, "-m", "testbed.dying_run", *arguments],
            cwd=project,
            env=env,
            capture_output=True,
            timeout=60,
            check=False,
        )
    assert server.violations == []
    assert ended.returncode in (0, -9), ended.stderr.decode()
    return [request.body for request in server.requests]


def told(home: Path) -> tuple[Path, list[Entry]] | None:
    """Return the session, if it had begun: if its first line is whole."""
    paths = [
        path for path in home.glob("agent/data/sessions/*/*.jsonl") if b"\n" in path.read_bytes()
    ]
    if not paths or not load(paths[0].read_bytes()).envelopes:
        return None
    return paths[0], list(entries(read(paths[0])))


def results_in(body: dict[str, Any]) -> Iterator[str]:
    for message in body["messages"]:
        for block in message["content"]:
            if block["type"] == "tool_result":
                yield block["tool_use_id"]


def check(project: Path, home: Path, sent: list[dict[str, Any]]) -> None:
    found = told(home)
    if found is None:
        assert sent == []  # nothing was asked before the session was there
        return
    known = {entry.result.call_id for entry in found[1] if isinstance(entry, CallFinished)}
    for body in sent:  # I11: what the model was told is in the record
        assert known.issuperset(results_in(body))
    with ModelServer([Say(calls=[done()])] * 3) as server:
        again = run_agent(["run", "-y", "-c", "Go on."], cwd=project, home=home, server=server)
    assert server.violations == []
    assert again.exit_code == 0, again.stderr
    after = told(home)
    assert after is not None
    adds_up(after[1])
    nothing_ran_twice(after[1], project)
    assert (project / "file.txt").read_text() in (OLD, NEW, NEWER)
    left = {path.name for path in project.iterdir()}
    assert left <= {"README.md", "file.txt", "runs.txt", "shown.txt"}


def adds_up(story: list[Entry]) -> None:
    report = verify(story)
    assert report.adds_up, report
    assert report.waiting == ()
    assert isinstance(story[-1], TaskFinished)


def nothing_ran_twice(story: list[Entry], project: Path) -> None:
    """I4: a command was started at most as often as the record says."""
    calls: dict[str, ToolCall] = {
        call.id: call
        for entry in story
        if isinstance(entry, AssistantSaid)
        for call in entry.message.calls
    }
    started = Counter(
        calls[entry.call_id].name for entry in story if isinstance(entry, CallStarted)
    )
    runs = project / "runs.txt"
    ran = len(runs.read_text().splitlines()) if runs.exists() else 0
    assert ran <= started["execute_command"]


def live_through(death: Death, project: Path, home: Path) -> str:
    """Die, go on and check; return what was recorded last before."""
    sent = die(death, project, home)
    check(project, home, sent)
    died = home / "died"
    return died.read_text().split()[0] if died.exists() else ""


def calls_of_a_whole_run(project: Path, home: Path) -> int:
    sent = die(Death(10**9, "before", "none"), project, home)
    assert len(sent) == len(SCRIPT)
    return int((home / "calls").read_text())


def sample() -> list[Death]:
    chance = random.Random(5)
    share = [(place + chance.random()) / SAMPLE for place in range(SAMPLE)]
    return [
        Death(int(part * 10**6), chance.choice(MOMENTS), LOSSES[number % len(LOSSES)])
        for number, part in enumerate(share)
    ]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> int:
    project = tmp_path_factory.mktemp("whole")
    return calls_of_a_whole_run(project, tmp_path_factory.mktemp("home"))


@pytest.mark.invariant("I1", "I2", "I4", "I9", "I11", "I13", "F9")
@pytest.mark.parametrize("death", sample(), ids=lambda death: f"{death.moment}-{death.loss}")
def test_a_session_lives_through(death: Death, many: int, project: Path, home: Path):
    """A sample, spread over the whole session; `number` is a millionth part of it here."""
    live_through(death._replace(number=1 + death.number * many // 10**6), project, home)


@pytest.mark.invariant("I1", "I2", "I4", "I9", "I11", "I13", "F9")
@pytest.mark.nightly
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_session_lives_through_everything(moment: str, loss: str, many: int, tmp_path: Path):
    rows = set()
    for number in range(1, many + 1):
        project, home = tmp_path / f"{number}", tmp_path / f"home{number}"
        project.mkdir()
        rows.add(live_through(Death(number, moment, loss), project, home))
    assert rows >= ROWS, json.dumps(sorted(ROWS - rows))
