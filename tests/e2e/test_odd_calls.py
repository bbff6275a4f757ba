"""Calls as no model should write them: one result each, and the conversation goes on."""

from pathlib import Path

import pytest
from testbed.one_shot import results, run
from testbed.replies import Call, Say
from testbed.wires_by_model import MODELS

READ = Call("read_file", {"files": [{"path": "README.md"}]})
MISSING = Call("read_file", {"files": [{"path": "absent.md"}]})
DONE = Call("attempt_completion", {"result": "All done."})


@pytest.mark.parametrize("name", ["", "functions.read_file", "liés" * 40])
@pytest.mark.parametrize("model", MODELS)
def test_a_name_that_no_wire_takes_back_does_not_end_the_session(
    name: str, model: str, project: Path, home: Path
):
    script = [Say(calls=[Call(name, {}), DONE]), Say(calls=[DONE])]
    done, _ = run(script, project, home, "--json", model=model)
    assert done.exit_code == 0, done.stderr
    assert [result[1:] for result in results(done)] == [
        ("failed", "unknown_tool"),
        ("failed", "failed_earlier"),
        ("ok", "finished"),
    ]


def test_a_model_that_completes_after_a_failure_for_ever_is_stopped(project: Path, home: Path):
    done, server = run([Say(calls=[READ, MISSING, DONE])] * 20, project, home, "--json")
    assert done.exit_code == 3, done.stderr
    assert len(server.requests) == 8
