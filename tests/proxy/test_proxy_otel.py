"""The proxy in a trace: spans and metrics for a real collector, nothing of what was said."""

import sys
from pathlib import Path

import pytest
from testbed.collector import Collector, Span
from testbed.exchange import OPENAI_CHAT
from testbed.proxied import Proxied, proxied
from testbed.proxy_cells import Cell, cells
from testbed.proxy_clients import user
from testbed.replies import Call, Say, Status, Usage

from agent_cli.proxy import listening
from agent_cli.proxy.listening import Nobody, Telemetry, listener
from agent_cli.types.errors import ConfigurationError

CHAT = Cell(OPENAI_CHAT, stream=False)
CANARY = "c4n4ry"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"
HEADERS = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
ON = {"telemetry": Telemetry(otel=True)}
M = Call("docs_search", {"q": CANARY})
UNKNOWN = Call("docs_search", {"q": 7, CANARY: CANARY})


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch):
    with Collector() as found:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", found.url)
        yield found


def named(collector: Collector, name: str) -> list[Span]:
    return [span for span in collector.spans if span.name == name]


def traces(proxy: Proxied) -> list[str]:
    return [one.headers["traceparent"].split("-")[1] for one in proxy.upstream.requests]


@cells
def test_a_request_stands_in_its_clients_trace(cell: Cell, tmp_path: Path, collector: Collector):
    script = [
        Say(f"{CANARY} text", [M], usage=Usage(100, 20)),
        Say(f"{CANARY} done", usage=Usage(200, 30)),
    ]
    with proxied(script, tmp_path, **ON) as proxy:
        got = proxy.ask(cell.path, cell.request([user(CANARY)]), HEADERS)
        assert got.status == 200
        assert traces(proxy) == [TRACE, TRACE]
        assert PARENT not in proxy.upstream.requests[0].headers["traceparent"]
        assert [trace.split("-")[1] for trace in proxy.service.traces] == [TRACE]
        proxy.stop()
    (request,) = named(collector, "request")
    rounds, calls = named(collector, "upstream_round"), named(collector, "managed_call")
    assert (request.trace.hex(), request.parent.hex()) == (TRACE, PARENT)
    assert {span.parent for span in (*rounds, *calls)} == {request.id}
    assert [span.attributes["gen_ai.usage.input_tokens"] for span in rounds] == [100, 200]
    assert [span.attributes["gen_ai.tool.name"] for span in calls] == ["docs.search"]
    assert request.attributes["http.response.status_code"] == 200
    assert not any(CANARY.encode() in body for body in collector.received)


def test_metrics_count_requests_calls_and_tokens(tmp_path: Path, collector: Collector):
    script = [Say(calls=[M, UNKNOWN], usage=Usage(100, 20)), Say("Done.")]
    with proxied(script, tmp_path, **ON) as proxy:
        CHAT.ask(proxy, [user("hi")])
        proxy.stop()
    calls = collector.metrics["agent_proxy.managed_calls"]
    assert sorted(point.attributes["agent_proxy.status"] for point in calls) == [
        "ok",
        "schema_validation",
    ]
    (requests,) = collector.metrics["agent_proxy.requests"]
    assert requests.value == 1
    tokens = collector.metrics["gen_ai.client.token.usage"]
    assert sum(point.value for point in tokens) == 100 + 20 + 100 + 20


def test_a_refused_order_and_a_failure_are_seen(tmp_path: Path, collector: Collector):
    script = [Say(calls=[Call("read_file", {}), M]), Status(500, f"{CANARY} broke")]
    with proxied(script, tmp_path, **ON) as proxy:
        proxy.ask(CHAT.path, CHAT.request([user("hi")]))
        proxy.ask(CHAT.path, CHAT.request([user("other")], model=f"{CANARY}-model"))
        proxy.ask(f"/v1/{CANARY}", {})
        proxy.ask(f"/v1/models/{CANARY}", {}, {"host": "evil.example"}, CANARY)
        proxy.stop()
    assert [span.failed for span in named(collector, "request")] == [True] * 4
    assert [span.failed for span in named(collector, "upstream_round")] == [False, True]
    events = collector.metrics["agent_proxy.events"]
    assert "mediation_failure" in {point.attributes["agent_proxy.event"] for point in events}
    assert not any(CANARY.encode() in body for body in collector.received)


def test_what_only_passes_is_in_the_trace_as_well(tmp_path: Path, collector: Collector):
    off = {"x-agent-proxy-mediation": "off"}
    with proxied([Say("Hello.")], tmp_path, **ON) as proxy:
        proxy.ask(CHAT.path, CHAT.request([user("hi")]), HEADERS | off)
        proxy.stop()
    (passed,) = named(collector, "upstream_round")
    assert passed.trace.hex() == TRACE


def test_without_being_asked_nothing_is_sent_and_the_trace_goes_on(
    tmp_path: Path, collector: Collector
):
    with proxied([Say(calls=[M]), Say("Done.")], tmp_path) as proxy:
        proxy.ask(CHAT.path, CHAT.request([user("hi")]), HEADERS)
        assert proxy.upstream.requests[0].headers["traceparent"] == HEADERS["traceparent"]
        assert proxy.service.traces == [HEADERS["traceparent"]]
    assert collector.received == []
    assert isinstance(listener(Telemetry()), Nobody)


def test_without_its_package_the_proxy_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listening, "find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"agent-cli\[otel\]"):
        listener(Telemetry(otel=True))


def test_it_is_not_loaded_unless_asked_for():
    import subprocess

    code = "import sys, agent_cli.proxy.serving; print('opentelemetry' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
