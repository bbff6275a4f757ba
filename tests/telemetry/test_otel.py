"""Facts as spans and metrics, without a collector."""

from collections.abc import Iterable
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from testbed.telling import SECOND

from agent_cli.telemetry.counters import Counters
from agent_cli.telemetry.facts import (
    Answered,
    Ending,
    Fact,
    Model,
    Stopped,
    Used,
    WorkBegan,
    WorkEnded,
)
from agent_cli.telemetry.otel_metrics import Metrics
from agent_cli.telemetry.otel_spans import Spans
from agent_cli.types.messages import StopReason
from agent_cli.types.outcomes import Code, Outcome, Stop
from agent_cli.types.requests import Protocol
from agent_cli.types.usage import Usage

SESSION = "20261121-101112-0123abcd"
GEMINI = Model("gemini", "other")
ANSWER = Answered(
    3 * SECOND, SECOND, GEMINI, Protocol.XML, StopReason.LENGTH, Usage(9, 2, 3, 4), 1, SESSION
)


def spans_of(facts: Iterable[Fact]) -> list[ReadableSpan]:
    kept, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    spans = Spans(provider.get_tracer("test"))
    for fact in facts:
        spans.tell(fact)
    return list(kept.get_finished_spans())


def used(outcome: Outcome, code: Code | None, began: int | None = SECOND) -> Used:
    return Used(2 * SECOND, began, "mcp", Protocol.NATIVE, outcome, code, SESSION)


def test_a_subtask_lies_within_the_work_that_it_is_for():
    subtask = WorkBegan(2 * SECOND, SESSION, GEMINI, subtask=True)
    ends = [WorkEnded(4 * SECOND, Ending.COMPLETED), WorkEnded(5 * SECOND, Ending.HANDED_BACK)]
    chat, inner, outer = spans_of([WorkBegan(SECOND, SESSION, GEMINI), subtask, ANSWER, *ends])
    assert chat.parent is not None
    assert inner.parent is not None
    assert chat.parent.span_id == inner.context.span_id
    assert inner.parent.span_id == outer.context.span_id
    assert (outer.start_time, outer.end_time) == (SECOND, 5 * SECOND)
    assert [dict(one.attributes or {})["agent.subtask"] for one in (inner, outer)] == [True, False]


def test_a_request_has_the_names_of_the_conventions():
    (chat,) = spans_of([ANSWER])
    assert chat.name == "chat other"
    assert chat.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "other",
        "gen_ai.conversation.id": SESSION,
        "gen_ai.response.finish_reasons": ("length",),
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 2,
        "gen_ai.usage.cache_read.input_tokens": 3,
        "gen_ai.usage.cache_creation.input_tokens": 4,
        "agent.protocol": "xml",
        "agent.retries": 1,
    }


@pytest.mark.parametrize(
    ("fact", "error"),
    [
        (used(Outcome.OK, Code.REPEATED), None),
        (used(Outcome.FAILED, None), "failed"),
        (used(Outcome.FAILED, Code.TIMED_OUT), "timed_out"),
    ],
    ids=["ok", "failed", "timed out"],
)
def test_a_call_that_is_not_ok_is_an_error_of_its_code(fact: Used, error: str | None):
    (span,) = spans_of([fact])
    assert (span.attributes or {}).get("error.type") == error
    assert span.status.is_ok is (error is None)
    assert span.status.description is None


@pytest.mark.parametrize("how", Ending)
def test_work_that_was_broken_off_is_an_error(how: Ending):
    (span,) = spans_of([WorkBegan(SECOND), WorkEnded(2 * SECOND, how)])
    broken = how in {Ending.INTERRUPTED, Ending.LIMIT}
    assert span.status.is_ok is not broken
    assert (span.attributes or {}).get("error.type") == (how.value if broken else None)


def test_what_did_not_run_and_what_never_began_has_no_span():
    facts: list[Fact] = [used(Outcome.DENIED, Code.POLICY, None), Stopped(1, Stop.USER)]
    assert spans_of([*facts, WorkEnded(SECOND, Ending.COMPLETED)]) == []


def metrics_of(counters: Counters, *facts: Fact) -> dict[str, list[Any]]:
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], shutdown_on_exit=False)
    metrics = Metrics(provider.get_meter("test"), lambda: counters)
    for fact in facts:
        metrics.tell(fact)
    data: Any = reader.get_metrics_data()
    scopes = [scope for resource in data.resource_metrics for scope in resource.scope_metrics]
    provider.shutdown()
    return {one.name: list(one.data.data_points) for scope in scopes for one in scope.metrics}


def test_cost_is_told_once_it_is_known():
    assert "agent.cost" not in metrics_of(Counters())
    (point,) = metrics_of(Counters(usage=Usage(cost=0.25)))["agent.cost"]
    assert point.value == 0.25


def test_histograms_have_the_bounds_of_the_conventions():
    told = metrics_of(Counters(retries=2), ANSWER, Stopped(1, Stop.USER))
    (duration,) = told["gen_ai.client.operation.duration"]
    assert (duration.sum, duration.explicit_bounds[0]) == (2.0, 0.01)
    assert duration.explicit_bounds[-1] == pytest.approx(81.92)
    tokens = told["gen_ai.client.token.usage"]
    assert sorted(point.sum for point in tokens) == [2, 9]
    assert tokens[0].explicit_bounds[-1] == 67_108_864
    assert told["agent.retries"][0].value == 2
