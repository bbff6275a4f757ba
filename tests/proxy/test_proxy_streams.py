"""Streams: live, one envelope over all rounds, the same answer as without."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.managed_service import Held, ToolService
from testbed.proxied import proxied
from testbed.proxy_cells import Cell, M, N, both_of_each_wire, cells, stream_cells
from testbed.proxy_clients import BEAT, PATHS, frames, read, user
from testbed.replies import Call, Delivery, Say

from agent_cli.proxy.dialects import chat
from agent_cli.proxy.dialects.turns import Round, View
from agent_cli.wire.frames import Frame
from agent_cli.wire.sse import write_event


@stream_cells
def test_a2_text_passes_at_once(cell: Cell, tmp_path: Path):
    say = Say("One. " + "Two. " * 1_000, delivery=Delivery(piece=5, stall_at=4_000))
    with proxied([say], tmp_path) as proxy:
        came = proxy.listen(cell.path, cell.request([user("hi")]), lambda heard: b"One." in heard)
    assert b"One." in came


@pytest.mark.parametrize("keepalive", ["empty_delta", "off"])
def test_a59_a_client_that_bears_no_comments_gets_none(keepalive: str, tmp_path: Path):
    cell = Cell(OPENAI_CHAT, stream=True)
    held = Held()
    parts: dict[str, Any] = {
        "limits": {"heartbeat": 0.05},
        "mediation": {"keepalive_chat": keepalive},
    }
    script = [Say("Looking.", [M]), Say("Done.")]
    with proxied(script, tmp_path, ToolService(held), **parts) as proxy:
        ending = threading.Timer(0.3, held.go_on)
        ending.start()
        body = proxy.ask(cell.path, cell.request([user("hi")])).body
        ending.join()
    assert b": keepalive" not in body
    assert (b'"delta":{},"logprobs":null,"finish_reason":null' in body) is (keepalive != "off")
    assert read(OPENAI_CHAT, body, stream=True).text == "Looking.\n\nDone."


@stream_cells
def test_a59_while_tools_run_the_client_is_kept_waiting(cell: Cell, tmp_path: Path):
    wire = cell.wire
    held = Held()

    def hear(heard: bytes) -> None:
        if heard.count(BEAT[wire]) > 4:
            held.go_on()

    script = [Say("Looking.", [M]), Say("Done.")]
    with proxied(script, tmp_path, ToolService(held), limits={"heartbeat": 0.05}) as proxy:
        body = proxy.listen(cell.path, cell.request([user("hi")]), hear)
    assert held.goes_on
    assert b"docs_search" not in body
    assert read(wire, body, stream=True).text == "Looking.\n\nDone."


def test_a59_a_client_kept_waiting_for_a_call_is_told_once_whose_it_is():
    stream = chat.stream({}, View())
    stream.begin_round()
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    head: dict[str, Any] = {"id": "x", "created": 1, "model": "m"}
    deltas: list[tuple[Any, str | None]] = [({"role": "assistant", "tool_calls": [call]}, None)]
    made = b""
    for delta, finish in [*deltas, ({}, "tool_calls")]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        frame = Frame(json.dumps({**head, "choices": [choice]}).encode())
        made += stream.feed(write_event(frame), frame) + stream.heartbeat(plain=True)
    turn = stream.turn()
    made += stream.end([Round(turn, View(), (0,), last=True)], {}) + b"data: [DONE]\n\n"
    assert read(OPENAI_CHAT, made, stream=True).calls == [("c", "f", "{}")]


@stream_cells
def test_a53_who_was_kept_waiting_for_a_reply_that_died_gets_the_next(cell: Cell, tmp_path: Path):
    dies = Say("Lost.", delivery=Delivery(before=0.2, cut_at=10))
    with proxied([dies, Say("Done.")], tmp_path, limits={"heartbeat": 0.05}) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
    assert answer.text == "Done."


@cells
def test_a62_usage_that_was_not_asked_for_is_not_shown(cell: Cell, tmp_path: Path):
    with proxied([Say(calls=[M]), Say("Done.")], tmp_path) as proxy:
        body = cell.request([user("hi")])
        body.pop("stream_options", None)
        got = proxy.ask(cell.path, body)
        asked = [one.body.get("stream_options") for one in proxy.upstream.requests]
        (entry,) = proxy.audit("history")
    assert [one.get("prompt_tokens", one.get("input_tokens")) for one in entry["usage"]] == [
        100
    ] * 2
    if cell != Cell(OPENAI_CHAT, stream=True):
        assert read(cell.wire, got.body, stream=cell.stream).usage
        return
    assert asked == [{"include_usage": True}] * 2
    chunks = [json.loads(one.data) for one in frames(got.body)[:-1]]
    assert all(one["choices"] and not one.get("usage") for one in chunks)


@pytest.mark.parametrize(
    ("wire", "stop"),
    [
        (OPENAI_CHAT, "content_filter"),
        (ANTHROPIC_MESSAGES, "pause_turn"),
        (ANTHROPIC_MESSAGES, "refusal"),
        (OPENAI_RESPONSES, "refusal"),
    ],
)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("hidden", [0, 1], ids=["alone", "after a hidden round"])
def test_a64_other_ends_come_as_they_are(
    wire: str, stop: str, *, stream: bool, hidden: int, tmp_path: Path
):
    script = [*([Say(calls=[M])] * hidden), Say("Not this.", stop=stop)]
    with proxied(script, tmp_path) as proxy:
        got = proxy.ask(PATHS[wire], Cell(wire, stream=stream).request([user("hi")]))
    answer = read(wire, got.body, stream=stream)
    assert answer.text == "Not this."
    assert answer.finish == ("incomplete" if wire == OPENAI_RESPONSES else stop)


@both_of_each_wire
def test_nothing_of_a_managed_call_is_seen(wire: str, tmp_path: Path):
    secret = Call("docs_search", {"q": "sesame"}, "call_hidden_id")
    script = [Say("A", [secret]), Say("B", [secret, N])]
    for stream in (False, True):
        with proxied(script, tmp_path) as proxy:
            got = proxy.ask(PATHS[wire], Cell(wire, stream=stream).request([user(f"hi {stream}")]))
        assert got.status == 200
        for hidden in (b"docs_search", b"sesame", b"call_hidden_id", b"crm_update"):
            assert hidden not in got.body
