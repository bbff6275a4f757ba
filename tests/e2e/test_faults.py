"""Every fault of a model server ends in a finished task or an honest exit status."""

from pathlib import Path

import pytest
from testbed.replies import Call, Close, Delivery, Reply, Say, Status
from testbed.run_agent import run_agent
from testbed.server import ModelServer
from testbed.wires_by_model import MODELS

READ = Call("read_file", {"files": [{"path": "README.md"}]})
DONE = Call("attempt_completion", {"result": "All done."})
GOOD = Say("I look at the file.", calls=[READ])


def faulty(**how: object) -> Say:
    return Say("I look at the file.", calls=[READ], delivery=Delivery(**how))  # type: ignore[arg-type]


RECOVERED: dict[str, Reply] = {
    "429": Status(429, retry_after=0.05),
    "500": Status(500, retry_after=0.05),
    "502 html": Status(502, html=True, retry_after=0.05),
    "503": Status(503, retry_after=0.05),
    "529": Status(529, retry_after=0.05),
    "closed before headers": Close(),
    "reset before headers": Close(reset=True),
    "cut in the middle": faulty(cut_at=200),
    "reset in the middle": faulty(cut_at=200, reset=True),
    "clean end without a terminal event": faulty(unfinished=True),
    "truncated json": faulty(broken=2),
    "overloaded inside the stream": faulty(error_at=2),
    "one byte at a time": faulty(chunk=1),
    "pings and unknown events": faulty(pings=1, unknown=2),
    "crlf": faulty(crlf=True),
    "empty answer": Say(""),
    "cut off by the token limit": Say(calls=[READ.cut(12)], stop="length"),
    "broken arguments": Say(calls=[Call("read_file", '{"files": [')]),
    "unknown tool": Say(calls=[Call("fly", {})]),
    "no id": Say(calls=[Call("read_file", READ.args, id="")]),
    "repeated ids": Say(calls=[Call("read_file", READ.args, id="a")] * 2),
    "a foreign id": Say(calls=[Call("read_file", READ.args, id="ü/ï 1")]),
    "an over-long id": Say(calls=[Call("read_file", READ.args, id="x" * 500)]),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("fault", RECOVERED.values(), ids=RECOVERED.keys())
def test_the_task_is_finished_in_spite_of_it(fault: Reply, model: str, project: Path, home: Path):
    with ModelServer([fault, GOOD, Say(calls=[DONE])]) as server:
        done = run_agent(["run", "-m", model, "Do it."], cwd=project, home=home, server=server)
    assert server.violations == []
    assert (done.exit_code, done.stdout) == (0, "All done.\n"), done.stderr


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("fault", "status"),
    [
        pytest.param(Status(401), 41, id="a refused key"),
        pytest.param(Status(400), 52, id="a refused request"),
        pytest.param(Status(529, retry_after=3600), 75, id="a wait beyond the cap"),
    ],
)
def test_the_exit_status_tells_the_truth(
    fault: Reply, status: int, model: str, project: Path, home: Path
):
    with ModelServer([fault]) as server:
        done = run_agent(["run", "-m", model, "Do it."], cwd=project, home=home, server=server)
    assert done.exit_code == status, done.stderr
    assert "Traceback" not in done.stderr
