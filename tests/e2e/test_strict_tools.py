"""A vendor that holds the model to schemas: what is optional comes as null, and is absent."""

from pathlib import Path

import pytest
from testbed.one_shot import results, run
from testbed.replies import Call, Say

DONE = Say(calls=[Call("attempt_completion", {"result": "All done.", "command": None})])
READ = Call("read_file", {"files": [{"path": "README.md", "line_ranges": None}]})


@pytest.mark.trap("T-18")
@pytest.mark.parametrize("model", ["openai/test-model", "openai-chat/test-model"])
def test_null_stands_for_what_is_absent(model: str, project: Path, home: Path):
    config = home / "agent/config/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[models."{model}"]\nstrict_tools = true\n')
    done, server = run([Say(calls=[READ]), DONE], project, home, "--json", model=model)
    assert results(done) == [("read_file", "ok", None), ("attempt_completion", "ok", "finished")]
    offered = [tool.get("function", tool) for tool in server.requests[0].body["tools"]]
    assert all(tool["strict"] for tool in offered), "the server would refuse what is not"
