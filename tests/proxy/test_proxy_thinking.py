"""Reasoning that has passed before its round was known to be hidden: where its echo belongs."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT
from testbed.proxied import Proxied, proxied
from testbed.proxy_cells import Cell, M, N, cells, names
from testbed.proxy_clients import repeated, results, user
from testbed.replies import Say


def kinds(cell: Cell, proxy: Proxied, number: int) -> list[Any]:
    """What the model is shown of its own turns, and of results."""
    body = proxy.upstream.requests[number].body
    if cell.wire == ANTHROPIC_MESSAGES:
        return [blocks(message["content"]) for message in body["messages"][1:]]
    return [one.get("type", "message") for one in body["input"][1:]]


def blocks(content: Any) -> list[str]:
    return ["text"] if isinstance(content, str) else [one["type"] for one in content]


@cells
def test_a28_a38_live_reasoning_goes_back_to_its_hidden_round(cell: Cell, tmp_path: Path):
    script = [Say("", [M], reasoning="First."), Say("Both.", [M, N], reasoning="Second.")]
    with proxied([*script, Say("Done.")], tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        said = json.dumps(answer.blocks)
        more = [*repeated(cell.wire, answer), *results(cell.wire, answer)]
        _, final = cell.ask(proxy, [user("hi"), *more])
        told = json.dumps(proxy.upstream.requests[2].body)
        shown = kinds(cell, proxy, 2) if cell.wire != OPENAI_CHAT else []
    assert names(answer) == ["read_file"]
    assert said.index("First.") < said.index("Second.")
    assert final.text == "Done."
    if cell.wire == OPENAI_CHAT:
        return  # words that nobody signs: each round has its own
    assert (told.count("First."), told.count("Second.")) == (1, 1)
    if cell.wire == ANTHROPIC_MESSAGES:
        first = [["thinking", "tool_use"], ["tool_result"]]
        second = [["thinking", "text", "tool_use", "tool_use"], ["tool_result", "tool_result"]]
        assert shown == [*first, *second]
    else:
        first = ["reasoning", "function_call", "function_call_output"]
        second = ["reasoning", "message", *["function_call"] * 2, *["function_call_output"] * 2]
        assert shown == [*first, *second]


@cells
def test_a40_reasoning_before_a_final_answer_goes_back_as_well(cell: Cell, tmp_path: Path):
    script = [Say("", [M], reasoning="First."), Say("Done.", reasoning="Second."), Say("Bye.")]
    with proxied(script, tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        cell.ask(proxy, [user("hi"), *repeated(cell.wire, answer), user("go on")])
        shown = kinds(cell, proxy, 2) if cell.wire != OPENAI_CHAT else []
    if cell.wire == ANTHROPIC_MESSAGES:
        hidden = [["thinking", "tool_use"], ["tool_result"]]
        assert shown[:3] == [*hidden, ["thinking", "text"]]
    elif shown:
        hidden = ["reasoning", "function_call", "function_call_output"]
        assert shown == [*hidden, "reasoning", "message", "message"]


@cells
@pytest.mark.parametrize("lost", ["edited", "foreign"])
def test_where_its_round_cannot_come_back_it_is_taken_out(cell: Cell, lost: str, tmp_path: Path):
    script = [Say("", [M], reasoning="First."), Say("Done.", reasoning="Second."), Say("Bye.")]
    with proxied(script, tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        echo = json.loads(json.dumps(repeated(cell.wire, answer)).replace("Done.", "Changed."))
        first = user("hi") if lost == "edited" else user("something else")
        cell.ask(proxy, [first, *echo, user("go on")])
        told = json.dumps(proxy.upstream.requests[2].body)
    assert "Changed." in told
    assert "docs_search" not in told.partition('"tools"')[0]
    if cell.wire != OPENAI_CHAT:
        assert ("First." in told, "Second." in told) == (False, True)
