"""What the proxy does as OpenTelemetry's spans and metrics; only who asks for it imports this.

A request is a span within the client's own trace. Rounds, managed calls and decisions lie within
it. Names are those of the configuration, numbers are counts: nothing that anybody has said.
"""

import time
from collections.abc import Mapping
from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

from agent_cli.proxy.routes import route_of
from agent_cli.proxy.spending import counted
from agent_cli.telemetry.otel import Providers

NAME = "agent-proxy"
_GOOD = 400
_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE"})
_TOKENS = [4**power for power in range(14)]
_SECONDS = [0.01 * 2**power for power in range(14)]
_MARKS = {
    "mediation_decision": ("class", "then", "round"),
    "mediation_failure": ("code", "http_status"),
    "failover": ("from", "to", "reason", "round"),
    "reasoning_replay_dropped": ("provider", "count", "thinking_disabled", "round"),
    "finalization": ("reason",),
    "budget": ("principal", "then"),
    "continuity_inject": ("segments",),
    "continuity_miss": ("reason",),
    "continuity_store": ("layout",),
    "client_disconnect": (),
}
"""Events that are marks on a request's span, and what is told of each."""


class OtelListener:
    """See `Listener`."""

    def __init__(self) -> None:
        self._providers = Providers(NAME)
        self._tracer = self._providers.tracer
        self._context = TraceContextTextMapPropagator()
        self._open: dict[str, Span] = {}
        meter = self._providers.meter
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage", "{token}", explicit_bucket_boundaries_advisory=_TOKENS
        )
        self._duration = meter.create_histogram(
            "gen_ai.client.operation.duration", "s", explicit_bucket_boundaries_advisory=_SECONDS
        )
        self._requests = meter.create_counter("agent_proxy.requests", "{request}")
        self._calls = meter.create_counter("agent_proxy.managed_calls", "{call}")
        self._events = meter.create_counter("agent_proxy.events", "{event}")

    def begin(self, request_id: str, headers: Mapping[str, str]) -> Mapping[str, str]:
        """Open the request's span within the client's trace, and hand on its place in it."""
        within = self._context.extract(dict(headers), Context())
        attributes: dict[str, AttributeValue] = {"agent_proxy.request_id": request_id}
        span = self._tracer.start_span("request", within, SpanKind.SERVER, attributes)
        self._open[request_id] = span
        place: dict[str, str] = {}
        self._context.inject(place, set_span_in_context(span, within))
        return {**headers, **place}

    def tell(self, event: str, request_id: str, fields: Mapping[str, Any]) -> None:
        span = self._open.get(request_id)
        if span is None:
            return
        match event:
            case "request":
                span.set_attribute("agent_proxy.principal", str(fields["principal"]))
                span.set_attribute("agent_proxy.mediated", bool(fields["mediated"]))
            case "history":
                span.set_attribute("agent_proxy.rounds", int(fields["rounds"]))
                if fields["status"] != "ok":
                    _fail(span, str(fields["reason"]))
            case "upstream_round":
                self._round(span, fields)
            case "managed_call":
                self._call(span, fields)
            case "response":
                self._end(self._open.pop(request_id), fields)
            case _ if event in _MARKS:
                told = {name: fields.get(name) for name in _MARKS[event]}
                known = {name: value for name, value in told.items() if value is not None}
                span.add_event(event, {f"agent_proxy.{name}": v for name, v in known.items()})
                self._events.add(1, {"agent_proxy.event": event})
            case _:
                pass

    def close(self) -> None:
        self._providers.close()

    def _round(self, request: Span, fields: Mapping[str, Any]) -> None:
        status, seconds = int(fields["status"]), float(fields["seconds"])
        attributes: dict[str, AttributeValue] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": str(fields["provider"]),
            "http.response.status_code": status,
            "agent_proxy.round": int(fields["round"]),
        }
        if status < _GOOD:  # what an upstream does not know may be any text
            attributes["gen_ai.request.model"] = str(fields["model"])
        self._duration.record(seconds, attributes)
        usage, reasoning = counted(fields["usage"])
        counts = {"input": usage.input_tokens, "output": usage.output_tokens}
        for kind, count in counts.items():
            self._tokens.record(count, {**attributes, "gen_ai.token.type": kind})
        span = self._within(request, "upstream_round", SpanKind.CLIENT, seconds)
        span.set_attributes(attributes)
        span.set_attribute("gen_ai.usage.input_tokens", usage.input_tokens)
        span.set_attribute("gen_ai.usage.output_tokens", usage.output_tokens)
        span.set_attribute("gen_ai.usage.cache_read.input_tokens", usage.cache_read_tokens)
        span.set_attribute("gen_ai.usage.cache_creation.input_tokens", usage.cache_write_tokens)
        span.set_attribute("agent_proxy.reasoning_tokens", reasoning)
        if status >= _GOOD or fields.get("error"):
            _fail(span, f"status_{status}")
        span.end()

    def _call(self, request: Span, fields: Mapping[str, Any]) -> None:
        known = bool(fields["service"])  # else the name is the model's own
        status = str(fields["status"])
        attributes: dict[str, AttributeValue] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": str(fields["canonical"]) if known else "unknown",
            "agent_proxy.status": status,
            "agent_proxy.cached": bool(fields["cached"]),
            "agent_proxy.round": int(fields["round"]),
        }
        seconds = int(fields["latency_ms"]) / 1000
        span = self._within(request, "managed_call", SpanKind.CLIENT, seconds)
        span.set_attributes(attributes)
        if status != "ok":
            _fail(span, status)
        span.end()
        self._calls.add(1, attributes)

    def _end(self, span: Span, fields: Mapping[str, Any]) -> None:
        status = int(fields["status"])
        method = str(fields["method"])
        attributes: dict[str, AttributeValue] = {
            "http.response.status_code": status,
            "http.request.method": method if method in _METHODS else "_OTHER",
        }
        if route := route_of(str(fields["path"])):  # of anything else there is no end
            attributes["http.route"] = route
        span.set_attributes(attributes)
        if status >= _GOOD:
            _fail(span, f"status_{status}")
        span.end()
        self._requests.add(1, attributes)

    def _within(self, request: Span, name: str, kind: SpanKind, seconds: float) -> Span:
        """Begin a span of something that has just ended, after so many seconds."""
        began = time.time_ns() - int(seconds * 1e9)
        return self._tracer.start_span(name, set_span_in_context(request), kind, start_time=began)


def _fail(span: Span, why: str) -> None:
    span.set_attribute("error.type", why)
    span.set_status(Status(StatusCode.ERROR))
