"""What goes wrong upstream, in tools and with clients; limits."""

import http.client
import json
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.managed_service import Answered, Held, ToolService, found
from testbed.proxied import proxied, said, tools_of
from testbed.proxy_cells import Cell, M, N, W, cells
from testbed.proxy_clients import BEAT, FINAL, frames, repeated, user
from testbed.replies import Call, Delivery, Reply, Say, Status

CHAT = Cell(OPENAI_CHAT, stream=False)
_WORDS = "response.output_text.delta"


@cells
@pytest.mark.parametrize("status", [400, 401, 404, 413, 422, 429, 529])
def test_a49_an_upstreams_error_comes_as_it_is(cell: Cell, status: int, tmp_path: Path):
    script = [Status(status, "Not like this.", retry_after=7.0)]
    with proxied(script, tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        assert proxy.service.executed == []
    assert (got.status, got.disposition) == (status, "error")
    assert got.json["error"]["message"] == "Not like this."
    assert got.headers["retry-after"] == "7"
    assert ("request_id" in got.json) is (cell.wire == ANTHROPIC_MESSAGES)
    if status == 529 and cell.wire == ANTHROPIC_MESSAGES:
        assert got.json["error"]["type"] == "overloaded_error"


@cells
@pytest.mark.parametrize("words", ["", "On it."], ids=["before words", "after words"])
def test_a50_a_retry_goes_on_from_what_was_executed(cell: Cell, words: str, tmp_path: Path):
    script = [Say(words, [W]), Status(500, "Broken."), Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        _, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["crm_update"]
        assert said(proxy, 1) == said(proxy, 2)
    if cell.stream and words:
        assert b"Broken." in got.body
        last = json.loads(frames(got.body)[-1].data)
        if cell.wire == OPENAI_RESPONSES:
            assert last["type"] == "response.failed"
            assert last["response"]["error"]["code"] == "server_error"
        assert b"[DONE]" not in got.body
    else:
        assert (got.status, got.disposition) == (500, "error")
        assert got.headers["x-should-retry"] == "true"
    assert answer.text == "\n\n".join(filter(None, [words, "Done."]))
    assert answer.finish == FINAL[cell.wire]


@cells
def test_a50_but_not_where_a_retry_would_repeat_it(cell: Cell, tmp_path: Path):
    with proxied([Say(calls=[W]), Status(500, "Broken.")], tmp_path) as proxy:
        off = {"x-agent-proxy-dedupe": "off"}
        got = proxy.ask(cell.path, cell.request([user("hi")]), off)
    assert (got.status, got.headers["x-should-retry"]) == (500, "false")


@cells
def test_a_mixed_answer_that_was_lost_is_given_again(cell: Cell, tmp_path: Path):
    with proxied([Say("Both.", [W, N])], tmp_path) as proxy:
        _, first = cell.ask(proxy, [user("hi")])
        _, second = cell.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["crm_update"]
        assert len(proxy.upstream.requests) == 1
    assert (first.text, first.calls, first.finish) == (second.text, second.calls, second.finish)


@cells
def test_a51_a_short_pause_is_waited_for(cell: Cell, tmp_path: Path):
    script = [Say("Looking.", [M]), Status(429, "Slower.", retry_after=0.3), Say("Done.")]
    with proxied(script, tmp_path, limits={"heartbeat": 0.05}) as proxy:
        got, answer = cell.ask(proxy, [user("hi")])
    assert answer.text == "Looking.\n\nDone."
    if cell.stream:
        assert got.body.count(BEAT[cell.wire]) > 1


@cells
def test_a51_a_long_one_is_the_clients_to_wait_for(cell: Cell, tmp_path: Path):
    script = [Say(calls=[M]), Status(429, "Slower.", retry_after=60)]
    with proxied(script, tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
    assert (got.status, got.headers["retry-after"]) == (429, "60")
    assert got.json["error"]["message"] == "Slower."


@cells
def test_a52_a_stream_that_dies_is_never_ended_cleanly(cell: Cell, tmp_path: Path):
    places = {ANTHROPIC_MESSAGES: 900, OPENAI_CHAT: 900, OPENAI_RESPONSES: 4_000}
    cut = Delivery(piece=4, cut_at=places[cell.wire] if cell.stream else 300)
    broken = Say("Some words that are said, and some more of them.", delivery=cut)
    with proxied([broken, Say("Again.")], tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        asked = len(proxy.upstream.requests)
    if not cell.stream:
        assert (got.status, asked) == (200, 2), "nothing was promised: it is asked for again"
        return
    assert (got.status, asked) == (200, 1)
    assert b"Some" in got.body
    assert b"upstream_stream_interrupted" in got.body
    for end in (b"[DONE]", b"message_stop", b"response.completed"):
        assert end not in got.body
    last = json.loads(frames(got.body)[-1].data)
    kinds = {ANTHROPIC_MESSAGES: "error", OPENAI_RESPONSES: "response.failed"}
    assert last.get("type") == kinds.get(cell.wire)
    if cell.wire == OPENAI_RESPONSES:
        events = [json.loads(one.data) for one in frames(got.body)]
        told = "".join(one["delta"] for one in events if one["type"] == _WORDS)
        (message,) = last["response"]["output"]
        assert (message["type"], message["status"]) == ("message", "incomplete")
        assert [part["text"] for part in message["content"]] == [told]


@cells
def test_a53_a_reply_that_dies_before_anything_is_shown_is_asked_for_again(
    cell: Cell, tmp_path: Path
):
    dies = Say(calls=[M], delivery=Delivery(drop_last=2, unfinished=True, cut_at=700))
    with proxied([dies, Say("Done.")], tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.executed == []
    assert answer.text == "Done."


@cells
def test_a54_a_tool_that_hangs_is_given_up(cell: Cell, tmp_path: Path):
    held = Held()
    limits = {"tool_timeout": 0.2}
    with proxied(
        [Say(calls=[M]), Say("Done.")], tmp_path, ToolService(held), limits=limits
    ) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        held.go_on()
        assert "timeout" in said(proxy, 1)
    assert answer.text == "Done."


@cells
def test_a55_after_the_soft_deadline_the_model_is_told_to_end(cell: Cell, tmp_path: Path):
    def slow(tool: str, arguments: dict[str, Any]) -> Answered:
        time.sleep(0.25)  # the passing of time is what is tested
        return found(tool, arguments)

    calls = [Call("crm_update", {"q": text}) for text in "abc"]
    limits = {"total_timeout": 0.25}
    with proxied(
        [Say(calls=calls), Say("Done.")], tmp_path, ToolService(slow), limits=limits
    ) as proxy:
        got, answer = cell.ask(proxy, [user("hi")])
        assert len(proxy.service.executed) == 1
        assert said(proxy, 1).count("data_may_be_stale") == 2
        assert proxy.upstream.requests[1].body["tool_choice"] in ("none", {"type": "none"})
        (entry,) = proxy.audit("history")
    assert answer.text == "Done."
    assert entry["mediation"]["disposition"] == "finalized"
    statuses = [one["status"] for one in entry["tool_trace"]]
    assert statuses == ["ok", "tool_budget_exhausted", "tool_budget_exhausted"]
    if not cell.stream:
        assert got.headers["x-agent-proxy-managed-calls"] == "1"


@cells
def test_a44_a_tool_that_ends_the_turn_ends_it(cell: Cell, tmp_path: Path):
    with ToolService() as service:
        tools = tools_of(service)
        tools["crm.update"] = replace(tools["crm.update"], ends_turn=True)
        script = [Say("Saving.", [W]), Say("Bye.")]
        with proxied(script, tmp_path, http=tools) as proxy:
            _, answer = cell.ask(proxy, [user("hi")])
            assert len(proxy.upstream.requests) == 1
            history = [user("hi"), *repeated(cell.wire, answer), user("thanks")]
            cell.ask(proxy, history)
            assert "crm_update" in said(proxy, 1)
        assert service.tools == ["crm_update"]
    assert answer.text == "Saving.\n\nDone."
    assert answer.finish == FINAL[cell.wire]


@cells
def test_a56_a_call_with_a_side_effect_is_ended_without_its_client(cell: Cell, tmp_path: Path):
    held = Held()
    script = [Say(calls=[W]), Say(calls=[W]), Say("Done.")]
    with proxied(script, tmp_path, ToolService(held)) as proxy:
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port)
        connection.request("POST", cell.path, msgspec.json.encode(cell.request([user("hi")])))
        proxy.service.wait_for(1)
        connection.close()
        held.go_on()
        _, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["crm_update"]
        gone = proxy.audit("client_disconnect")
    assert answer.text == "Done."
    assert [one["status"] for one in gone] == [499]


@cells
def test_a66_a_repeated_call_is_not_made_again(cell: Cell, tmp_path: Path):
    script: list[Reply] = [Say(calls=[M]), Say(calls=[M]), Say(calls=[M]), Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        assert len(proxy.service.executed) == 1
        assert "duplicate_of_round" in said(proxy, 3)
        assert proxy.upstream.requests[3].body["tool_choice"] in ("none", {"type": "none"})
    assert answer.text == "Done."


@cells
def test_a66_a_volatile_one_is(cell: Cell, tmp_path: Path):
    with ToolService() as service:
        tools = tools_of(service)
        tools["docs.search"] = replace(tools["docs.search"], volatile=True)
        script: list[Reply] = [Say(calls=[M]), Say(calls=[M]), Say("Done.")]
        with proxied(script, tmp_path, http=tools) as proxy:
            cell.ask(proxy, [user("hi")])
        assert len(service.executed) == 2


@cells
def test_a67_the_same_request_twice_at_a_time_executes_once(cell: Cell, tmp_path: Path):
    both = threading.Barrier(2, timeout=20)

    def script(exchange: Any) -> Reply:
        if "crm_update" in json.dumps(exchange.body.get("messages") or exchange.body["input"]):
            return Say("Done.")
        both.wait()
        return Say(calls=[W])

    answers: list[str] = []
    with proxied(script, tmp_path) as proxy:
        threads = [
            threading.Thread(target=lambda: answers.append(cell.ask(proxy, [user("hi")])[1].text))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert proxy.service.tools == ["crm_update"]
    assert answers == ["Done.", "Done."]


@cells
def test_a74_a_redirect_is_not_followed(cell: Cell, tmp_path: Path):
    to = (("location", "http://169.254.169.254/"),)
    service = ToolService(lambda tool, arguments: Answered(302, b"", to))
    with proxied([Say(calls=[M]), Say("Done.")], tmp_path, service) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        told = said(proxy, 1)
        assert len(service.executed) == 1
    assert "request_failed" in told
    assert "169.254" not in told
    assert answer.text == "Done."


@cells
def test_a74_an_argument_cannot_lead_elsewhere(cell: Cell, tmp_path: Path):
    with ToolService() as service:
        tools = tools_of(service)
        search = replace(tools["docs.search"], url=f"{service.url}/notes/{{q}}/end", method="GET")
        calls = [Call("docs_search", {"q": "a b/../c", "n": 7}), Call("docs_search", {"q": ".."})]
        script = [Say(calls=calls), Say("Done.")]
        with proxied(script, tmp_path, http={"docs.search": search}) as proxy:
            cell.ask(proxy, [user("hi")])
            assert "request_build_failed" in said(proxy, 1)
        assert service.begun == ["notes/a%20b%2F..%2Fc/end"]
