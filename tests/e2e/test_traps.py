"""Traps of the specification that took others a repair, in whole sessions; each by its number.

Where a rule is decided in one place, its test stands there and is marked with the number:
`tests/architecture/test_traps.py` knows them all.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.loaded import entries, read
from testbed.one_shot import results, run
from testbed.replies import Call, Delivery, Say
from testbed.wires_by_model import MODELS

from agent_cli.types.entries import AssistantSaid, CallFinished, CallStarted, Entry

READ = Call("read_file", {"files": [{"path": "README.md"}]})
APPEND = Call("execute_command", {"command": "echo again >> log"})
DONE = Call("attempt_completion", {"result": "All done."})
FINISHED = ("attempt_completion", "ok", "finished")
JSON = ("--json",)


def journal(home: Path) -> list[Entry]:
    (path,) = (home / "agent").rglob("*.jsonl")
    return entries(read(path))


@pytest.mark.trap("T-05", "T-06")
@pytest.mark.parametrize("model", MODELS)
def test_t05_t06_a_broken_or_unknown_call_has_one_result_however_it_is_streamed(
    model: str, project: Path, home: Path
):
    broken = [Call("read_file", '{"files": [{'), Call("fly", {"to": "the moon"}), DONE]
    pieces = Delivery(chunk=1, piece=1)
    script = [Say(calls=broken, delivery=pieces), Say(calls=[DONE])]
    done, server = run(script, project, home, *JSON, model=model)
    assert results(done) == [
        ("read_file", "failed", "invalid_arguments"),
        ("fly", "failed", "unknown_tool"),
        ("attempt_completion", "failed", "failed_earlier"),
        FINISHED,
    ]
    assert len(server.requests) == 2


@pytest.mark.trap("T-09")
def test_t09_a_message_is_recorded_before_any_of_its_calls_starts(project: Path, home: Path):
    script = [Say("First.", calls=[READ, APPEND]), Say(calls=[DONE])]
    run(script, project, home)
    kinds = (AssistantSaid, CallStarted, CallFinished)
    told = [type(entry) for entry in journal(home) if isinstance(entry, kinds)]
    call = [CallStarted, CallFinished]
    assert told == [AssistantSaid, *call, *call, AssistantSaid, *call]


@pytest.mark.trap("T-19")
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        pytest.param("", False, id="a server that knows the switch"),
        pytest.param("parallel_tool_calls = false", None, id="one that does not"),
    ],
)
def test_t19_the_switch_for_one_call_is_sent_only_to_who_knows_it(
    settings: str, said: object, project: Path, home: Path
):
    model = "openai-chat/test-model"
    config = home / "agent/config/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[models."{model}"]\n{settings}\n')
    args = ("--no-parallel-tool-calls", *JSON)
    done, server = run([Say(calls=[READ, DONE]), Say(calls=[DONE])], project, home, *args,
                       model=model)  # fmt: skip
    assert server.requests[0].body.get("parallel_tool_calls") is said
    assert results(done)[1] == ("attempt_completion", "skipped", "one_call_per_message")


CUT = '{"path": "new/folder/fi'
WRITTEN = "<write_to_file>\n<path>new/folder/file</path>\n<content>half of"


@pytest.mark.trap("T-23")
@pytest.mark.parametrize(
    ("said", "args"),
    [
        pytest.param(Say(calls=[Call("write_to_file", CUT)], stop="length"), (), id="native"),
        pytest.param(Say(WRITTEN, stop="length"), ("--protocol", "xml"), id="xml"),
    ],
)
def test_t23_a_call_that_was_cut_off_makes_nothing(
    said: Say, args: tuple[str, ...], project: Path, home: Path
):
    ends = "<attempt_completion><result>All done.</result></attempt_completion>"
    last = Say(ends) if args else Say(calls=[DONE])
    done, _ = run([said, last], project, home, *JSON, *args)
    assert results(done) == [("write_to_file", "failed", "cut_off"), FINISHED]
    assert [path.name for path in project.iterdir()] == ["README.md"]


@pytest.mark.trap("T-28")
@pytest.mark.parametrize("model", MODELS)
def test_t28_what_was_streamed_before_a_break_has_not_run(model: str, project: Path, home: Path):
    broken = Say("Well.", calls=[APPEND, READ], delivery=Delivery(unfinished=True))
    script = [broken, Say("Well.", calls=[APPEND]), Say(calls=[DONE])]
    done, server = run(script, project, home, *JSON, model=model)
    assert results(done) == [("execute_command", "ok", None), FINISHED]
    assert (project / "log").read_text() == "again\n"
    assert server.requests[0].raw == server.requests[1].raw


@pytest.mark.trap("T-29")
@pytest.mark.parametrize("model", MODELS)
def test_t29_an_empty_answer_loses_no_result(model: str, project: Path, home: Path):
    script = [Say(calls=[READ]), Say(""), Say(calls=[DONE])]
    done, server = run(script, project, home, *JSON, model=model)
    assert results(done)[-1] == FINISHED
    assert all("It adds numbers." in told(one.body) for one in server.requests[1:])


@pytest.mark.trap("T-31")
@pytest.mark.parametrize("model", MODELS)
def test_t31_an_accepted_completion_has_its_result_when_the_session_goes_on(
    model: str, project: Path, home: Path
):
    run([Say(calls=[DONE])], project, home, model=model)
    done, server = run([Say(calls=[DONE])], project, home, *JSON, "-c", model=model)
    assert results(done) == [FINISHED]
    assert "The task is complete." in told(server.requests[0].body)


@pytest.mark.trap("T-34")
def test_t34_a_native_model_that_writes_xml_is_told_so_and_has_another_chance(
    project: Path, home: Path
):
    written = Say("<read_file>\n<files>README.md</files>\n</read_file>")
    done, server = run([written, Say(calls=[DONE])], project, home, *JSON)
    assert results(done) == [FINISHED]
    assert "has a call of read_file in it" in told(server.requests[1].body)


def told(body: dict[str, Any]) -> str:
    return json.dumps(body)
