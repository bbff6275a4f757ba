"""Calls in XML, through the whole product."""

from pathlib import Path

from testbed.one_shot import results, run
from testbed.replies import Say

XML = ("--json", "--protocol", "xml")
DONE = Say("<attempt_completion>\n<result>All done.</result>\n</attempt_completion>")
FINISHED = ("attempt_completion", "ok", "finished")


def test_a_call_that_the_mode_forbids_is_refused_as_one(project: Path, home: Path):
    script = [Say("<write_to_file><path>a</path><content>b</content></write_to_file>"), DONE]
    done, server = run(script, project, home, *XML, "--mode", "ask")
    assert results(done) == [("write_to_file", "failed", "forbidden"), FINISHED]
    assert "## write_to_file" not in str(server.requests[0].body)
    assert not (project / "a").exists()
