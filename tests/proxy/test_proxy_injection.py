"""What is added to a request, under which names, and what stays as it was."""

import json
from pathlib import Path
from typing import Any

import pytest
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES, Exchange
from testbed.managed_service import Answered, ToolService
from testbed.proxied import Proxied, configured, proxied, serving
from testbed.proxy_cells import Cell, M, N, cells, chat_cells, names, responses_cells
from testbed.proxy_clients import CALLING, FINAL, PARAMETERS, tool, user
from testbed.replies import Call, Delivery, Raw, Say

from agent_cli.proxy.config import HttpTool
from agent_cli.proxy.names import with_digest


def offered(exchange: Exchange) -> list[str]:
    tools = exchange.body.get("tools") or ()
    found = [{**one, **one.get("function", {})} for one in tools]
    return [one.get("name") or one["type"] for one in found]


STRANGE = {
    False: '{"strange" :  [1,2], "x":"\\u00e9", "output":[{"type":"hologram"}]}',
    True: 'data: {"x" :1}\r\n\r\n:c\n\nevent: hologram\ndata: {}\n\n',
}


@cells
@pytest.mark.parametrize("off", ["header", "no tools", "no managed tools"])
def test_a1_a5_without_managed_tools_bytes_pass(cell: Cell, off: str, tmp_path: Path):
    kind = "text/event-stream" if cell.stream else "application/json"
    headers = {"anthropic-beta": "one-1,two-2", "anthropic-version": "2024-01-01"}
    if off == "header":
        headers["x-agent-proxy-mediation"] = "off"
    body = cell.request([user("hi")], **({"tools": ()} if off == "no tools" else {}))
    raw = json.dumps(body, indent=1).encode()
    parts: dict[str, Any] = {"http": {}} if off == "no managed tools" else {}
    with proxied([Raw(STRANGE[cell.stream], kind)], tmp_path, **parts) as proxy:
        got = proxy.ask(cell.path, raw, headers)
        (exchange,) = proxy.upstream.requests
    assert exchange.raw == raw
    assert got.body == STRANGE[cell.stream].encode()
    assert exchange.headers["anthropic-beta"] == "one-1,two-2"
    assert exchange.headers["anthropic-version"] == "2024-01-01"
    assert got.disposition == ("final" if off == "no tools" else "native_only")
    assert got.headers["x-agent-proxy-rounds"] == "1"


@cells
def test_a2_words_alone_are_an_answer(cell: Cell, tmp_path: Path):
    say = Say("One. Two. Three. Four.", delivery=Delivery(piece=5))
    with proxied([say], tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")])
        assert "docs_search" in offered(proxy.upstream.requests[0])
        assert proxy.service.executed == []
    assert (answer.text, answer.calls) == ("One. Two. Three. Four.", [])
    assert answer.finish == FINAL[cell.wire]


SYSTEM = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
FIELDS: dict[str, dict[str, Any]] = {
    OPENAI_CHAT: {
        "parallel_tool_calls": False,
        "response_format": {"type": "json_object"},
        "seed": 7,
        "temperature": 0.5,
        "user": "u",
    },
    OPENAI_RESPONSES: {
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "low"},
        "text": {"verbosity": "low"},
        "metadata": {"a": "b"},
        "prompt_cache_key": "k",
        "store": False,
        "parallel_tool_calls": False,
    },
    ANTHROPIC_MESSAGES: {
        "system": SYSTEM,
        "max_tokens": 9_000,
        "thinking": {"type": "enabled", "budget_tokens": 2_000},
        "metadata": {"user_id": "u"},
    },
}
HOSTED: dict[str, Any] = {
    OPENAI_RESPONSES: [
        {"type": "web_search"},
        {"type": "custom", "name": "apply_patch", "description": "d"},
    ],
}


@cells
def test_a6_managed_tools_come_after_the_clients_own(cell: Cell, tmp_path: Path):
    body = {**cell.request([user("hi")]), **FIELDS[cell.wire]}
    body["tools"] = [*HOSTED.get(cell.wire, ()), *body["tools"]]
    if cell.wire == ANTHROPIC_MESSAGES:
        body["tools"][-1]["cache_control"] = {"type": "ephemeral"}
    raw = json.dumps(body, separators=(", ", " : "))  # no program of ours writes it like this
    with proxied([Say("Hello.")], tmp_path) as proxy:
        got = proxy.ask(cell.path, raw.encode())
        assert got.status == 200, got.body
        (exchange,) = proxy.upstream.requests
    sent = exchange.body
    own = len(body["tools"])
    assert sent["tools"][:own] == body["tools"]
    for one in body["tools"]:
        assert json.dumps(one, separators=(", ", " : ")).encode() in exchange.raw
    assert offered(exchange)[own - 2 :] == ["read_file", "bash", "crm_update", "docs_search"]
    kept = {name: value for name, value in body.items() if name != "tools"}
    if cell == Cell(OPENAI_CHAT, stream=True):
        assert sent["stream_options"] == {"include_usage": True}
    assert {name: sent[name] for name in kept} == kept
    assert sent.keys() == body.keys()
    assert exchange.raw.count(b"cache_control") == raw.count("cache_control")


@cells
def test_a7_a_clients_tool_of_the_same_name_stays_the_clients(cell: Cell, tmp_path: Path):
    own = with_digest("docs.search")
    script = [Say(calls=[Call(own, {"q": "ours"})]), Say(calls=[M])]
    with proxied(script, tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")], tools=("docs_search", "bash"))
        first = proxy.upstream.requests[0]
        assert proxy.service.tools == ["docs_search"]
    assert offered(first) == ["docs_search", "bash", "crm_update", own]
    assert names(answer) == ["docs_search"]


@responses_cells
@pytest.mark.parametrize(
    "theirs", [{"type": "custom", "name": "docs_search"}, {"type": "docs_search"}], ids=str
)
def test_a7_names_of_other_kinds_of_tools_are_the_clients(
    cell: Cell, theirs: dict[str, Any], tmp_path: Path
):
    body = cell.request([user("hi")])
    body["tools"].append(theirs)
    with proxied([Say("Hello.")] * 2, tmp_path) as proxy:
        proxy.ask(cell.path, body)
        proxy.upstream.violations.clear()  # no vendor has a docs_search of its own
        asked = [one.body for one in proxy.upstream.requests]
    for one in asked:
        assert one["tools"][-1]["name"] == with_digest("docs.search")


def tools(service: ToolService, *own: str) -> dict[str, Any]:
    return {
        name: HttpTool(f"{service.url}/{at}", parameters=PARAMETERS) for at, name in enumerate(own)
    }


@cells
def test_a8_no_two_tools_have_one_name(cell: Cell, tmp_path: Path):
    taken = with_digest("c.d")
    script = [Say(calls=[Call(with_digest("a/b"), {"path": "x.py"})]), Say("Done.")]
    with ToolService() as service:
        http = tools(service, "a.b", "a/b", "c.d")
        with proxied(script, tmp_path, http=http) as proxy:
            _, answer = cell.ask(proxy, [user("hi")], tools=("c_d", taken, "bash"))
            first = proxy.upstream.requests[0]
            (conflict,) = proxy.audit("tool_injection_conflict")
        assert service.tools == ["1"]
    ours = [with_digest("a.b"), with_digest("a/b")]
    assert offered(first) == ["c_d", taken, "bash", *ours]
    assert conflict["name"] == "c.d"
    assert answer.text == "Done."


@cells
def test_a9_a_tool_of_any_name_is_offered_and_keeps_its_name(cell: Cell, tmp_path: Path):
    presented: list[list[str]] = []
    for _ in range(2):  # the second time after a restart
        with ToolService() as service:
            http = tools(service, "größe." * 40, "x" * 200)
            with proxied([Say("Hello.")], tmp_path, http=http) as proxy:
                proxy.ask(cell.path, cell.request([user("hi")]))
                presented.append(offered(proxy.upstream.requests[0])[2:])
    assert presented[0] == presented[1]
    assert len(presented[0]) == 2
    for name in presented[0]:
        assert len(name) <= 64
        assert name.isascii()
        assert name.replace("_", "").isalnum()


ALLOWED: dict[str, Any] = {
    OPENAI_CHAT: {
        "type": "allowed_tools",
        "allowed_tools": {"mode": "auto", "tools": [tool(OPENAI_CHAT, "read_file")]},
    },
    OPENAI_RESPONSES: {
        "type": "allowed_tools",
        "mode": "auto",
        "tools": [{"type": "function", "name": "read_file"}],
    },
    ANTHROPIC_MESSAGES: {"type": "tool", "name": "read_file"},
}


@cells
def test_a13_where_only_some_tools_are_allowed_the_choice_stays(cell: Cell, tmp_path: Path):
    with proxied([Say(calls=[N])], tmp_path) as proxy:
        _, answer = cell.ask(proxy, [user("hi")], tool_choice=ALLOWED[cell.wire])
        (exchange,) = proxy.upstream.requests
    assert exchange.body["tool_choice"] == ALLOWED[cell.wire]
    added = ["crm_update", "docs_search"] if cell.wire == ANTHROPIC_MESSAGES else []
    assert offered(exchange) == ["read_file", "bash", *added]
    assert names(answer) == ["read_file"]
    assert answer.finish == CALLING[cell.wire]


@chat_cells
def test_a58_several_choices_cannot_be_mediated(cell: Cell, tmp_path: Path):
    with proxied([], tmp_path) as proxy:
        got = proxy.ask(cell.path, cell.request([user("hi")], n=2))
        assert proxy.upstream.requests == []
    assert (got.status, got.json["error"]["code"]) == (400, "n_unsupported")


@chat_cells
def test_a58_but_pass_where_the_operator_says_so(cell: Cell, tmp_path: Path):
    both = b'{"choices": [{"index": 0}, {"index": 1}]}'
    with (
        ToolService(lambda tool, asked: Answered(body=both)) as upstream,
        ToolService() as service,
    ):
        known = Proxied(upstream, service, tmp_path)
        config = configured(upstream.url, service, tmp_path, mediation={"n_policy": "bypass"})
        body = cell.request([user("hi")], n=2)
        with serving(known, config) as proxy:
            got = proxy.ask(cell.path, body)
        (asked,) = upstream.executed
    assert asked.arguments == body
    assert (got.status, got.body) == (200, both)
