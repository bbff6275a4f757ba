"""Options of `[mediation]`: what is offered, what is executed, and how it is remembered."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES
from testbed.managed_service import ToolService, failing
from testbed.proxied import history_of, proxied
from testbed.proxy_cells import Cell, M, N, W, cells, names
from testbed.proxy_clients import read, repeated, results, user
from testbed.replies import Call, Say, Usage
from testbed.servers import BARE

from agent_cli.proxy.clients import Client
from agent_cli.proxy.dialects.usage import Report

NONE: dict[str, Any] = {
    OPENAI_CHAT: "none",
    OPENAI_RESPONSES: "none",
    ANTHROPIC_MESSAGES: {"type": "none"},
}


@cells
@pytest.mark.parametrize("offered", [True, False])
def test_a10_tools_are_offered_where_no_call_is_allowed_or_not(
    cell: Cell, tmp_path: Path, *, offered: bool
):
    mediation = {"inject_on_none": offered}
    with proxied([Say("x")], tmp_path, mediation=mediation) as proxy:
        cell.ask(proxy, [user("hi")], tool_choice=NONE[cell.wire])
        body = proxy.upstream.requests[0].body
    assert ("docs_search" in str(body["tools"])) is offered
    assert body["tool_choice"] == NONE[cell.wire]


ALLOWED: dict[str, Any] = {
    OPENAI_CHAT: {
        "type": "allowed_tools",
        "allowed_tools": {
            "mode": "required",
            "tools": [{"type": "function", "function": {"name": "bash"}}],
        },
    },
    OPENAI_RESPONSES: {
        "type": "allowed_tools",
        "mode": "required",
        "tools": [{"type": "function", "name": "bash"}],
    },
}


@cells
@pytest.mark.parametrize("extended", [True, False])
def test_a13_allowed_tools_are_extended_or_nothing_is_added(
    cell: Cell, tmp_path: Path, *, extended: bool
):
    if cell.wire == ANTHROPIC_MESSAGES:
        return  # it has no such choice
    choice = ALLOWED[cell.wire]
    script = [Say(calls=[M]), Say("Done.")] if extended else [Say("Done.")]
    mediation = {"extend_allowed_tools": extended}
    with proxied(script, tmp_path, mediation=mediation) as proxy:
        cell.ask(proxy, [user("hi")], tool_choice=choice)
        bodies = [exchange.body for exchange in proxy.upstream.requests]
    if not extended:
        assert "docs_search" not in str(bodies[0])
        assert bodies[0]["tool_choice"] == choice
        return
    asked, again = (_allowed(body["tool_choice"]) for body in bodies)
    assert asked == ("required", ["bash", "crm_update", "docs_search"])
    assert again == ("auto", ["bash", "crm_update", "docs_search"])


def _allowed(choice: dict[str, Any]) -> tuple[str, list[str]]:
    inner = choice.get("allowed_tools", choice)
    return inner["mode"], [one.get("function", one)["name"] for one in inner["tools"]]


@cells
@pytest.mark.parametrize("stops", [True, False])
def test_after_a_call_that_failed_the_rest_is_made_or_not(
    cell: Cell, tmp_path: Path, *, stops: bool
):
    script = [Say(calls=[W, M, N]), Say("Done.")]
    mediation = {"stop_prefix_on_error": stops}
    with proxied(script, tmp_path, ToolService(failing), mediation=mediation) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        more = [*repeated(cell.wire, answer), *results(cell.wire, answer)]
        cell.ask(proxy, [user("hi"), *more])
        assert proxy.service.tools == (["crm_update"] if stops else ["crm_update", "docs_search"])
        said = json.dumps(history_of(proxy, 1))
    assert names(answer) == ["read_file"]
    assert "http_500" in said
    assert ("earlier_call_failed" in said) is stops


@cells
@pytest.mark.parametrize(
    ("layout", "reasoning"), [("split", None), ("merged", None), ("merged", "Hm.")]
)
def test_a37_a38_the_operator_may_choose_the_layout(
    cell: Cell, layout: str, reasoning: str | None, tmp_path: Path
):
    script = [Say("Both.", [M, N], reasoning=reasoning), Say("Done.")]
    mediation = {"mixed_layout": layout}
    with proxied(script, tmp_path, mediation=mediation) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        more = [*repeated(cell.wire, answer), *results(cell.wire, answer)]
        cell.ask(proxy, [user("hi"), *more])
        history = history_of(proxy, 1)
        (stored, *_) = proxy.audit("continuity_store")
    assert stored["layout"] == layout
    if cell.wire == OPENAI_RESPONSES:
        kinds = [one["type"].removeprefix("function_call") for one in history if "call_id" in one]
        assert kinds == (
            ["", "_output", "", "_output"] if layout == "split" else ["", ""] + ["_output"] * 2
        )
        return
    roles = [one["role"] for one in history].count("assistant")
    assert roles == (2 if layout == "split" else 1)


@cells
def test_a32_a_model_that_never_orders_its_calls_is_told_to_end(cell: Cell, tmp_path: Path):
    script = [Say(calls=[N, M]), Say(calls=[N, M]), Say("Enough.")]
    parts: dict[str, Any] = {"mediation": {"unsafe_policy": "retry_internal"}}
    parts["limits"] = {"max_rounds": 2}
    with proxied(script, tmp_path, **parts) as proxy:
        got, answer = cell.ask(proxy, [user("hi")])
        assert len(proxy.upstream.requests) == 3
        assert proxy.service.executed == []
    assert answer.text == "Enough."
    if not cell.stream:
        assert got.disposition == "finalized"


MADE_UP = Call("docs_made_up", {})


@cells
def test_names_that_only_look_like_ours_are_answered_twice(cell: Cell, tmp_path: Path):
    script = [*[Say(calls=[MADE_UP])] * 3, Say("Enough.")]
    with proxied(script, tmp_path, mcp={"docs": BARE}, http={}) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        choices = [exchange.body.get("tool_choice") for exchange in proxy.upstream.requests]
    assert answer.text == "Enough."
    assert choices == [None, None, None, NONE[cell.wire]]


@cells
def test_or_they_are_the_clients(cell: Cell, tmp_path: Path):
    parts: dict[str, Any] = {"mcp": {"docs": BARE}, "http": {}}
    parts["mediation"] = {"reserved_names": "forward"}
    with proxied([Say(calls=[MADE_UP])], tmp_path, **parts) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
    assert names(answer) == ["docs_made_up"]


AIDER = {"user-agent": "aider/0.86"}


@cells
def test_a_client_that_tools_would_derail_gets_none(cell: Cell, tmp_path: Path):
    clients = {"aider": Client(agents=("Aider",), mediate=False)}
    with proxied([Say("x"), Say("y")], tmp_path, clients=clients) as proxy:
        body = cell.request([user("hi")])
        proxy.ask(cell.path, body, AIDER)
        proxy.ask(cell.path, body, {"user-agent": "python"})
        off, on = (exchange.body for exchange in proxy.upstream.requests)
        assert [one["client"] for one in proxy.audit("request")] == ["aider", None]
    assert off == body
    assert "docs_search" in str(on["tools"])


COUNTED = [
    pytest.param({"codex": Client(usage=Report.SUM)}, "codex_cli_rs/1.0", 27, id="known"),
    pytest.param({"own": Client(("Mine/",), usage=Report.CONTEXT)}, "mine/2", 17, id="own"),
    pytest.param({}, "opencode/1.0", 17, id="built in"),
    pytest.param({}, "openai-python", 27, id="nobody"),
]


@cells
@pytest.mark.parametrize(("clients", "agent", "shown"), COUNTED)
def test_a61_each_client_is_told_of_tokens_in_its_way(
    cell: Cell, clients: dict[str, Client], agent: str, shown: int, tmp_path: Path
):
    script = [Say(calls=[M], usage=Usage(10, 3)), Say("x", usage=Usage(17, 5))]
    with proxied(script, tmp_path, clients=clients) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")]), {"user-agent": agent})
    usage = read(cell.wire, got.body, stream=cell.stream).usage
    assert usage.get("prompt_tokens", usage.get("input_tokens")) == shown
