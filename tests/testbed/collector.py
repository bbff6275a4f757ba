"""An OpenTelemetry collector on loopback: OTLP over HTTP, decoded from protobuf."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, NamedTuple, Self

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue


class Span(NamedTuple):
    name: str
    kind: int
    id: bytes
    parent: bytes
    trace: bytes
    attributes: dict[str, Any]
    seconds: float
    failed: bool


class Point(NamedTuple):
    """One number of a metric: a sum, or a histogram's sum and how many it is of."""

    attributes: dict[str, Any]
    value: float
    count: int = 0


class Collector:
    """Keeps what it is sent; a context manager. A silent one never answers."""

    def __init__(self, *, silent: bool = False) -> None:
        self.received: list[bytes] = []
        """The bodies of all requests, as they came."""
        self.headers: list[dict[str, str]] = []
        self.spans: list[Span] = []
        self.metrics: dict[str, list[Point]] = {}
        """As they were collected last."""
        self.resource: dict[str, Any] = {}
        self.asked = Event()
        self._over = Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self, silent=silent))
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,))
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def wait(self) -> None:
        """Return when nobody waits for an answer any more."""
        self._over.wait()

    def keep(self, path: str, headers: dict[str, str], body: bytes) -> None:
        self.received.append(body)
        self.headers.append(headers)
        if path == "/v1/traces":
            self._keep_spans(ExportTraceServiceRequest.FromString(body))
        if path == "/v1/metrics":
            self._keep_metrics(ExportMetricsServiceRequest.FromString(body))
        self.asked.set()

    def _keep_spans(self, request: ExportTraceServiceRequest) -> None:
        for resource in request.resource_spans:
            self.resource = _attributes(resource.resource.attributes)
            for scope in resource.scope_spans:
                for span in scope.spans:
                    self.spans.append(
                        Span(
                            span.name,
                            span.kind,
                            span.span_id,
                            span.parent_span_id,
                            span.trace_id,
                            _attributes(span.attributes),
                            (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
                            span.status.code == span.status.STATUS_CODE_ERROR,
                        )
                    )

    def _keep_metrics(self, request: ExportMetricsServiceRequest) -> None:
        for resource in request.resource_metrics:
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    sums = [
                        Point(_attributes(point.attributes), point.as_double or point.as_int)
                        for point in metric.sum.data_points
                    ]
                    histograms = [
                        Point(_attributes(point.attributes), point.sum, point.count)
                        for point in metric.histogram.data_points
                    ]
                    self.metrics[metric.name] = sums + histograms


def _handler(collector: Collector, *, silent: bool) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            collector.keep(self.path, dict(self.headers.items()), body)
            if silent:
                collector.wait()
                return
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: a test reads what was kept."""

    return Handler


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: _value(pair) for pair in pairs}


def _value(pair: KeyValue) -> Any:
    value: AnyValue = pair.value
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [one.string_value for one in value.array_value.values]
    return getattr(value, kind) if kind else None
