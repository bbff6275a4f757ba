"""list_code_definition_names and codebase_search, through the whole product."""

import json
from pathlib import Path

import pytest
from testbed.one_shot import results, run
from testbed.replies import Call, Say
from testbed.run_agent import run_agent

XML = ("--json", "--protocol", "xml")
DONE = Call("attempt_completion", {"result": "All done."})
FINISHED = ("attempt_completion", "ok", "finished")
DEFINITIONS = "list_code_definition_names"
SOURCE = "def transfer_money():\n    one = 1\n    two = 2\n    return one + two\n"

WORKS = [
    pytest.param(DEFINITIONS, {"path": "bank.py"}, "1--4 | def transfer_money():", id="a file"),
    pytest.param(DEFINITIONS, {"path": "."}, "# bank.py", id="a directory"),
    pytest.param("codebase_search", {"query": "money transfer"}, "Lines: 1-5", id="a search"),
    pytest.param("codebase_search", {"query": "money", "path": "."}, "File path: bank.py", id="in"),
]
FAILS = [
    pytest.param(DEFINITIONS, {}, "invalid_arguments", id="no path"),
    pytest.param(DEFINITIONS, {"path": "gone"}, None, id="nothing at the path"),
    pytest.param(DEFINITIONS, {"path": "data.bin"}, "invalid_arguments", id="no source"),
    pytest.param(DEFINITIONS, {"path": "no.py"}, "blocked_path", id="a refused file"),
    pytest.param("codebase_search", {}, "invalid_arguments", id="no query"),
    pytest.param("codebase_search", {"query": "?!"}, "invalid_arguments", id="no word"),
    pytest.param("codebase_search", {"query": "a", "path": "gone"}, None, id="no such part"),
    pytest.param("codebase_search", {"query": "a", "path": "no.py"}, "blocked_path", id="refused"),
]


@pytest.fixture
def bank(project: Path) -> Path:
    (project / "bank.py").write_text(SOURCE)
    (project / "no.py").write_text("money = 1\n")
    (project / "data.bin").write_bytes(b"\0")
    (project / ".agentignore").write_text("no.py\n")
    return project


def in_xml(name: str, arguments: dict[str, str]) -> Say:
    inner = "".join(f"<{key}>{value}</{key}>\n" for key, value in arguments.items())
    return Say(f"<{name}>\n{inner}</{name}>")


XML_DONE = in_xml("attempt_completion", {"result": "All done."})


@pytest.mark.parametrize(("name", "arguments", "says"), WORKS)
def test_the_model_gets_what_it_asked_for(
    name: str, arguments: dict[str, str], says: str, bank: Path, home: Path
):
    script = [Say(calls=[Call(name, arguments)]), Say(calls=[DONE])]
    done, server = run(script, bank, home, "--json")
    assert results(done) == [(name, "ok", None), FINISHED]
    assert says in str(server.requests[1].body["messages"][-1])


@pytest.mark.parametrize(("name", "arguments", "says"), WORKS)
def test_it_works_in_xml(name: str, arguments: dict[str, str], says: str, bank: Path, home: Path):
    done, server = run([in_xml(name, arguments), XML_DONE], bank, home, *XML)
    assert results(done) == [(name, "ok", None), FINISHED]
    assert says in str(server.requests[1].body["messages"][-1])


@pytest.mark.parametrize(("name", "arguments", "code"), FAILS)
def test_a_failure_blocks_a_completion_in_its_turn(
    name: str, arguments: dict[str, str], code: str | None, bank: Path, home: Path
):
    script = [Say(calls=[Call(name, arguments), DONE]), Say(calls=[DONE])]
    done, _ = run(script, bank, home, "--json")
    refused = ("attempt_completion", "failed", "failed_earlier")
    assert results(done) == [(name, "failed", code), refused, FINISHED]


@pytest.mark.parametrize(("name", "arguments", "code"), FAILS)
def test_a_failure_in_xml_is_told(
    name: str, arguments: dict[str, str], code: str | None, bank: Path, home: Path
):
    done, _ = run([in_xml(name, arguments), XML_DONE], bank, home, *XML)
    assert results(done) == [(name, "failed", code), FINISHED]


@pytest.mark.parametrize(("name", "arguments", "says"), WORKS)
def test_a_program_can_use_it(
    name: str, arguments: dict[str, str], says: str, bank: Path, home: Path
):
    done = run_agent(["tool", name, json.dumps(arguments)], cwd=bank, home=home)
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["status"], found["asked"]) == ("ok", False)
    assert says in found["content"]


def test_what_cannot_be_indexed_is_an_error(bank: Path, home: Path):
    cache = home / "agent" / "cache"
    cache.mkdir(parents=True)
    (cache / "index").touch()
    done = run_agent(["tool", "codebase_search", '{"query":"money"}'], cwd=bank, home=home)
    assert json.loads(done.stdout)["status"] == "failed"
    assert "cannot be used" in json.loads(done.stdout)["content"]
