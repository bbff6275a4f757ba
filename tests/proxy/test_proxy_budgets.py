"""A72: what is spent is written down for good, and nobody spends more than they may."""

import http.client
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT
from testbed.managed_service import Answered, ToolService
from testbed.postgres import needs_postgres
from testbed.proxied import Got, Proxied, configured, proxied, serving
from testbed.proxy_backup import backed_up
from testbed.proxy_cells import Cell, M, N, W, cells
from testbed.proxy_clients import read, user
from testbed.proxy_process import proxy_process
from testbed.proxy_tokens import ALICE, BOB, budgeted
from testbed.replies import Delivery, Reply, Say, Status, Usage
from testbed.server import ModelServer

from agent_cli.proxy import kept
from agent_cli.proxy.config import Config, Continuity
from agent_cli.proxy.spending import Line

CHAT = Cell(OPENAI_CHAT, stream=False)
USAGE = Usage(1_000, 100, cache_read=400, cache_write=0, reasoning=50)
COST = (600 * 2.0 + 400 * 0.5 + 100 * 10.0) / 1_000_000
OFF = {"x-agent-proxy-mediation": "off"}


def ask(cell: Cell, proxy: Proxied, who: dict[str, str] = ALICE, **more: Any) -> Got:
    return proxy.ask(cell.path, cell.request([user("hi")], **more), who)


def book(tmp_path: Path) -> list[Line]:
    config = Config(continuity=Continuity(path=str(tmp_path / "continuity.db")))
    return kept.spent(config, {})


def assert_refused(cell: Cell, got: Got, *, begun: bool) -> None:
    """What a client sees whose budget is spent: a true status, or the dialect's error event."""
    if not begun:
        assert got.status == 429
        assert got.headers["x-should-retry"] == "false"
        error = got.json["error"]
        assert error["type"] == "rate_limit_error"
        code = error.get("code") or error["agent_proxy"]["code"]
        assert code == "budget_exceeded"
        return
    event = json.loads(got.body.decode().strip().rpartition("data: ")[2])
    match cell.wire:
        case "openai_responses":
            assert event["type"] == "response.failed"
            assert event["response"]["error"]["code"] == "rate_limit_exceeded"
            assert event["response"]["error"]["message"].startswith("budget_exceeded: ")
        case _:
            assert event["error"]["type"] == "rate_limit_error"
    for end in (b"[DONE]", b"message_stop", b"response.completed"):
        assert end not in got.body


@cells
def test_a61_a72_every_call_of_an_upstream_is_written_down(cell: Cell, tmp_path: Path):
    script = [Say(calls=[M], usage=USAGE), Say("Done.", usage=USAGE)]
    with proxied(script, tmp_path, **budgeted()) as proxy:
        assert ask(cell, proxy).status == 200
        proxy.stop()
    (line,) = book(tmp_path)
    assert (line.principal, line.provider, line.model, line.calls) == ("alice", "upstream", "m", 2)
    assert (line.input, line.output, line.cache_read) == (2_000, 200, 800)
    assert line.usd == pytest.approx(2 * COST)
    assert line.unpriced == 0
    if cell.wire != ANTHROPIC_MESSAGES:
        assert line.reasoning == 100


@cells
def test_a72_what_is_only_passed_on_is_written_down_as_well(cell: Cell, tmp_path: Path):
    with proxied([Say("Hello.", usage=USAGE)], tmp_path, **budgeted()) as proxy:
        assert ask(cell, proxy, ALICE | OFF).status == 200
        proxy.stop()
    (line,) = book(tmp_path)
    assert (line.input, line.output, line.usd) == (1_000, 100, pytest.approx(COST))


@cells
def test_a72_failed_rounds_are_paid_for(cell: Cell, tmp_path: Path):
    cut = Say("Some words.", usage=USAGE, delivery=Delivery(unfinished=True, drop_last=1))
    first: list[Reply] = [Say(calls=[M], usage=USAGE), cut, cut]
    second: list[Reply] = [Say("Done.", usage=USAGE)]
    with backed_up(first, second, tmp_path, **budgeted()) as (proxy, _):
        ask(cell, proxy)
        proxy.stop()
    lines = book(tmp_path)
    assert sum(line.calls for line in lines) >= 2
    assert sum(line.input for line in lines) > 1_000


@cells
def test_a72_a_spent_budget_ends_the_loop_before_anything_is_executed(cell: Cell, tmp_path: Path):
    script: list[Reply] = [Say("Let me see.", [W], usage=USAGE)]
    with proxied(script, tmp_path, **budgeted(tokens=1_050)) as proxy:
        got = ask(cell, proxy)
        assert_refused(cell, got, begun=cell.stream)
        assert_refused(cell, ask(cell, proxy), begun=False)
        assert proxy.service.executed == []
        (told, *_) = proxy.audit("budget")
    assert told["then"] == "refuse"


@cells
def test_a72_what_is_left_is_spent_on_a_last_reply(cell: Cell, tmp_path: Path):
    script = [Say("Let me see.", [W], usage=USAGE), Say("Done.", usage=USAGE)]
    with proxied(script, tmp_path, **budgeted(usd=COST * 2.5)) as proxy:
        got = ask(cell, proxy)
        assert proxy.service.executed == []
        last = proxy.upstream.requests[1].body
        assert last["tool_choice"] in ("none", {"type": "none"})
        assert "tool_budget_exhausted" in json.dumps(last)
        (entry, *_) = proxy.audit("history")
    assert read(cell.wire, got.body, stream=cell.stream).text == "Let me see.\n\nDone."
    assert entry["mediation"]["disposition"] == "finalized"


@cells
def test_a72_native_calls_are_not_bought_with_managed_ones(cell: Cell, tmp_path: Path):
    with proxied([Say(calls=[W, N], usage=USAGE)], tmp_path, **budgeted(tokens=1_100)) as proxy:
        assert_refused(cell, ask(cell, proxy), begun=False)
        assert proxy.service.executed == []


@cells
def test_a72_who_has_spent_all_is_refused_at_once(cell: Cell, tmp_path: Path):
    script: list[Reply] = [Say("Hello.", usage=USAGE), Say("Hello.", usage=USAGE)]
    with proxied(script, tmp_path, **budgeted(tokens=1_000, per="day")) as proxy:
        assert ask(cell, proxy).status == 200
        assert_refused(cell, ask(cell, proxy), begun=False)
        assert_refused(cell, ask(cell, proxy, ALICE | OFF), begun=False)
        assert ask(cell, proxy, BOB).status == 200


def test_a_budget_in_dollars_needs_a_price(tmp_path: Path):
    parts = budgeted(usd=1.0) | {"prices": {}}
    with proxied([Say("Hello.")], tmp_path, **parts) as proxy:
        got = ask(CHAT, proxy)
        assert ask(CHAT, proxy, BOB).status == 200
    assert (got.status, got.json["error"]["code"]) == (403, "model_not_priced")


@cells
def test_the_usage_may_tell_what_each_round_has_cost(cell: Cell, tmp_path: Path):
    on = {"mediation": {"usage_extension": True}}
    one = [Say("Hello.", [N], usage=USAGE)]
    two = [Status(429, "Slower.", retry_after=0.01), Say("Done.", usage=USAGE)]
    script = [*one, Say(calls=[M], usage=USAGE), *two]
    with proxied(script, tmp_path, **budgeted(), **on) as proxy:
        single = read(cell.wire, ask(cell, proxy).body, stream=cell.stream)
        body = cell.request([user("other")])
        several = read(cell.wire, proxy.ask(cell.path, body, ALICE).body, stream=cell.stream)
    assert single.calls[0][1] == "read_file"
    told = single.usage["agent_proxy"]
    assert (told["rounds"], told["cost_usd"]) == (1, pytest.approx(COST))
    told = several.usage["agent_proxy"]
    assert [one["status"] for one in told["per_round"]] == [200, 429, 200]
    assert [one["input_tokens"] for one in told["per_round"]] == [1_000, 0, 1_000]
    assert told["cost_usd"] == pytest.approx(2 * COST)


def test_a72_what_has_no_history_costs_as_well(tmp_path: Path):
    told = Answered(body=b'{"output": [], "usage": {"input_tokens": 1000, "output_tokens": 0}}')
    with ToolService(lambda tool, asked: told) as upstream, ToolService() as service:
        known = Proxied(upstream, service, tmp_path)
        parts = budgeted(tokens=1_000)
        config = configured(upstream.url, service, tmp_path, **parts)
        backup = {"backup": replace(config.upstream, api_key_env="")}
        with serving(known, replace(config, fallback=backup)) as proxy:
            bare = {"model": "m", "prompt": {"id": "pmpt_1"}}
            statuses = [proxy.ask("/v1/responses", bare, ALICE).status for _ in range(2)]
        assert (statuses, upstream.begun) == ([200, 429], ["v1/responses"])
    (line,) = book(tmp_path)
    assert line.input == 1_000


@cells
def test_tokens_that_nobody_counts_are_estimated(cell: Cell, tmp_path: Path):
    with proxied([Say("Hello. " * 40, usage=None)], tmp_path, **budgeted()) as proxy:
        ask(cell, proxy, ALICE | OFF)
        proxy.stop()
    (line,) = book(tmp_path)
    assert line.input > 50


@pytest.mark.parametrize("stored", ["file", pytest.param("database", marks=needs_postgres)])
def test_the_account_book_survives_and_is_shared(
    stored: str, tmp_path: Path, request: pytest.FixtureRequest
):
    url = request.getfixturevalue("database") if stored == "database" else ""
    script: list[Reply] = [Say("Hello.", usage=USAGE)] * 3
    where = {"postgres_env": "PATH"} if url else {"path": str(tmp_path / "continuity.db")}
    with ModelServer(script) as upstream, ToolService() as service:
        with proxy_process(upstream, service, tmp_path, url) as process:
            proxy = process.start()
            CHAT.ask(proxy, [user("hi")])
            process.end(9)
            proxy = process.start()
            CHAT.ask(proxy, [user("other")])
        environ = {"PATH": url} if url else {}
        (line,) = kept.spent(Config(continuity=Continuity(**where)), environ)
    assert (line.principal, line.calls, line.input) == ("local", 2, 2_000)
    assert (line.usd, line.unpriced) == (0.0, 2)


def test_who_goes_away_has_paid_for_what_was_said(tmp_path: Path):
    cell = Cell(ANTHROPIC_MESSAGES, stream=True)
    slow = Say("Word " * 200, usage=USAGE, delivery=Delivery(between=0.05))
    with proxied([slow], tmp_path, **budgeted()) as proxy:
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port)
        connection.request("POST", cell.path, json.dumps(cell.request([user("hi")])), ALICE)
        connection.getresponse().read(400)
        connection.close()
        assert [one["error"] for one in proxy.audit("upstream_round")] == ["client_disconnect"]
    (line,) = book(tmp_path)
    assert line.input == 1_000
