"""Hidden rounds: what the model is shown of them, how calls run, and when they end."""

import json
import time
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.managed_service import Answered, ToolService, found
from testbed.proxied import Proxied, history_of, proxied
from testbed.proxy_cells import Cell, M, W, cells, stream_cells
from testbed.proxy_clients import FINAL, frames, user, whole
from testbed.replies import Call, Say
from testbed.servers import BARE

Z = Call("docs_search", {"q": "zeta"})


def results_in(cell: Cell, proxy: Proxied, number: int) -> list[Any]:
    """What the model reads as results, in order."""
    history = history_of(proxy, number)
    if cell.wire == OPENAI_CHAT:
        return [one["content"] for one in history if one["role"] == "tool"]
    if cell.wire == OPENAI_RESPONSES:
        return [one["output"] for one in history if one.get("type") == "function_call_output"]
    blocks = [block for one in history if one["role"] == "user" for block in _blocks(one)]
    return [block["content"] for block in blocks if block["type"] == "tool_result"]


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return content if isinstance(content, list) else []


@cells
def test_a15_a_managed_call_is_executed_in_a_hidden_round(cell: Cell, tmp_path: Path):
    script = [Say("Hm.", [M], reasoning="Let me see."), Say("Found it.")]
    with proxied(script, tmp_path) as proxy:
        got, answer = cell.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["docs_search"]
        first, second = (history_of(proxy, number) for number in range(2))
        (entry,) = proxy.audit("history")
    assert (answer.text, answer.calls) == ("Hm.\n\nFound it.", [])
    assert answer.finish == FINAL[cell.wire]
    assert [one["name"] for one in entry["tool_trace"]] == ["docs.search"]
    assert second[: len(first)] == first
    _is_one_round(cell, second[len(first) :])
    if not cell.stream:
        assert got.headers["x-agent-proxy-rounds"] == "2"
        assert got.headers["x-agent-proxy-managed-calls"] == "1"
        assert got.disposition == "final"
        assert got.headers["x-agent-proxy-continuity"] == "stored"


def _is_one_round(cell: Cell, hidden: list[dict[str, Any]]) -> None:
    if cell.wire == OPENAI_CHAT:
        said, result = hidden
        assert (said["role"], said["content"], result["role"]) == ("assistant", "Hm.", "tool")
        assert [one["id"] for one in said["tool_calls"]] == [result["tool_call_id"]]
    elif cell.wire == OPENAI_RESPONSES:
        kinds = [one["type"] for one in hidden]
        assert kinds == ["reasoning", "message", "function_call", "function_call_output"]
        assert hidden[2]["call_id"] == hidden[3]["call_id"]
    else:
        said, told = hidden
        assert [one["type"] for one in said["content"]] == ["thinking", "text", "tool_use"]
        assert [one["type"] for one in told["content"]] == ["tool_result"]
        assert told["content"][0]["tool_use_id"] == said["content"][2]["id"]


@cells
def test_a16_calls_that_only_read_run_together(cell: Cell, tmp_path: Path):
    both = Barrier(2, timeout=20)

    def together(tool: str, arguments: dict[str, Any]) -> Answered:
        both.wait()  # neither ends before the other has begun
        return found(tool, arguments)

    with proxied([Say(calls=[M, Z]), Say("Done.")], tmp_path, ToolService(together)) as proxy:
        cell.ask(proxy, [user("hi")])
        one, other = proxy.service.executed
        told = results_in(cell, proxy, 1)
    assert max(one.began, other.began) <= min(one.ended, other.ended)
    assert [json.loads(text)["data"]["got"]["q"] for text in told] == ["x", "zeta"]


@cells
def test_a17_calls_with_side_effects_run_one_after_the_other(cell: Cell, tmp_path: Path):
    calls = [Call("crm_update", {"q": "alpha"}), M, Call("crm_update", {"q": "beta"})]
    with proxied([Say(calls=calls), Say("Done.")], tmp_path) as proxy:
        cell.ask(proxy, [user("hi")])
        first, second, third = proxy.service.executed
        told = results_in(cell, proxy, 1)
    assert (first.ended <= second.began, second.ended <= third.began) == (True, True)
    assert first.key != third.key
    assert [json.loads(text)["data"]["got"]["q"] for text in told] == ["alpha", "x", "beta"]


@cells
def test_a18_the_words_of_all_rounds_are_shown(cell: Cell, tmp_path: Path):
    script = [Say(f"step {n}", [Call("docs_search", {"n": n})]) for n in range(1, 4)]
    with proxied([*script, Say("The end.")], tmp_path) as proxy:
        got, answer = cell.ask(proxy, [user("hi")])
        assert len(proxy.upstream.requests) == 4
        assert proxy.service.tools == ["docs_search"] * 3
    assert answer.text == "step 1\n\nstep 2\n\nstep 3\n\nThe end."
    made = whole(cell.wire, got.body, stream=cell.stream)
    if cell.wire == OPENAI_RESPONSES:
        assert [one["type"] for one in made["output"]] == ["message"] * 4
    elif cell.wire == ANTHROPIC_MESSAGES:
        assert [one["type"] for one in made["content"]] == ["text"] * 4


@cells
def test_a19_a_services_error_is_told_to_the_model_alone(cell: Cell, tmp_path: Path):
    def broken(tool: str, arguments: dict[str, Any]) -> Answered:
        return Answered(502, f"<html> at {service.url}/secret\n it broke".encode())

    service = ToolService(broken)
    with proxied([Say(calls=[M]), Say("Sorry.")], tmp_path, service) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        (told,) = results_in(cell, proxy, 1)
        if cell.wire == ANTHROPIC_MESSAGES:
            assert _blocks(history_of(proxy, 1)[-1])[0]["is_error"] is True
    envelope = json.loads(told)
    assert (envelope["ok"], envelope["error"]["code"]) == (False, "http_502")
    assert "it broke" in envelope["error"]["message"]
    assert "127.0.0.1" not in told
    assert answer.text == "Sorry."


@cells
def test_a20_arguments_that_break_the_schema_are_explained(cell: Cell, tmp_path: Path):
    script = [Say(calls=[Call("docs_search", {"n": "many", "q": 3})]), Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        cell.ask(proxy, [user("hi")])
        assert proxy.service.executed == []
        (told,) = results_in(cell, proxy, 1)
        if cell.wire == ANTHROPIC_MESSAGES:
            assert _blocks(history_of(proxy, 1)[-1])[0]["is_error"] is True
    error = json.loads(told)["error"]
    assert error["code"] == "schema_validation"
    assert [one["path"] for one in error["details"]["violations"]] == ["n", "q"]


@cells
def test_a21_a_long_result_is_cut_and_says_so(cell: Cell, tmp_path: Path):
    def long(tool: str, arguments: dict[str, Any]) -> Answered:
        return Answered(body=json.dumps({"text": "ä" * 2_621_440}, ensure_ascii=False).encode())

    with proxied([Say(calls=[M]), Say("Done.")], tmp_path, ToolService(long)) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        (told,) = results_in(cell, proxy, 1)
    envelope = json.loads(told)
    assert envelope["truncated"] is True
    assert envelope["original_bytes"] > 5 * 1024 * 1024
    assert len(told.encode()) <= 16 * 1024
    assert answer.text == "Done."


@cells
def test_a22_an_image_is_shown_where_it_can_be(cell: Cell, tmp_path: Path):
    parts: dict[str, Any] = {"mcp": {"docs": BARE}, "http": {}}
    calls = [Call("docs_picture"), Call("docs_facts")]
    with proxied([Say(calls=calls), Say("Done.")], tmp_path, **parts) as proxy:
        cell.ask(proxy, [user("hi")])
        picture, facts = results_in(cell, proxy, 1)
    assert json.loads(facts)["data"] == {"sum": 3}
    if cell.wire == OPENAI_CHAT:
        envelope, _, note = picture.partition("\n")
        assert json.loads(envelope)["data"] == "a dot"
        assert note.startswith("[image/png, ")
        assert "cannot be shown" in note
        return
    text, image = picture
    assert json.loads(text["text"])["data"] == "a dot"
    if cell.wire == OPENAI_RESPONSES:
        assert (text["type"], image["type"]) == ("input_text", "input_image")
        assert image["image_url"].startswith("data:image/png;base64,")
    else:
        assert (image["type"], image["source"]["media_type"]) == ("image", "image/png")


@cells
def test_a23_the_last_round_is_told_to_be_the_last(cell: Cell, tmp_path: Path):
    script = [*(Say(calls=[Call("docs_search", {"n": n})]) for n in range(3)), Say("Done.")]
    with proxied(script, tmp_path, limits={"max_rounds": 2}) as proxy:
        got, answer = cell.ask(proxy, [user("hi")])
        assert len(proxy.service.executed) == 2
        assert len(proxy.upstream.requests) == 4
        told = results_in(cell, proxy, 3)
        last = proxy.upstream.requests[3].body
        history = history_of(proxy, 3)
        shown = [json.dumps(history_of(proxy, number)) for number in range(4)]
        (entry,) = proxy.audit("history")
    assert len(last["tools"]) == 4
    assert last["tool_choice"] in ("none", {"type": "none"})
    assert ["tool_budget_exhausted" in one for one in told] == [False, False, True]
    end = history[-1]
    if cell.wire == ANTHROPIC_MESSAGES:
        assert [one["type"] for one in end["content"]] == ["tool_result", "text"]
    else:
        assert end["role"] == "user"
    instruction = end["content"][1]["text"] if cell.wire == ANTHROPIC_MESSAGES else end["content"]
    assert [instruction[:30] in one for one in shown] == [False, False, False, True]
    assert (answer.text, answer.finish) == ("Done.", FINAL[cell.wire])
    assert entry["mediation"]["disposition"] == "finalized"
    if not cell.stream:
        assert got.disposition == "finalized"


@cells
@pytest.mark.parametrize("words", ["", "Looking."], ids=["before words", "after words"])
def test_a24_a_model_that_does_not_end_is_ended(cell: Cell, words: str, tmp_path: Path):
    script = [Say(words, [Call("docs_search", {"n": n})]) for n in range(3)]
    with proxied(script, tmp_path, limits={"max_rounds": 1}) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
    if not (cell.stream and words):
        assert (got.status, got.disposition) == (502, "error")
        assert b"finalization_violated" in got.body
        return
    assert got.status == 200
    last = json.loads(frames(got.body)[-1].data)
    if cell.wire == OPENAI_RESPONSES:
        assert last["type"] == "response.failed"
        assert last["response"]["error"]["code"] == "server_error"
    elif cell.wire == ANTHROPIC_MESSAGES:
        assert (last["type"], last["error"]["type"]) == ("error", "api_error")
    else:
        assert last["error"]["type"] == "server_error"
    assert "finalization_violated" in json.dumps(last)


@stream_cells
def test_a24_after_a_heartbeat_it_is_an_event(cell: Cell, tmp_path: Path):
    def slow(tool: str, arguments: dict[str, Any]) -> Answered:
        time.sleep(0.2)  # as long as a few heartbeats
        return found(tool, arguments)

    script = [Say(calls=[Call("docs_search", {"n": n})]) for n in range(3)]
    limits = {"max_rounds": 1, "heartbeat": 0.05}
    with proxied(script, tmp_path, ToolService(slow), limits=limits) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]))
        assert len(proxy.upstream.requests) == 3
    assert got.status == 200, "it was told with the first heartbeat"
    last = json.loads(frames(got.body)[-1].data)
    assert "finalization_violated" in json.dumps(last)
    kinds = {ANTHROPIC_MESSAGES: "error", OPENAI_RESPONSES: "response.failed"}
    assert last.get("type") == kinds.get(cell.wire)
    for end in (b"[DONE]", b"message_stop", b"response.completed"):
        assert end not in got.body


@cells
def test_a_side_effect_and_a_search_are_told_in_one_message(cell: Cell, tmp_path: Path):
    with proxied([Say(calls=[M, W]), Say("Done.")], tmp_path) as proxy:
        cell.ask(proxy, [user("hi")])
        assert proxy.service.tools == ["docs_search", "crm_update"]
        assert len(results_in(cell, proxy, 1)) == 2
        if cell.wire == ANTHROPIC_MESSAGES:
            assert [one["role"] for one in history_of(proxy, 1)] == ["user", "assistant", "user"]
