"""A conversation that is too long for its model loses what its oldest hidden calls have found."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import OPENAI_RESPONSES, Exchange
from testbed.managed_service import Answered, ToolService
from testbed.proxied import ENVIRON, proxied, said
from testbed.proxy_cells import Cell, N, cells
from testbed.proxy_clients import repeated, results, user
from testbed.replies import Call, Raw, Reply, Say, Status

TOO_LONG = Status(400, "This model's maximum context length is 100 tokens.")


def found(tool: str, arguments: dict[str, Any]) -> Answered:
    return Answered(body=json.dumps({"found": arguments["q"] * 400}).encode())


def search(word: str) -> Call:
    return Call("docs_search", {"q": word})


@cells
@pytest.mark.parametrize("mixed", [False, True], ids=["hidden before words", "mixed"])
def test_old_results_are_left_out_for_good(cell: Cell, tmp_path: Path, *, mixed: bool):
    def script(exchange: Exchange) -> Reply:
        text = json.dumps(exchange.body)
        if "oldoldold" in text and "newnewnew" in text:
            return TOO_LONG
        replies = [
            Say("One.", [search("old"), N] if mixed else [search("old")], reasoning="Hm."),
            *([] if mixed else [Say("One is done.")]),
            Say("Two.", [search("new")]),
            Say("Two is done."),
            Say("Two is done."),
            Say("More."),
        ]
        return replies[exchange.number]

    with proxied(script, tmp_path, ToolService(found)) as proxy:
        _, first = cell.ask(proxy, [user("hi")])
        answered = results(cell.wire, first) if mixed else [user("and?")]
        history = [user("hi"), *repeated(cell.wire, first), *answered]
        _, second = cell.ask(proxy, history)
        assert "Two is done." in second.text
        history = [*history, *repeated(cell.wire, second), user("more")]
        cell.ask(proxy, history)
        elided, later = said(proxy, 3 if mixed else 4), said(proxy, 4 if mixed else 5)
        (told,) = proxy.audit("elided")
    assert "oldoldold" not in elided + later
    assert "elided" in elided
    assert later.startswith(elided[:-1][: elided.index("newnewnew")])
    assert told["segments"] == 1


@cells
def test_rounds_of_the_request_itself_can_be_left_out(cell: Cell, tmp_path: Path):
    script: list[Reply] = [
        Say(calls=[search("old")]),
        Say(calls=[search("new")]),
        TOO_LONG,
        Say("Done."),
    ]
    with proxied(script, tmp_path, ToolService(found)) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        last = said(proxy, 3)
        cell_history = [user("hi"), *repeated(cell.wire, answer), user("more")]
        proxy.upstream._script = [*script, Say("More.")]
        cell.ask(proxy, cell_history)
        assert "oldoldold" not in said(proxy, 4)
    assert answer.text == "Done."
    assert "oldoldold" not in last
    assert "newnewnew" in last


@cells
def test_when_that_does_not_help_the_client_gets_the_upstreams_error(cell: Cell, tmp_path: Path):
    script: list[Reply] = [Say(calls=[search("a")]), Say(calls=[search("b")]), TOO_LONG, TOO_LONG]
    with proxied(script, tmp_path, ToolService(found)) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        assert len(proxy.upstream.requests) == 4
    assert got.status == 400
    assert "maximum context length" in got.body.decode()


@cells
def test_without_hidden_results_nothing_is_asked_again(cell: Cell, tmp_path: Path):
    with proxied([TOO_LONG], tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        assert len(proxy.upstream.requests) == 1
    assert got.status == 400


def test_an_event_that_says_so_counts_as_well(tmp_path: Path):
    cell = Cell(OPENAI_RESPONSES, stream=True)
    failed = {
        "type": "response.failed",
        "sequence_number": 0,
        "response": {
            "id": "resp_x",
            "status": "failed",
            "error": {"code": "context_length_exceeded", "message": "Too long."},
        },
    }

    event = Raw(f"event: response.failed\ndata: {json.dumps(failed)}\n\n")
    script: list[Reply] = [
        Say(calls=[search("old")]),
        Say(calls=[search("new")]),
        event,
        Say("Done."),
    ]
    with proxied(script, tmp_path, ToolService(found)) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
    assert answer.text == "Done."


@pytest.mark.parametrize(
    "limits",
    [{"max_segment": 1_200}, {"max_segment": 2_400, "key_env": "CONTINUITY_KEY"}],
    ids=["as it is", "encrypted"],
)
def test_a_segment_that_is_too_large_is_kept_without_its_results(
    limits: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(ENVIRON, "CONTINUITY_KEY", bytes(range(32)).hex())
    cell = Cell(OPENAI_RESPONSES, stream=False)
    with proxied(
        [Say(calls=[search("old")]), Say("Done."), Say("More.")],
        tmp_path,
        ToolService(found),
        continuity=limits,
    ) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        cell.ask(proxy, [user("hi"), *repeated(cell.wire, answer), user("more")])
        later = said(proxy, 2)
    assert "docs_search" in later
    assert "elided" in later
