"""A65: another upstream is asked when one fails, before the client has seen anything of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.proxied import Proxied, proxied
from testbed.proxy_backup import backed_up
from testbed.proxy_cells import Cell, M, N, W, cells
from testbed.proxy_clients import FINAL, read, repeated, results, user
from testbed.replies import Close, Delivery, Reply, Say, Status
from testbed.server import VALIDATORS, ModelServer

CHAT = Cell(OPENAI_CHAT, stream=False)
THINKING: dict[str, Any] = {
    ANTHROPIC_MESSAGES: {"thinking": {"type": "enabled", "budget_tokens": 1_024}},
    OPENAI_CHAT: {},
    OPENAI_RESPONSES: {},
}
MANY_TOKENS = {ANTHROPIC_MESSAGES: {"max_tokens": 4_000}, OPENAI_CHAT: {}, OPENAI_RESPONSES: {}}


def ask(cell: Cell, proxy: Proxied, history: list[Any], **more: Any) -> Any:
    thinks = THINKING[cell.wire] | MANY_TOKENS[cell.wire]
    body = {**cell.request(history), **thinks, **more}
    got = proxy.ask(cell.path, body)
    assert got.status == 200, got.body
    return read(cell.wire, got.body, stream=cell.stream)


def sent(server: ModelServer, number: int) -> str:
    body = server.requests[number].body
    return json.dumps(body.get("messages") or body["input"])


FAILURES: list[Any] = [
    pytest.param(Status(500, "Broken."), "status_500", id="500"),
    pytest.param(Status(529, "Busy."), "status_529", id="529"),
    pytest.param(Status(429, "Slower.", retry_after=60), "status_429", id="429"),
    pytest.param(Close(), "upstream_unreachable", id="closed"),
    pytest.param(
        Say("Some words", delivery=Delivery(cut_at=10)), "upstream_stream_interrupted", id="cut"
    ),
]


@cells
@pytest.mark.parametrize(("failure", "reason"), FAILURES)
def test_a65_a_round_that_fails_is_asked_of_the_next(
    cell: Cell, failure: Reply, reason: str, tmp_path: Path
):
    first = [Say("On it.", [W]), failure, failure]
    with backed_up(first, [Say("Done.")], tmp_path) as (proxy, backup):
        _, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["crm_update"]
        assert "crm_update" in sent(backup, 0)
        (told,) = proxy.audit("failover")
        rounds = [(one["provider"], one["status"]) for one in proxy.audit("upstream_round")]
    assert answer.text == "On it.\n\nDone."
    assert answer.finish == FINAL[cell.wire]
    assert (told["from"], told["to"], told["round"]) == ("upstream", "backup", 2)
    assert told["reason"] == reason
    assert rounds[0] == ("upstream", 200)
    assert rounds[-1] == ("backup", 200)


@cells
def test_a65_a_call_that_only_passes_is_told_of_wherever_it_went(cell: Cell, tmp_path: Path):
    with backed_up([Status(529, "Busy.")], [Close()], tmp_path) as (proxy, _):
        assert proxy.ask(cell.path, cell.request([user("hi")], tools=())).status == 502
        rounds = [(one["provider"], one["status"]) for one in proxy.audit("upstream_round")]
    assert rounds == [("upstream", 529), ("backup", 502)]


@cells
def test_a65_the_very_first_round_may_fail_as_well(cell: Cell, tmp_path: Path):
    with backed_up([Status(503, "Away.")], [Say("Hello.", [N])], tmp_path) as (proxy, _):
        _, answer = cell.ask(proxy, [user("hi")])
    assert (answer.text, [name for _, name, _ in answer.calls]) == ("Hello.", ["read_file"])


@cells
def test_a65_what_the_client_has_seen_is_not_said_again(cell: Cell, tmp_path: Path):
    cut = Say("Some words that were said.", delivery=Delivery(piece=4, cut_at=900))
    with backed_up([cut], [Say("Others.")], tmp_path) as (proxy, backup):
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        asked = len(backup.requests)
    if cell.stream and b"Some" in got.body:
        assert b"upstream_stream_interrupted" in got.body
        assert asked == 0
    else:
        assert b"Others." in got.body


@cells
@pytest.mark.parametrize("status", [400, 401, 404, 413, 422])
def test_an_error_that_another_would_repeat_goes_to_the_client(
    cell: Cell, status: int, tmp_path: Path
):
    with backed_up([Status(status, "No.")], [], tmp_path) as (proxy, backup):
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        assert backup.requests == []
    assert got.status == status


@cells
def test_when_all_fail_the_first_error_is_told(cell: Cell, tmp_path: Path):
    first, second = [Status(429, "Slower.", retry_after=7)], [Status(500, "Broken.")]
    with backed_up(first, second, tmp_path) as (proxy, _):
        got = proxy.ask(cell.path, cell.request([user("hi")]))
    assert got.status == 429
    assert got.headers["retry-after"] == "7"
    assert "Slower." in got.body.decode()


@cells
def test_a65_foreign_reasoning_is_removed_for_the_other_upstream_alone(cell: Cell, tmp_path: Path):
    first: list[Reply] = [
        Say("On it.", [W], reasoning="Mine alone."),
        Status(500, "Broken."),
    ]
    second: list[Reply] = [Say(calls=[M], reasoning="My own."), Say("Done.")]
    with backed_up(first, second, tmp_path) as (proxy, backup):
        answer = ask(cell, proxy, [user("hi")])
        assert answer.text == "On it.\n\nDone."
        taken, kept = sent(backup, 0), sent(backup, 1)
        dropped = proxy.audit("reasoning_replay_dropped")
        thinking = [one.body.get("thinking", {}).get("type") for one in backup.requests]
    assert "Mine alone." not in taken + kept
    assert "My own." in kept
    assert {one["provider"] for one in dropped} == {"backup"}
    if cell.wire == ANTHROPIC_MESSAGES:
        assert thinking == ["disabled", "enabled"]
        assert [one["thinking_disabled"] for one in dropped] == [True, False]


@cells
def test_a_conversation_stays_where_it_went(cell: Cell, tmp_path: Path):
    first: list[Reply] = [Status(500, "Broken.")]
    second: list[Reply] = [
        Say(calls=[N], reasoning="My own."),
        Say("Done."),
    ]
    with backed_up(first, second, tmp_path) as (proxy, backup):
        answer = ask(cell, proxy, [user("hi")])
        history = [user("hi"), *repeated(cell.wire, answer), *results(cell.wire, answer)]
        ask(cell, proxy, history)
        assert len(proxy.upstream.requests) == 1
        if cell.wire != OPENAI_CHAT or "My own." in json.dumps(history):
            assert "My own." in sent(backup, 1)


def test_it_goes_back_after_a_while_without_what_it_cannot_read(tmp_path: Path):
    cell = Cell(ANTHROPIC_MESSAGES, stream=True)
    first: list[Reply] = [Status(500, "Broken.", retry_after=0.001), Say("Back.")]
    second: list[Reply] = [Say(calls=[N], reasoning="My own.")]
    limits = {"stay": 0.001}
    with backed_up(first, second, tmp_path, limits=limits) as (proxy, _):
        answer = ask(cell, proxy, [user("hi")])
        history = [user("hi"), *repeated(cell.wire, answer), *results(cell.wire, answer)]
        assert ask(cell, proxy, history).text == "Back."
        assert "My own." not in sent(proxy.upstream, 1)
        (dropped,) = proxy.audit("reasoning_replay_dropped")
    assert (dropped["provider"], dropped["thinking_disabled"]) == ("upstream", True)


@cells
def test_a_model_may_have_another_name_elsewhere(cell: Cell, tmp_path: Path):
    names = {"models": {"m": "vendor/m-2"}}
    with backed_up([Status(500)], [Say("Hello.")], tmp_path, names) as (proxy, backup):
        cell.ask(proxy, [user("hi")])
        assert proxy.upstream.requests[0].body["model"] == "m"
        assert backup.requests[0].body["model"] == "vendor/m-2"


@cells
def test_what_is_only_passed_on_fails_over_as_well(cell: Cell, tmp_path: Path):
    off = {"x-agent-proxy-mediation": "off"}
    for folder, failure in (("a", Status(500)), ("b", Close())):
        (tmp_path / folder).mkdir()
        with backed_up([failure], [Say("Hello.")], tmp_path / folder) as (proxy, backup):
            got = proxy.ask(cell.path, cell.request([user("hi")]), off)
            assert backup.requests[0].raw == proxy.upstream.requests[0].raw
        assert got.status == 200
        assert b"Hello." in got.body


def test_one_that_is_alone_is_asked_by_its_own_name_for_the_model(tmp_path: Path):
    upstream = {"models": {"m": "vendor/m-2"}}
    off = {"x-agent-proxy-mediation": "off"}
    with proxied([Say("Hello.")], tmp_path, upstream=upstream) as proxy:
        proxy.ask(CHAT.path, CHAT.request([user("hi")]), off)
        assert proxy.upstream.requests[0].body["model"] == "vendor/m-2"


def test_one_that_has_failed_is_left_alone_for_a_while(tmp_path: Path):
    with backed_up([Status(500)], [Say("One."), Say("Two.")], tmp_path) as (proxy, _):
        for text in ("hi", "something else"):
            CHAT.ask(proxy, [user(text)])
        assert len(proxy.upstream.requests) == 1


def test_a_response_is_gone_on_from_where_it_is_kept(tmp_path: Path):
    cell = Cell(OPENAI_RESPONSES, stream=False)
    second: list[Reply] = [Say(calls=[N]), Status(500, "Broken.")]
    with backed_up([Status(500)], second, tmp_path) as (proxy, backup):
        backup.validators = {**VALIDATORS, OPENAI_RESPONSES: lambda _: []}
        got, answer = cell.ask(proxy, [user("hi")])
        body = cell.request(results(cell.wire, answer), previous_response_id=got.json["id"])
        later = proxy.ask(cell.path, body)
        assert len(backup.requests) == 2
        assert len(proxy.upstream.requests) == 1
    assert later.status == 500


def test_who_does_not_speak_the_dialect_is_not_asked(tmp_path: Path):
    upstream = {"url": "", "messages_url": "http://127.0.0.1:1"}
    with proxied([], tmp_path, upstream=upstream) as proxy:
        got = proxy.ask(CHAT.path, CHAT.request([user("hi")]))
    assert (got.status, got.json["error"]["code"]) == (404, "dialect_not_served")
