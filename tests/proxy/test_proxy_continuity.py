"""Hidden rounds in later requests: where they belong, and nowhere else."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import OPENAI_CHAT, OPENAI_RESPONSES
from testbed.managed_service import Answered, ToolService
from testbed.proxied import Got, Proxied, configured, proxied, said, serving
from testbed.proxy_cells import Cell, M, N, cells, messages_cells, responses_cells
from testbed.proxy_clients import Answer, Json, repeated, results, user
from testbed.raw_replies import raw_reply, response
from testbed.replies import Call, Say

from agent_cli.proxy.config import Token

A_SECRET = Call("docs_search", {"q": "alpha"})
B_SECRET = Call("docs_search", {"q": "beta"})
MOON = "9e78b43ea00edcac8299e0cc8df7f6f913078171335f733a21d5d911b6999132"


def prefix_of(proxy: Proxied, number: int) -> bytes:
    """The upstream request's bytes up to the end of its history."""
    raw = proxy.upstream.requests[number].raw
    start = raw.index(b'"input":[' if b'"input":[' in raw else b'"messages":[')
    depth, text = 0, False
    for place in range(start, len(raw)):
        if raw[place : place + 1] == b'"' and raw[place - 1 : place] != b"\\":
            text = not text
        elif not text and raw[place : place + 1] in b"[{":
            depth += 1
        elif not text and raw[place : place + 1] in b"]}":
            depth -= 1
            if not depth:
                return raw[start:place]
    raise AssertionError


@cells
def test_a39_a71_each_request_extends_the_one_before(cell: Cell, tmp_path: Path):
    script = [
        *(Say(f"Step {n}.", [Call("docs_search", {"n": n}), N]) for n in range(4)),
        Say("The end."),
    ]
    with proxied(script, tmp_path) as proxy:
        history: list[Json] = [user("hi")]
        for _ in script:
            _, answer = cell.ask(proxy, history)
            history += [*repeated(cell.wire, answer), *results(cell.wire, answer)]
        assert len(proxy.service.executed) == 4
        prefixes = [prefix_of(proxy, number) for number in range(5)]
    for earlier, later in pairwise(prefixes):
        assert later.startswith(earlier)


@cells
def test_a42_what_one_proxy_kept_another_finds(cell: Cell, tmp_path: Path):
    with proxied([Say(calls=[M, N])], tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
    with proxied([Say("Done.")], tmp_path) as proxy:
        more = [*repeated(cell.wire, answer), *results(cell.wire, answer)]
        cell.ask(proxy, [user("hi"), *more])
        assert "docs_search" in said(proxy, 0)


def finals(cell: Cell, proxy: Proxied, first: str, headers: dict[str, str]) -> Answer:
    """Ask in a conversation that begins with these words."""
    return ask(cell, proxy, [user(first)], headers)[1]


def ask(
    cell: Cell, proxy: Proxied, history: list[Json], headers: dict[str, str]
) -> tuple[Got, Answer]:
    return cell.ask(proxy, history, headers)


@cells
def test_a43_two_conversations_see_their_own_only(cell: Cell, tmp_path: Path):
    script = [
        Say(calls=[A_SECRET]),
        Say("Done."),
        Say(calls=[B_SECRET]),
        Say("Done."),
        Say("x"),
        Say("x"),
    ]
    with proxied(script, tmp_path) as proxy:
        one = finals(cell, proxy, "first", {})
        two = finals(cell, proxy, "second", {})
        ask(cell, proxy, [user("first"), *repeated(cell.wire, one), user("more")], {})
        ask(cell, proxy, [user("second"), *repeated(cell.wire, two), user("more")], {})
        first, second = said(proxy, 4), said(proxy, 5)
    assert ("alpha" in first, "beta" in first) == (True, False)
    assert ("alpha" in second, "beta" in second) == (False, True)


@cells
def test_a43_where_two_could_be_meant_none_is(cell: Cell, tmp_path: Path):
    script = [Say(calls=[A_SECRET]), Say("Done."), Say(calls=[B_SECRET]), Say("Done."), Say("x")]
    with proxied(script, tmp_path) as proxy:
        off = {"x-agent-proxy-dedupe": "off"}
        one = finals(cell, proxy, "hi", off)
        finals(cell, proxy, "hi", off)
        ask(cell, proxy, [user("hi"), *repeated(cell.wire, one), user("more")], {})
        third = said(proxy, 4)
        (missed,) = proxy.audit("continuity_miss")
    assert "alpha" not in third
    assert "beta" not in third
    assert missed["reason"] == "ambiguous"


@cells
def test_a43_the_clients_own_key_tells_them_apart(cell: Cell, tmp_path: Path):
    script = [Say(calls=[A_SECRET]), Say("Done."), Say(calls=[B_SECRET]), Say("Done."), Say("x")]
    with proxied(script, tmp_path) as proxy:
        one = finals(cell, proxy, "hi", {"x-session-id": "s1"})
        finals(cell, proxy, "hi", {"x-session-id": "s2"})
        history = [user("hi"), *repeated(cell.wire, one), user("more")]
        ask(cell, proxy, history, {"x-session-id": "s1"})
        third = said(proxy, 4)
    assert ("alpha" in third, "beta" in third) == (True, False)


def rewritten(cell: Cell, answer: Answer) -> list[Json]:
    """The answer as a client writes it that changes what does not count."""
    made = json.loads(json.dumps(repeated(cell.wire, answer)))
    if cell.wire == OPENAI_RESPONSES:
        for item in made:
            item.pop("id", None)
            item.pop("status", None)
            if "arguments" in item:
                item["arguments"] = '{"path":"a.py"}'
    elif cell.wire == OPENAI_CHAT:
        made[0]["content"] = made[0]["content"] or ""
        for call in made[0].get("tool_calls") or ():
            call["function"]["arguments"] = '{ "path" :"a.py" }'
    else:
        made[0]["content"][-1]["cache_control"] = {"type": "ephemeral"}
    return made


@cells
@pytest.mark.parametrize("calls", [[M, N], [M]], ids=["native", "final"])
def test_a45_a_client_may_write_it_otherwise(cell: Cell, calls: list[Call], tmp_path: Path):
    ends = [] if N in calls else [Say("The end.")]
    script = [Say("Words.", calls), *ends, Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        more = results(cell.wire, answer) if answer.calls else [user("more")]
        cell.ask(proxy, [user("hi"), *rewritten(cell, answer), *more])
        assert "docs_search" in said(proxy, len(script) - 1)


@cells
def test_a46_branches_keep_what_still_belongs_to_them(cell: Cell, tmp_path: Path):
    script = [
        Say(calls=[M]),
        Say("First."),
        Say(calls=[A_SECRET]),
        Say("Second."),
        Say("x"),
        Say("y"),
    ]
    with proxied(script, tmp_path) as proxy:
        _, first = cell.ask(proxy, [user("hi")])
        begun = [user("hi"), *repeated(cell.wire, first)]
        _, second = cell.ask(proxy, [*begun, user("and now?")])
        cell.ask(proxy, [*begun, user("something else")])
        cell.ask(proxy, [*begun, user("and now?"), *repeated(cell.wire, second), user("so")])
        branch, whole = said(proxy, 4), said(proxy, 5)
    assert ("docs_search" in branch, "alpha" in branch) == (True, False)
    assert "alpha" in whole


SUMMARY = user("What was said so far: nothing. Go on.")


@cells
@pytest.mark.parametrize("key", [{"x-session-id": "s"}, {}], ids=["with a key", "without"])
def test_a47_a_summary_instead_of_the_history_is_just_a_history(
    cell: Cell, key: dict[str, str], tmp_path: Path
):
    with proxied([Say(calls=[M]), Say("First."), Say("x"), Say("y")], tmp_path) as proxy:
        cell.ask(proxy, [user("hi")], key)
        got, _ = cell.ask(proxy, [SUMMARY], key)
        cell.ask(proxy, [user("hello")], {"x-session-id": "another"})
        assert "docs_search" not in said(proxy, 2)
        missed = [one["reason"] for one in proxy.audit("continuity_miss")]
    assert missed == ["compacted"] * bool(key)
    if not cell.stream:
        assert got.headers["x-agent-proxy-continuity"] == ("miss:1" if key else "none")


@messages_cells
def test_a47_results_that_the_vendor_clears_are_no_other_history(cell: Cell, tmp_path: Path):
    edits = {"edits": [{"type": "clear_tool_uses_20250919"}]}
    with proxied([Say(calls=[M, N]), Say("x")], tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        cleared = results(cell.wire, answer, "[cleared]")
        history = [user("hi"), *repeated(cell.wire, answer), *cleared]
        cell.ask(proxy, history, context_management=edits)
        assert "docs_search" in said(proxy, 1)
        assert proxy.upstream.requests[1].body["context_management"] == edits


@cells
def test_a48_another_token_sees_nothing(cell: Cell, tmp_path: Path):
    tokens = {"alice": Token(sha256=MOON), "bob": Token(sha256="0" * 64)}
    parts: dict[str, Any] = {"server": {"auth": "tokens"}, "tokens": tokens}
    script = [Say(calls=[M, N]), Say("side"), Say("x")]
    with proxied(script, tmp_path, **parts) as proxy:
        alice = {"authorization": "Bearer moon"}
        _, answer = ask(cell, proxy, [user("hi")], alice)
        side = cell.request([user("a title, please")], tools=())
        assert proxy.ask(cell.path, side, alice).status == 200
        history = [user("hi"), *repeated(cell.wire, answer), *results(cell.wire, answer)]
        ask(cell, proxy, history, alice)
        assert "docs_search" in said(proxy, 2)
    parts = {"server": {"auth": "none"}}
    with proxied([Say("x")], tmp_path, **parts) as proxy:
        ask(cell, proxy, history, {})
        assert "docs_search" not in said(proxy, 0)
        assert [one["reason"] for one in proxy.audit("continuity_miss")] == ["foreign"]


def stored_response(cell: Cell) -> Answered:
    """An upstream that keeps responses, and answers with a managed and a native call."""
    calls = [
        {"type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}{name}", "name": name}
        for n, name in enumerate(["docs_search", "read_file"])
    ]
    output = [{**call, "arguments": "{}", "status": "completed"} for call in calls]
    raw = raw_reply(cell.wire, response(*output), stream=cell.stream)
    return Answered(body=raw.body.encode(), headers=(("content-type", raw.content_type),))


@responses_cells
def test_a_stored_response_is_shown_only_if_nothing_is_hidden_in_it(cell: Cell, tmp_path: Path):
    told = stored_response(cell)
    with ToolService(lambda tool, asked: told) as upstream, ToolService() as service:
        known = Proxied(upstream, service, tmp_path)
        with serving(known, configured(upstream.url, service, tmp_path)) as proxy:
            request = cell.request([user("hi")], tools=["read_file"])
            for headers, shown in ({}, 404), ({"x-agent-proxy-mediation": "off"}, 200):
                assert proxy.ask(cell.path, request, headers).status == 200
                got = proxy.ask("/v1/responses/resp_1", b"", method="GET")
                assert got.status == shown
            proxy.distinct = False  # both answers have the id of a managed call, one passes


@responses_cells
def test_a75_a_chain_of_stored_responses_gets_the_missing_outputs(cell: Cell, tmp_path: Path):
    told = stored_response(cell)
    with ToolService(lambda tool, asked: told) as upstream, ToolService() as service:
        known = Proxied(upstream, service, tmp_path)
        with serving(known, configured(upstream.url, service, tmp_path)) as proxy:
            _, answer = cell.ask(proxy, [user("hi")], store=True)
            ((id_, name, _),) = answer.calls
            output = {"type": "function_call_output", "call_id": id_, "output": "content"}
            cell.ask(proxy, [output], store=True, previous_response_id="resp_1")
            hidden = proxy.ask("/v1/responses/resp_1", b"", method="GET")
        assert service.tools == ["docs_search"] * 2
    assert (id_, name) == ("call_1read_file", "read_file")
    sent = upstream.executed[1].arguments
    assert [one["call_id"] for one in sent["input"]] == ["call_0docs_search", id_]
    assert sent["previous_response_id"] == "resp_1"
    assert (hidden.status, hidden.json["error"]["code"]) == (404, "response_not_found")
