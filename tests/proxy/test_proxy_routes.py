"""Who may ask for what, in which form, and what those are told who may not."""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from backports import zstd
from testbed.exchange import ANTHROPIC_MESSAGES, OPENAI_CHAT
from testbed.managed_service import Answered, ToolService
from testbed.proxied import Proxied, configured, proxied, serving
from testbed.proxy_cells import Cell, M, N, cells, messages_cells, whole_cells
from testbed.proxy_clients import repeated, results, user
from testbed.replies import Say

from agent_cli.proxy.clients import Client
from agent_cli.proxy.config import Token
from agent_cli.proxy.envelopes import ProxyError
from agent_cli.proxy.unpacking import unpacked

CHAT = Cell(OPENAI_CHAT, stream=False)
COUNTING = Cell(ANTHROPIC_MESSAGES, stream=False)
COUNT = "/v1/messages/count_tokens"
TOKEN: dict[str, Any] = {
    "server": {"auth": "tokens"},
    "tokens": {
        "alice": Token(sha256="9e78b43ea00edcac8299e0cc8df7f6f913078171335f733a21d5d911b6999132")
    },
}
VERSION = {"anthropic-version": "2023-06-01"}


def is_shaped(cell: Cell, body: Any) -> bool:
    """Whether an error has the form that clients of the dialect read."""
    if cell.wire == ANTHROPIC_MESSAGES:
        return body["type"] == "error" and "request_id" in body
    return {"message", "type", "param", "code"} <= body["error"].keys()


@cells
def test_a69_who_has_no_token_is_told_so_in_the_dialect(cell: Cell, tmp_path: Path):
    with proxied([Say("Hello.")], tmp_path, **TOKEN) as proxy:
        for headers in ({}, {"authorization": "Bearer wrong"}, {"x-api-key": "wrong"}):
            got = proxy.ask(cell.path, cell.request([user("hi")]), headers)
            assert got.status == 401
            assert got.json["error"]["type"] == "authentication_error"
            assert is_shaped(cell, got.json)
        cell.ask(proxy, [user("hi")], {"authorization": "Bearer moon"})
        (entry,) = proxy.audit("history")
    assert entry["principal"] == "alice"


REFUSED: list[Any] = [
    pytest.param("POST", b"{", {}, (400, "invalid_json"), id="no JSON"),
    pytest.param("POST", b"[]", {}, (400, "invalid_json"), id="no object"),
    pytest.param("POST", b" " * 3_000, {}, (413, "request_too_large"), id="too large"),
    pytest.param("GET", b"", {}, (405, "method_not_allowed"), id="wrong method"),
    pytest.param("POST", b"x", {"content-encoding": "br"}, (415, "encoding"), id="encoding"),
    pytest.param("POST", b"x", {"content-encoding": "gzip"}, (400, "encoding"), id="no gzip"),
    pytest.param("POST", b"x", {"content-encoding": "zstd"}, (400, "encoding"), id="no zstd"),
    pytest.param("POST", b"{}", {"host": "evil.example"}, (403, "host"), id="host"),
    pytest.param("POST", b"{}", {"origin": "https://e.example"}, (403, "origin"), id="origin"),
]


@cells
@pytest.mark.parametrize(("method", "body", "headers", "expected"), REFUSED)
def test_a69_what_cannot_be_answered_is_refused(
    cell: Cell,
    tmp_path: Path,
    *,
    method: str,
    body: bytes,
    headers: dict[str, str],
    expected: tuple[int, str],
):
    status, code = expected
    marked = VERSION if cell.wire == ANTHROPIC_MESSAGES else {}
    with proxied([], tmp_path, server={"max_body": 2_000}) as proxy:
        got = proxy.ask(cell.path, body, {**marked, **headers}, method)
    assert got.status == status
    assert is_shaped(cell, got.json)
    assert code in json.dumps(got.json)
    assert (got.headers.get("allow") == "POST") is (status == 405)


PACKERS = {"gzip": gzip.compress, "zstd": zstd.compress, "identity": bytes}


@cells
@pytest.mark.parametrize("encoding", PACKERS)
def test_a69_a_packed_body_is_unpacked(cell: Cell, encoding: str, tmp_path: Path):
    body = PACKERS[encoding](json.dumps(cell.request([user("hi")])).encode())
    with proxied([Say("Hello.")], tmp_path) as proxy:
        got = proxy.ask(cell.path, body, {"content-encoding": encoding})
        proxy.distinct = False  # what was asked cannot be read here
    assert got.status == 200


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a69_no_body_grows_without_end(encoding: str):
    packed = PACKERS[encoding](b" " * 3_000)
    for body, limit, status in ((packed, 2_000, 413), (packed[:-4], 3_000, 400)):
        with pytest.raises(ProxyError) as raised:
            unpacked(body, encoding, limit)
        assert raised.value.status == status
    assert len(unpacked(packed, encoding, 3_000)) == 3_000


def test_a69_without_its_package_zstd_is_not_known(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "backports", None)
    with pytest.raises(ProxyError, match="use gzip or deflate") as raised:
        unpacked(zstd.compress(b"x"), "zstd", 9)
    assert raised.value.status == 415


@pytest.mark.parametrize(("headers", "shaped"), [({}, CHAT), (VERSION, COUNTING)])
def test_a69_an_unknown_path_is_told_of_in_the_dialect_of_the_headers(
    headers: dict[str, str], shaped: Cell, tmp_path: Path
):
    with proxied([], tmp_path) as proxy:
        got = proxy.ask("/v1/nowhere", b"{}", headers)
    assert got.status == 404
    assert got.json["error"]["type"] == "not_found_error"
    assert is_shaped(shaped, got.json)


ELSEWHERE = ["/v1/responses/../files", "/v1/responses/%2e%2e%2Ffiles", "/v1/models/..%5cfiles"]


@pytest.mark.parametrize("path", ELSEWHERE)
def test_no_path_leads_elsewhere_at_the_upstream(path: str, tmp_path: Path):
    got, asked = models(tmp_path, path, {}, LISTED)
    assert (got.status, asked) == (404, [])


@pytest.mark.parametrize(
    ("path", "method", "allowed"),
    [
        ("/health", "POST", "GET, HEAD"),
        ("/v1/models", "POST", "GET"),
        ("/v1/responses/resp_1", "PUT", "GET, DELETE, POST"),
        (COUNT, "GET", "POST"),
    ],
)
def test_a69_another_method_is_told_which_is_right(
    path: str, method: str, allowed: str, tmp_path: Path
):
    with proxied([], tmp_path) as proxy:
        got = proxy.ask(path, b"", method=method)
    assert (got.status, got.headers["allow"]) == (405, allowed)


@cells
def test_paths_may_stand_without_their_version(cell: Cell, tmp_path: Path):
    with proxied([Say(calls=[M]), Say("Done.")], tmp_path) as proxy:
        got = proxy.ask(cell.path.removeprefix("/v1"), cell.request([user("hi")]))
        assert proxy.service.tools == ["docs_search"]
    assert got.status == 200


def test_a70_health_needs_no_token(tmp_path: Path):
    with proxied([], tmp_path, **TOKEN) as proxy:
        assert proxy.ask("/health", b"", method="GET").json == {"status": "ok"}
        for path in ("/", "/v1", "/health", "/v1/health"):
            head = proxy.ask(path, b"", method="HEAD")
            assert (head.status, head.body) == (200, b"")


UPSTREAM_MODELS: dict[str, Any] = {"data": [{"id": "m"}], "more": 1}


def models(
    tmp_path: Path, path: str, headers: dict[str, str], answer: Answered, **aliases: str
) -> tuple[Any, list[str]]:
    with ToolService(lambda tool, asked: answer) as upstream, ToolService() as service:
        known = Proxied(upstream, service, tmp_path)
        config = configured(upstream.url, service, tmp_path, upstream={"models": aliases})
        with serving(known, config) as proxy:
            got = proxy.ask(path, b"", headers, "GET")
        return got, upstream.begun


LISTED = Answered(body=json.dumps(UPSTREAM_MODELS).encode())


@pytest.mark.parametrize("path", ["/v1/models", "/v1/models/m?x=1", "/models"])
def test_a70_models_are_the_upstreams(path: str, tmp_path: Path):
    got, asked = models(tmp_path, path, {}, LISTED)
    assert asked == ["v1/models/m" if "m?" in path else "v1/models"]
    assert got.body == LISTED.body


@whole_cells
def test_a70_models_with_names_of_their_own_are_listed_first(cell: Cell, tmp_path: Path):
    anthropic = cell.wire == ANTHROPIC_MESSAGES
    headers = VERSION if anthropic else {}
    got, _ = models(tmp_path, "/v1/models", headers, LISTED, fast="m-2", m="m-3")
    assert [one["id"] for one in got.json["data"]] == ["fast", "m"]
    assert got.json["more"] == 1
    first = got.json["data"][0]
    assert first["type" if anthropic else "object"] == "model"
    assert ("display_name" in first, "owned_by" in first) == (anthropic, not anthropic)
    one, asked = models(tmp_path, "/v1/models/fast", headers, LISTED, fast="m-2")
    assert (one.json, asked) == (first, [])
    alone, _ = models(tmp_path, "/v1/models", headers, Answered(404), fast="m-2")
    assert alone.json["data"] == [first]
    refused, _ = models(tmp_path, "/v1/models", headers, Answered(403, b"no"), fast="m-2")
    assert (refused.status, refused.body) == (403, b"no")
    odd, _ = models(tmp_path, "/v1/models", headers, Answered(body=b"<html>"), fast="m-2")
    assert odd.json["data"] == [first]


@cells
def test_a_models_own_name_here_is_said_to_the_upstream(cell: Cell, tmp_path: Path):
    with proxied([Say("x")] * 2, tmp_path, upstream={"models": {"fast": "m-2"}}) as proxy:
        for tools in (("read_file",), ()):
            proxy.ask(cell.path, cell.request([user("hi")], tools=tools, model="fast"))
        asked = [one.body["model"] for one in proxy.upstream.requests]
    assert asked == ["m-2", "m-2"]


def test_a70_tokens_are_estimated_where_the_upstream_cannot_count(tmp_path: Path):
    clients = {"aider": Client(agents=("aider",), mediate=False)}
    with proxied([], tmp_path, clients=clients) as proxy:
        body = COUNTING.request([user("hi")])
        more = proxy.ask(COUNT, body)
        fewer = proxy.ask(COUNT, body, {"x-agent-proxy-mediation": "off"})
        bare = proxy.ask(COUNT, body, {"user-agent": "aider/0.86"})
        proxy.upstream.violations.clear()
    assert more.headers["x-agent-proxy-estimate"] == "1"
    assert bare.json == fewer.json
    assert [*more.json] == ["input_tokens"]
    assert more.json["input_tokens"] > fewer.json["input_tokens"]


def test_a70_the_upstream_counts_managed_tools_and_hidden_rounds(tmp_path: Path):
    def counting(tool: str, asked: dict[str, Any]) -> Answered:
        if not tool.endswith("count_tokens"):
            raise AssertionError(tool)
        seen.append(asked)
        return Answered(body=b'{"input_tokens": 42}')

    seen: list[dict[str, Any]] = []
    with proxied([Say(calls=[M, N])], tmp_path) as proxy:
        _, answer = COUNTING.ask(proxy, [user("hi")])
    history = [user("hi"), *repeated(COUNTING.wire, answer), *results(COUNTING.wire, answer)]
    with ToolService(counting) as upstream, ToolService() as service:
        known = Proxied(upstream, service, tmp_path)
        config = configured(upstream.url, service, tmp_path, upstream={"models": {"fast": "m-2"}})
        with serving(known, config) as proxy:
            got = proxy.ask(COUNT, COUNTING.request(history, model="fast"))
            proxy.ask(COUNT, COUNTING.request(history, tools=(), model="fast"))
    assert got.json == {"input_tokens": 42}
    assert "x-agent-proxy-estimate" not in got.headers
    with_tools, without = seen
    assert [one["name"] for one in with_tools["tools"]][-1] == "docs_search"
    assert len(with_tools["messages"]) == 5
    assert (with_tools["model"], without["model"]) == ("m-2", "m-2")


@messages_cells
def test_the_headers_of_a_vendor_pass_both_ways(cell: Cell, tmp_path: Path):
    headers = {"anthropic-beta": "one-1,two-2", "anthropic-version": "2024-01-01"}
    with proxied([Say("x")] * 2, tmp_path) as proxy:
        for tools in (("read_file",), ()):
            proxy.ask(cell.path, cell.request([user("hi")], tools=tools), headers)
        for exchange in proxy.upstream.requests:
            assert headers.items() <= exchange.headers.items()
