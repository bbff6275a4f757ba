"""Clients that keep an answer otherwise than it came: the hidden rounds still find their place."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.proxied import Proxied, proxied
from testbed.proxy_cells import Cell, M, N, cells
from testbed.proxy_clients import Answer, Json, repeated, results, user
from testbed.replies import Call, Say

THOUGHTS = ("reasoning", "thinking", "redacted_thinking")


def without_reasoning(cell: Cell, answer: Answer) -> list[Json]:
    made: list[Json] = json.loads(json.dumps(repeated(cell.wire, answer)))
    if cell.wire == OPENAI_RESPONSES:
        return [item for item in made if item["type"] not in THOUGHTS]
    if cell.wire == OPENAI_CHAT:
        made[0].pop("reasoning_content")
    else:
        made[0]["content"] = [one for one in made[0]["content"] if one["type"] not in THOUGHTS]
    return made


def other_content(cell: Cell, answer: Answer) -> list[Json]:
    """Words as a text where they came in blocks, and in blocks where they came as a text."""
    made: list[Json] = json.loads(json.dumps(repeated(cell.wire, answer)))
    for item in made:
        content: Any = item.get("content")
        if isinstance(content, str):
            item["content"] = [{"type": "text", "text": content}]
        elif content and all("text" in part for part in content):
            item["content"] = "\n\n".join(part["text"] for part in content)
    return made


def asked_again(cell: Cell, proxy: Proxied, answer: Answer, written: list[Json]) -> str:
    """Go on with the answer as it is written; return the history that the model is shown."""
    more = results(cell.wire, answer) if answer.calls else [user("more")]
    cell.ask(proxy, [user("hi"), *written, *more])
    body = proxy.upstream.requests[-1].body
    return json.dumps(body.get("messages") or body["input"])


@cells
@pytest.mark.parametrize("calls", [[M, N], [M]], ids=["native", "final"])
def test_a45_a_client_may_leave_out_reasoning(cell: Cell, calls: list[Call], tmp_path: Path):
    ends = [] if N in calls else [Say("The end.", reasoning="So.")]
    script = [Say("Words.", calls, reasoning="Hm."), *ends, Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        written = without_reasoning(cell, answer)
        assert written != repeated(cell.wire, answer)
        history = asked_again(cell, proxy, answer, written)
    assert history.count("Words.") == 1
    assert "docs_search" in history


@cells
@pytest.mark.parametrize("calls", [[M, N], [M]], ids=["native", "final"])
def test_a45_a_client_may_write_a_text_as_blocks(cell: Cell, calls: list[Call], tmp_path: Path):
    ends = [] if N in calls else [Say("The end.")]
    script = [Say("Words.", calls), *ends, Say("Done.")]
    with proxied(script, tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        written = other_content(cell, answer)
        both = cell.wire == ANTHROPIC_MESSAGES and N in calls
        assert (written == repeated(cell.wire, answer)) is both, "a call can only be a block"
        history = asked_again(cell, proxy, answer, written)
    assert history.count("Words.") == 1
    assert "docs_search" in history
