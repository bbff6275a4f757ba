"""What providers keep cached: each request of a session begins with the one before, to the byte."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.prefix_cache import PrefixCache, head, history
from testbed.proxied import Proxied, proxied
from testbed.proxy_cells import Cell, N, cells, messages_cells
from testbed.proxy_clients import Answer, Json, repeated, results, user
from testbed.replies import Call, Say

MARK = {"type": "ephemeral"}
LOOKS = [Call("docs_search", {"q": f"number {n}"}) for n in range(8)]


def turns(reasoning: str | None) -> list[Say]:
    """Six turns: hidden rounds alone, two in a row, beside a call of the client's, and none."""

    def say(text: str = "", *calls: Call) -> Say:
        return Say(text, calls, reasoning=reasoning)

    return [
        *(say("Looking.", LOOKS[0]), say("One.")),
        *(say("", LOOKS[1], N), say("Two.")),
        *(say("", LOOKS[2], LOOKS[3]), say("Three.")),
        *(say("First.", LOOKS[4]), say("", LOOKS[5]), say("Four.")),
        *(say("", N), say("Five.")),
        *(say("", LOOKS[6]), say("Six.")),
    ]


def instructions(cell: Cell) -> tuple[list[Json], Json]:
    """What begins the history, and what stands beside it."""
    match cell.wire:
        case "openai_chat":
            return [{"role": "system", "content": "Be brief."}], {}
        case "openai_responses":
            return [], {"instructions": "Be brief.", "prompt_cache_key": "session-1"}
        case _:
            text = {"type": "text", "text": "Be brief.", "cache_control": MARK}
            return [], {"system": [text]}


def session(cell: Cell, proxy: Proxied) -> list[Answer]:
    """Talk for six turns, repeating all that was answered."""
    told, beside = instructions(cell)
    answers: list[Answer] = []
    for number in range(6):
        told.append(user(f"Question {number}."))
        calling = True
        while calling:
            _, answer = cell.ask(proxy, told, **beside)
            answers.append(answer)
            told += repeated(cell.wire, answer)
            calling = bool(answer.calls)
            if calling:
                told += results(cell.wire, answer)
    return answers


def cached(cell: Cell, usage: dict[str, Any]) -> int:
    details = {OPENAI_CHAT: "prompt_tokens_details", OPENAI_RESPONSES: "input_tokens_details"}
    if cell.wire == ANTHROPIC_MESSAGES:
        return usage["cache_read_input_tokens"]
    return usage[details[cell.wire]]["cached_tokens"]


@cells
@pytest.mark.parametrize("reasoning", [None, "Hm."], ids=["plain", "reasoning"])
def test_a71_each_request_of_six_turns_begins_with_the_one_before(
    cell: Cell, reasoning: str | None, tmp_path: Path
):
    script = turns(reasoning)
    with proxied(PrefixCache(script), tmp_path) as proxy:
        answers = session(cell, proxy)
        sent = [one.raw for one in proxy.upstream.requests]
        assert len(proxy.service.executed) == 7
    assert (len(sent), len(answers)) == (len(script), 8)
    assert len({head(raw) for raw in sent}) == 1
    for earlier, later in pairwise(sent):
        assert history(later).startswith(history(earlier))
    assert cached(cell, answers[0].usage) > 0, "already its own second round was known"
    for answer in answers[1:]:
        assert cached(cell, answer.usage) > 0
    keys = {msgspec.json.decode(raw).get("prompt_cache_key") for raw in sent}
    assert keys == {"session-1" if cell.wire == OPENAI_RESPONSES else None}


def marked(message: Json) -> Json:
    """The message with a cache mark on its last block, where clients put it."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {**message, "content": [*blocks[:-1], {**blocks[-1], "cache_control": MARK}]}


def marks(body: Json) -> list[Any]:
    """Tools, instructions and blocks of the history that are marked, in their order."""
    blocks = [block for one in body["messages"] for block in one["content"] if one["content"]]
    places = [*body["tools"], *body["system"], *blocks]
    return [one for one in places if isinstance(one, dict) and "cache_control" in one]


@messages_cells
@pytest.mark.parametrize("last", [N, None], ids=["a call", "words"])
def test_a71_the_clients_four_cache_marks_stay_and_none_is_added(
    cell: Cell, last: Call | None, tmp_path: Path
):
    script = [Say("Looking.", [LOOKS[0]]), Say("Found.", [last] if last else []), Say("Done.")]
    _, beside = instructions(cell)
    body = cell.request([user("hi")], **beside)
    tools = [*body["tools"][:-1], {**body["tools"][-1], "cache_control": MARK}]
    with proxied(PrefixCache(script), tmp_path) as proxy:
        _, answer = cell.ask(proxy, [marked(user("hi"))], **beside)
        (turn,) = repeated(cell.wire, answer)
        more = results(cell.wire, answer) if last else [user("thanks")]
        history = [user("hi"), marked(turn), *map(marked, more)]
        again = {**cell.request(history, **beside), "tools": tools}
        assert proxy.ask(cell.path, again).status == 200
        first, _, third = proxy.upstream.requests
    assert marks(third.body) == marks(again), "each where the client had put it"
    assert len(marks(third.body)) == third.raw.count(b"cache_control") == 4
    assert len(marks(first.body)) == first.raw.count(b"cache_control") == 2
